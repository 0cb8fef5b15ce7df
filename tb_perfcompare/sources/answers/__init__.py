"""Reader for saved answers of torch-tb-profiler, as JSON lines."""
