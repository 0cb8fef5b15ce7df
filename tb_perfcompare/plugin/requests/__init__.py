"""Query strings as typed requests."""
