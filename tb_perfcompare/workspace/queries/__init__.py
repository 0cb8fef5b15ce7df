"""What the tab asks beside the comparison: pages of tables, rows, callers, steps, candidates."""
