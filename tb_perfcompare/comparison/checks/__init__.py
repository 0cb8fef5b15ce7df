"""Comparability checks: whether two sides may be compared, and what each failed check weakens."""
