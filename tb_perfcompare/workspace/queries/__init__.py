"""Requests of the tab besides the comparison: pages of tables, rows, callers, steps, candidates."""
