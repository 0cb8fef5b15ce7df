"""Damaged JSON: where elements end, what can be repaired, what is salvaged."""
