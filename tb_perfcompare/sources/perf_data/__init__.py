"""Per-cycle tables of inference servers, *_perf_data.csv, and the counters beside them."""
