"""Traces of torch.profiler: JSON text to columns of events, and excerpts of it."""
