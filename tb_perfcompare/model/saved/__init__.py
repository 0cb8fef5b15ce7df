"""What baselines and points of a history say about themselves."""
