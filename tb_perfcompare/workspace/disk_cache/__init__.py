"""Summaries and comparisons cached on disk."""
