"""Whether two sides may be compared at all, and what each failed check weakens."""
