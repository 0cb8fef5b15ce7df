"""Functions that worker processes run: top-level functions of picklable values."""
