"""Tables of a comparison and of a run, and queries on their rows."""
