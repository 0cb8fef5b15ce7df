"""Host time for launching more (fewer) kernels."""

from __future__ import annotations

from math import fsum

from tb_perfcompare.comparison.causes.evidence.explained import Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import is_same_runtime
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.wording import time_text
from tb_perfcompare.model.api_calls import LAUNCH, calls
from tb_perfcompare.model.summary.categories import KERNEL, RUNTIME


def launch_time(context: RuleContext, more: float) -> dict[Part, float]:
    """Part -> launch time of this many more (fewer) kernels, as a share of that of all additional launches."""
    rows = [row for row in context.entities(RUNTIME) if calls(LAUNCH, row.path[1])]
    every = sum(row.calls[1] - row.calls[0] for row in rows)
    if more * every <= 0 or not is_same_runtime(context):
        return {}
    share = min(1.0, more / every)
    counted = {(RUNTIME, row.path[1]): context.counted_us(row) * share for row in rows}
    return {part: us for part, us in counted.items() if us * more > 0}


def launch_time_clause(explains: Explains) -> str:
    """Clause on launch time: ", 63.0 µs of it for launching"."""
    host = fsum(us for (category, _), us in explains.items() if category != KERNEL)
    return f", {time_text(abs(host))} of it for launching" if host else ""
