"""Names of per-cycle tables, `<job>[_prefill|_decode|_layer]`, and which two recordings to compare.

Inference servers prefill and decode; a recording covers one phase or both (docs/inputs/perf_data.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from tb_perfcompare.lazy_regex import regex

NORMAL, ABNORMAL = "normal_perf_data", "abnormal_perf_data"
"""Names of a case's two folders."""

MAX_CHOICES = 2
"""Maximum number of partner names per table."""

_PHASES = regex(r"(?:_prefill|_decode|_layer)*$")


def phase_of(stem: str) -> str:
    """Phase suffix of a name: "_decode" for "job_decode", "" for "job"; a name may end in several phases."""
    match = _PHASES.search(stem)
    return match.group() if match else ""


def partners_of(stem: str) -> Iterator[str]:
    """Names of tables to compare with this one, best first. None for tables of layers, which cannot be compared."""
    phase = phase_of(stem)
    job = stem.removesuffix(phase) if phase else stem
    if phase in ("", "_prefill", "_decode"):
        yield stem
    if phase == "":
        yield f"{job}_decode"
    if phase == "_decode":
        yield job
