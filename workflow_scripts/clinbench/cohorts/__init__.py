"""Cohorts: raw ICU data to one ragged array of hourly features per prediction task."""
