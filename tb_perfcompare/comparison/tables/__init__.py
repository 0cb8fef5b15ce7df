"""Tables of a comparison and of a run, and questions about their rows."""
