"""Evidence for rules: a pair with its ledger, and helpers that turn it into findings."""
