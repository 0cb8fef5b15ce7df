"""Recognizes the format of a file by its name and first bytes."""
