"""Computations shared by several clients, and values cached in memory."""
