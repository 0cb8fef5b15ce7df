"""The files that a run name or a path means, how they are opened, and comparison requests."""
