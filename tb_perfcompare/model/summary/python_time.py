"""Time of Python functions with what they call: the group "python_time"."""

from __future__ import annotations

TABLE = "python_time"
"""Calls by Python function and, as measure "total", the time that the function and those that it calls own: between
operators, not the operators in it. In the step in which a call starts."""

DEPTH = "depth"
"""Fact: number of functions around a function where it is called from the fewest."""

LEAST_SHARE = 0.01
"""Least share of the time of all Python functions for one to be listed."""
