"""Requests and responses as such: connection, parameters, origin, tags, streams, static files."""
