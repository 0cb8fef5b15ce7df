"""Damaged JSON: where elements end, what can be mended, what is salvaged."""
