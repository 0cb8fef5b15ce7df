"""Data types of a finished comparison; nothing is computed here."""
