"""Parses query strings into typed requests."""
