"""The strict report of per-cycle tables: its formulas, and what weakens it."""
