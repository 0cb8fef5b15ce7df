"""Detectors of causes, one module per kind of cause."""
