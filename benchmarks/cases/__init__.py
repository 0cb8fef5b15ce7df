"""The benchmarks, one module each, with `NAME` and `run(setting)`."""
