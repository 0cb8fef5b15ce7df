"""Trace pairs with one known cause each."""
