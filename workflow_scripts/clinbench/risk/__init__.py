"""Risk prediction from ICU time series: losses, models, training and search."""
