"""Bytes to recordings: finding runs, and a reader for each format."""
