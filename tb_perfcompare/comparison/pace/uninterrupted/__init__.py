"""Uninterrupted steps: their parts without what other programs add, their sums, and how they changed."""
