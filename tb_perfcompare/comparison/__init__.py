"""Compares two summaries."""
