"""Recordings to summaries."""
