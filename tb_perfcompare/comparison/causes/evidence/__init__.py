"""What rules look at: a pair with its ledger; and how findings are made of it."""
