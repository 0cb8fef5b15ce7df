"""Summaries and comparisons kept on disk."""
