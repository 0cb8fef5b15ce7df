"""Counters sampled during a recording, brought to steps."""
