"""What causes are told from: a pair with its ledger, and how findings are made of it."""
