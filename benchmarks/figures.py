"""Formats figures: medians with their range over rounds, Markdown tables, and goals with their status."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

MET, MISSED, NOT_JUDGED = "met", "**missed**", "not judged"
VERDICT_HEAD = ("figure", "measured", "goal", "met?")


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal: at least `value`, or at most with `at_most`, or between `least` and `value`; `unit` follows numbers."""

    value: float
    at_most: bool = False
    unit: str = ""
    least: float | None = None

    def __str__(self) -> str:
        if self.least is not None:
            return f"{self.least:g} to {self.value:g}{self.unit}"
        return f"{'≤' if self.at_most else '≥'} {self.value:g}{self.unit}"

    def reached(self, value: float) -> bool:
        """Whether a figure reaches the goal."""
        if self.least is not None:
            return self.least <= value <= self.value
        return value <= self.value if self.at_most else value >= self.value


@dataclass(frozen=True, slots=True)
class Verdict:
    """One figure and its goal. `why_not` says why it is not judged; `more` is appended to the goal's text."""

    figure: str
    values: Sequence[float]
    goal: Goal
    digits: int = 1
    why_not: str = ""
    more: str = ""

    @property
    def state(self) -> str:
        """MET, MISSED, or NOT_JUDGED with the reason."""
        if self.why_not or not self.values:
            return f"{NOT_JUDGED}: {self.why_not or 'no figures'}"
        return MET if self.goal.reached(statistics.median(self.values)) else MISSED

    def row(self) -> list[str]:
        """Cells of the table of goals."""
        shown = f"{spread(self.values, self.digits)}{self.goal.unit}" if self.values else "—"
        return [self.figure, shown, f"{self.goal}{self.more}", self.state]


@dataclass(slots=True)
class Section:
    """The result of one benchmark: tables in Markdown, goals, and notes."""

    name: str
    verdicts: list[Verdict] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def markdown(self, machine: str) -> str:
        """Returns the text between the section's markers in benchmarks/results.md; goals have a table of their own."""
        notes = ["\n".join(f"* {note}" for note in self.notes)] if self.notes else []
        return "\n\n".join([machine, *self.parts, *notes])

    def judged(self) -> str:
        """Returns the table of its goals; "" without any."""
        return table(VERDICT_HEAD, [verdict.row() for verdict in self.verdicts]) if self.verdicts else ""


def spread(values: Sequence[float], digits: int = 1) -> str:
    """Formats the median with the smallest and largest value; the median alone for one value, a dash for none."""
    if not values:
        return "—"
    middle, low, high = (f"{v:,.{digits}f}" for v in (statistics.median(values), min(values), max(values)))
    return middle if len(values) == 1 else f"{middle} ({low}–{high})"


def median(values: Sequence[float], digits: int = 2, factor: float = 1.0) -> str:
    """Formats the median; a dash for no values."""
    return f"{statistics.median(values) * factor:,.{digits}f}" if values else "—"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Renders a Markdown table; the first column is text, the others are numbers."""
    lines = [f"| {' | '.join(head)} |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def geometric_mean(series: Sequence[Sequence[float]]) -> list[float]:
    """Returns per round the geometric mean over several inputs; empty if an input has no values."""
    if not series or any(not one for one in series):
        return []
    return [math.exp(statistics.fmean(map(math.log, values))) for values in zip(*series, strict=False)]


def slope(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Returns the exponent of growth: the slope of a line through log time over log size."""
    return statistics.linear_regression([math.log(s) for s in sizes], [math.log(t) for t in times]).slope
