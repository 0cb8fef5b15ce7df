"""Summaries of saved torch-tb-profiler answers."""
