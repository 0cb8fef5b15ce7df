"""Who owns each nanosecond, and from where it was called."""
