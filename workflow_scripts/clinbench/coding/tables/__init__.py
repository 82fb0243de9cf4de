"""Code tables, one plug-in a file: ``load(data, options) -> (frame, info)``."""
