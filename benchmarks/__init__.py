"""The benchmark suite: `python -m benchmarks` measures, docs/internals/benchmarks.md says what and how."""
