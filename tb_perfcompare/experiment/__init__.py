"""Experiments: two or more commands recorded alternately until the verdict is settled."""
