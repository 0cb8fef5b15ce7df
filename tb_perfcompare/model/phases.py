"""Names of per-cycle tables, `<job>[_prefill|_decode|_layer]`, and which of two recordings go together.

Servers prefill and decode; a recording is of either phase or of both together (docs/inputs/perf_data.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

NORMAL, ABNORMAL = "normal_perf_data", "abnormal_perf_data"
"""Names of the two folders of a case."""

MOST_CHOICES = 2
"""Names that a partner may have."""

_PHASES = re.compile(r"(?:_prefill|_decode|_layer)*$")


def phase_of(stem: str) -> str:
    """ "_decode" of "job_decode", "" of "job"; a name may end in several phases."""
    found = _PHASES.search(stem)
    return found.group() if found else ""


def partners_of(stem: str) -> Iterator[str]:
    """Names that go with a table, best first. Tables of layers are of no use to one another: none."""
    phase = phase_of(stem)
    job = stem.removesuffix(phase) if phase else stem
    if phase in ("", "_prefill", "_decode"):
        yield stem
    if phase == "":
        yield f"{job}_decode"
    if phase == "_decode":
        yield job
