"""Detectors of other work: other input shapes or types, sizes that are no longer aligned."""
