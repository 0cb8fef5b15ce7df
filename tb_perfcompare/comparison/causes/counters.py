"""Counters that moved, as findings of their own and as clauses of others. Definitions: docs/method/findings.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tb_perfcompare.comparison.causes.evidence.rule import Recorded, Rule
from tb_perfcompare.comparison.result.finding import REPEATABILITY_UNKNOWN, Evidence, Finding
from tb_perfcompare.comparison.result.wording import p_text, percent_text
from tb_perfcompare.comparison.tables.counter_join import CounterChange
from tb_perfcompare.model.recordings.cycles import HOST
from tb_perfcompare.number_text import number

MOVED = 0.1
"""A counter moved if the change is at least this share of the larger mean ..."""

MAX_COUNTERS = 5
"""... and at most this many are reported."""

INTERPOLATED_BELOW = 0.5
"""Below this coverage a mean is called interpolated."""

ROW_SEPARATOR = " › "
"""Separator of the key columns of a row in evidence."""

_CLOCK = "frequency"
_CLOCKS = "power and temperature limits, clock settings, idle states"

COUNTER_MOVED = Rule(
    names=("counter_moved",),
    meaning="a counter of a device or of the host moved",
    when="The means differ significantly and by at least a tenth of the larger one: q over all "
    "[counters](../inputs/counters.md) is at most alpha. For a clock, complete separation is enough",
    look_at="what else ran at that time",
    recorded=Recorded.COUNTERS,
)

_DECIMAL = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def moved_counters(changes: Iterable[CounterChange], alpha: float) -> tuple[CounterChange, ...]:
    """Counters of both sides whose means per step differ significantly and by enough to matter: clocks first, then
    by relative change. Significant means q at most alpha; for a clock also complete separation, if its probability
    by chance is at most alpha. Usage drifts with time, so its separation means nothing. With fewer than two values
    on a side size alone decides."""
    moved = [row for row in changes if row.relative >= MOVED and _is_clear(row, alpha)]
    return tuple(sorted(moved, key=lambda row: (_CLOCK not in row.counter, -row.relative, row.counter, row.device)))


def _is_clear(row: CounterChange, alpha: float) -> bool:
    apart = _CLOCK in row.counter and row.apart is not None and row.apart <= alpha
    return row.q is None or row.q <= alpha or apart


def counter_findings(moved: tuple[CounterChange, ...], alpha: float, room: int) -> tuple[Finding, ...]:
    """Findings on counters, at most `room`; counters that repeat another's figures on the same device are left out."""
    return tuple(_finding(row, alpha) for row in list(distinct(moved))[: max(0, min(room, MAX_COUNTERS))])


def distinct(moved: tuple[CounterChange, ...]) -> Iterator[CounterChange]:
    """Yields the counters without those that repeat another's figures under a different name, as a clock and its SM
    clock do."""
    seen = set()
    for row in moved:
        assert row.baseline is not None and row.candidate is not None
        figures = (row.device, row.unit, row.baseline.mean, row.candidate.mean)
        if figures not in seen:
            seen.add(figures)
            yield row


def counter_text(row: CounterChange) -> str:
    """Change of a counter: "gpu_frequency of GPU 7 1,155 → 210 MHz (interpolated)"."""
    assert row.baseline is not None and row.candidate is not None
    mark = " (interpolated)" if _is_interpolated(row) else ""
    return f"{_named(row)} {_amounts(row.baseline.mean, row.candidate.mean, row.unit)}{mark}"


def counter_evidence(row: CounterChange) -> Evidence:
    """Evidence that points to the counter's row in the table."""
    return Evidence("counters", ROW_SEPARATOR.join((row.counter, row.device, row.unit)))


def _finding(row: CounterChange, alpha: float) -> Finding:
    assert row.baseline is not None and row.candidate is not None
    change = f" ({percent_text(row.percent, signed=True)})" if row.percent is not None else ""
    amounts = _amounts(row.baseline.mean, row.candidate.mean, row.unit)
    if row.q is None:
        sure = f"size as recorded, {REPEATABILITY_UNKNOWN} (fewer than two values on a side)"
    else:
        how = "no overlap between the sides" if row.apart is not None else "significant"
        alike = "" if row.q <= alpha else "; neighboring values are correlated"
        sure = f"{how} (adjusted {p_text(row.q)} over all counters{alike})"
    if _is_interpolated(row):
        sure += "; mostly interpolated between samples"
    return Finding(
        rule=COUNTER_MOVED.names[0],
        subject=_named(row),
        category="Counter",
        delta_us=None,
        share=None,
        sentence=f"Counter {_named(row)}: {amounts}{change}.",
        evidence=(counter_evidence(row),),
        confidence=sure,
        look_at=_CLOCKS if _CLOCK in row.counter else COUNTER_MOVED.look_at,
    )


def _named(row: CounterChange) -> str:
    return f"{row.counter} of {'the host' if row.device == HOST else row.device}"


def _is_interpolated(row: CounterChange) -> bool:
    sides = (row.baseline, row.candidate)
    return any(s is not None and s.coverage is not None and s.coverage < INTERPOLATED_BELOW for s in sides)


def _amounts(x: float, y: float, unit: str) -> str:
    """Two amounts with their unit: "1,155 → 210 MHz"; bytes in the decimal unit that fits the larger."""
    if unit.startswith("bytes"):
        for scale, prefix in _DECIMAL:
            if max(abs(x), abs(y)) >= scale:
                return f"{number(x / scale)} → {number(y / scale)} {prefix}B{unit.removeprefix('bytes')}"
    return f"{number(x)} → {number(y)}" + (f" {unit}" if unit not in ("", "raw", "fraction") else "")
