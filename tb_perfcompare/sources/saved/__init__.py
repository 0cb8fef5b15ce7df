"""What this package writes and reads again: baselines, points of a history, their columns, manifests of experiments."""
