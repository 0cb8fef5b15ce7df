"""Two runs of 6,500 operators, of each of which it is known by how much it changed."""

from __future__ import annotations

from pathlib import Path

from tests.build import TraceBuilder

ROWS = 6_500
STEPS = 3
_STRIDE = 2_749
"""Has no factor in common with ROWS: every operator changes by another amount, in no order of names."""
_EACH_US = 20.0
_LONGEST_US = _EACH_US + 4


def name(number: int) -> str:
    """Numbers as texts are in the order of numbers."""
    return f"aten::op_{number:04d}"


def delta_us(number: int) -> float:
    """Candidate minus baseline per step: from -3.25 to +3.25 us in nanoseconds, no two alike and none of them zero."""
    place = number * _STRIDE % ROWS - ROWS // 2
    return (place + (place >= 0)) / 1_000


def write_long_pair(logdir: Path) -> None:
    """normal/ and abnormal/."""
    for run in ("normal", "abnormal"):
        trace, at = TraceBuilder(), 0.0
        for step in range(STEPS):
            begin = at
            for number in range(ROWS):
                took = _EACH_US + (delta_us(number) if run == "abnormal" else 0)
                trace.op(name(number), at, at + took)
                at += _LONGEST_US
            trace.step(step + 1, begin, at)
        trace.write(logdir / run / "worker0.1700000000001.pt.trace.json")
