"""Detectors of what differs between ranks: collectives, a late rank, uneven work."""
