"""What the tab asks besides the comparison: pages of tables, rows, callers, steps, candidates."""
