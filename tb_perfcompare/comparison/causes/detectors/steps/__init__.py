"""Detectors of single steps that make the difference: a warm-up, slow steps, steps with slow calls."""
