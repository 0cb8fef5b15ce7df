"""Interpretation of a trace: host and device timeline, vendor, steps, clock, environment."""
