"""Files that this package writes and reads back: baselines, points of a history, manifests of experiments."""
