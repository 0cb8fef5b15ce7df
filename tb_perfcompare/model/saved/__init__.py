"""Metadata of saved baselines and of history points."""
