"""The files of a side, how they are opened, and comparison requests."""
