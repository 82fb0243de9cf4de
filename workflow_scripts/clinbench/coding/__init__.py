"""Coding track: clinical mentions to ICD-10 codes (tables, benchmarks, retrieval systems)."""
