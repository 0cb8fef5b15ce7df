"""Pairs of recordings made on an accelerator, each with one known difference."""
