"""Arguments that operators are called with, besides shapes and types of inputs: the group "call_arguments"."""

from __future__ import annotations

TABLE = "call_arguments"
"""Calls and time by operator, input shapes, input strides and concrete inputs."""

MOST_SIGNATURES = 8
"""Most sets of arguments with which one capture calls an operator on inputs of the same shapes. An operator with more
is left out: its arguments are data."""

LEAST_SHARE = 0.0001
"""Least share of the time of all operators for one to be listed."""
