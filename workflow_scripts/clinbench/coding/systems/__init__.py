"""Retrieval systems, one plug-in a file: ``search(queries, table, options, context, depth)``."""
