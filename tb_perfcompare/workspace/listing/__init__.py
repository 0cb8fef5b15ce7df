"""Lists what is below a log directory: runs, suggested pairs and points of histories, as values and as JSON."""
