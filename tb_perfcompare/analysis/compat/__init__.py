"""The compat reading: torch-tb-profiler's numbers to the digit, quirks included.

`read_compat` turns a recording into a CompatProfile, `answer` turns that into the JSON of an HTTP route.
"""

from tb_perfcompare.analysis.compat.answers import ROUTES, answer, available_routes
from tb_perfcompare.analysis.compat.profile import CompatProfile, read_compat

__all__ = ["ROUTES", "CompatProfile", "answer", "available_routes", "read_compat"]
