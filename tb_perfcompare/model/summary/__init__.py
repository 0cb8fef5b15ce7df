"""Results of analysis: one recording, ready to compare."""
