"""Names for the critical path of a step: the group "critical_path" and its edges."""

from __future__ import annotations

TABLE = "critical_path"

LAUNCH = ("(launch call to start)", "Launch edge")
STREAM = ("(gap on one stream)", "Stream edge")
EVENT = ("(gap after another stream)", "Event edge")
RETURN = ("(end of device work to return)", "Wait edge")
"""(name, category) of the time spent on each kind of edge; all other parts of the path are named as in the ledger."""
