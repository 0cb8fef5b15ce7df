"""Waits for Python's global interpreter lock (GIL): the group "gil_waits" and how a wait is recognised."""

from __future__ import annotations

TABLE = "gil_waits"

SWITCH_NS = 5_000_000
"""Python's default switch interval (sys.getswitchinterval): a thread that runs Python code keeps the GIL for so long
before it hands it over to one that waits."""

LATEST = 0.12
"""Share of the switch interval after which a wait has ended: in recordings 0.02 to 0.06, for the wake-up."""

MOST_INTERVALS = 4
"""Most intervals of a wait: other threads may get the GIL first."""
