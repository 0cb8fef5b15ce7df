"""The ledger: exact split of the step-time difference, in which every nanosecond has one owner."""
