"""Slower, faster, the same, or not to be told: the headline and its reasons."""
