"""A comparison against what was agreed on: budgets and causes that must not appear. docs/gate.md has the rules."""
