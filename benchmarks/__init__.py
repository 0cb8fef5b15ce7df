"""The benchmark suite: `python -m benchmarks` measures, docs/benchmarks.md says what and how."""
