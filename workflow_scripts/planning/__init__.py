"""What the rules ask while the DAG is built: names, paths, parameters. Here paths are known; the library knows none."""
