"""MIMIC-III from its raw tables to the episodes, folders and lists of mimic3-benchmarks."""
