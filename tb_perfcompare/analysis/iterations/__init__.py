"""Iterations of traces without profiler.step(): one module per way to find them."""
