"""What Cambricon's torch-tb-profiler answers for the MLU demo runs, saved as lines of JSON: all that is left when the
traces are gone. The answers come from `view --compat`, so the package has to be installed."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable

ROUTES = ("overview", "operation", "operation/table", "kernel", "kernel/table")
"""The five answers of a run, in the order of the profiler's tabs."""


def answer_lines(traces: Iterable[bytes]) -> bytes:
    """Five lines for each uncompressed trace."""
    from tb_perfcompare.analysis.compat import answer, read_compat
    from tb_perfcompare.sources.trace.torch_profiler import read_events

    lines = []
    for trace in traces:
        profile = read_compat(read_events(io.BytesIO(trace)))
        lines += [json.dumps(answer(profile, route)) for route in ROUTES]
    return ("\n".join(lines) + "\n").encode()
