"""The exact split of the difference: every nanosecond has one owner."""
