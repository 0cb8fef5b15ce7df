"""Pass or fail a comparison: limits on the step, budgets, causes that must not appear (docs/guide/gate.md)."""
