"""torch-tb-profiler's memory views."""
