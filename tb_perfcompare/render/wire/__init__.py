"""Encodes HTTP API responses, below their size limit."""
