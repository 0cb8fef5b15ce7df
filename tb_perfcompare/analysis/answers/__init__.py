"""Saved answers of torch-tb-profiler as summaries."""
