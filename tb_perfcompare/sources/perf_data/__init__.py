"""Reader for per-cycle tables of inference servers, *_perf_data.csv, and their counters files."""
