"""Recorded device traces, replayed at other speeds and with planted faults; dependencies are kept."""
