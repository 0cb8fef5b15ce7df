"""What analysis gives: one recording, ready to compare."""
