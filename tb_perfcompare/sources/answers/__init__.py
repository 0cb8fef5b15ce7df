"""Saved answers of torch-tb-profiler, JSON lines."""
