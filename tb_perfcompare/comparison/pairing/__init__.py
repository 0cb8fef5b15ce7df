"""Matches runs and spans by their names."""
