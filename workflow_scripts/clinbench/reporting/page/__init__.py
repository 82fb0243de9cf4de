"""The report: one HTML file of all results, to be read without a network."""
