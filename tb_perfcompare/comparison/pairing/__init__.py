"""Matches runs, workers and spans by their names."""
