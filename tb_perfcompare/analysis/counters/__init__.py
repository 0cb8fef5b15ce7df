"""Counters sampled during a recording, as means per step."""
