"""Scanners of a trace's events: the compiled one and its equivalent in Python."""
