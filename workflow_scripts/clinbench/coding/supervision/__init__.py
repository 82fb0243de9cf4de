"""Supervision of the first stage: data set A, made by a tutor, checked by validators (coding.md 1.1)."""
