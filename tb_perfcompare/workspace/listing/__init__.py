"""What is below the log directory: runs, pairs, points of histories, as values and as JSON."""
