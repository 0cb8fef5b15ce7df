"""The strict report of per-cycle tables: its formulas and weaknesses."""
