"""Recorded traces of devices, replayed at other speeds and with faults planted: what waits for what is kept."""
