"""Attributes each nanosecond of a step to an owner, and to the call path that led to it."""
