"""Reader for torch.profiler traces: from JSON text to columns of events, and excerpts of the text."""
