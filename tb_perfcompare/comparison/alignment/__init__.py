"""Counterparts of names, operators, kernels and events of a step on the two sides."""
