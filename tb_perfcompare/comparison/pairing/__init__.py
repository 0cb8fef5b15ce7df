"""Which runs, workers and spans belong together, by their names."""
