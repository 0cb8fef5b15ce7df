"""Experiments: two or more commands recorded in turns until the verdict is settled."""
