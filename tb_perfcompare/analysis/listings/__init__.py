"""Launches of listings and exports: as summaries, and attached to a trace."""
