"""Answers of the HTTP API as bytes, below their size limit."""
