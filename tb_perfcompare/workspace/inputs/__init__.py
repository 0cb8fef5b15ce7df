"""The files that make a side, how they are opened, and what is asked about a pair."""
