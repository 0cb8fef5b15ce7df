"""Answers of torch-tb-profiler, by running it on the events of a trace.

`read_compat` has it read the events, `answer` returns the JSON of one of its HTTP routes.
"""

from tb_perfcompare.analysis.compat.answers import ROUTES, answer, available_routes, check_route
from tb_perfcompare.analysis.compat.profile import CompatProfile, read_compat

__all__ = ["ROUTES", "CompatProfile", "answer", "available_routes", "check_route", "read_compat"]
