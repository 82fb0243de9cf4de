"""Coding benchmarks, one plug-in a file: ``load(data, options, table) -> (queries, info)``."""
