"""The critical path of a step: names of the group "critical_path" and of its edges."""

from __future__ import annotations

TABLE = "critical_path"

LAUNCH = ("(launch call to start)", "Launch edge")
STREAM = ("(gap on one stream)", "Stream edge")
EVENT = ("(gap after another stream)", "Event edge")
RETURN = ("(end of device work to return)", "Wait edge")
"""(name, category) of the time that an edge of the path takes; all other parts are those of the ledger."""
