"""Tutors: what writes the examples of data set A."""
