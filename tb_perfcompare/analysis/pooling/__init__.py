"""Pooling of several captures into one summary, subsets of steps, and the choice of steps to compare."""
