"""Per-cycle tables as summaries, and traces as per-cycle tables."""
