"""Draws the times of all steps in order, A left and B right on the same scale, a line per capture; steps that are not
compared are hollow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from statistics import median

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.printable import printable
from tb_perfcompare.render.svg_axis import Axis

_HEIGHT = 130
_MAX_DOTS = 1500
"""Maximum number of dots per side."""
_LETTERS = {"baseline": "a", "candidate": "b"}


@dataclass(frozen=True, slots=True)
class Step:
    capture: str
    label: str
    total_us: float
    is_compared: bool


def steps_of(table: Table, side: str) -> list[Step]:
    """Returns the side's steps that have a time, in the order of the table."""
    index_of = table.places
    rows = [row for row in table.rows if row[index_of["side"]] == side]
    return [
        Step(str(row[index_of["capture"]]), str(row[index_of["step"]]), float(total), bool(row[index_of["admitted"]]))
        for row in rows
        if isinstance(total := row[index_of["total_us"]], int | float)
    ]


def places_of(steps: Sequence[Step]) -> list[int]:
    """Returns the horizontal position of each step: the rank of its number, so that captures overlay each other, or its
    index if not all labels are numbers."""
    if not all(step.label.isdecimal() for step in steps):
        return list(range(len(steps)))
    order = {number: rank for rank, number in enumerate(sorted({int(step.label) for step in steps}))}
    return [order[int(step.label)] for step in steps]


def step_strip(table: Table, noun: str) -> str:
    """Returns the drawing with a summary per side as HTML; "" if no side has two compared steps. `noun` is "step" or
    "cycle"."""
    sides = {side: steps_of(table, side) for side in _LETTERS}
    compared_us = {side: [step.total_us for step in steps if step.is_compared] for side, steps in sides.items()}
    if max(map(len, compared_us.values())) < 2:
        return ""
    times = number_text.time_scale(max(max(own, default=0.0) for own in compared_us.values()))
    axis = _axis([us * times.factor for own in compared_us.values() for us in own])
    ticks = [(100 - axis.share(tick), label) for tick, label in axis.ticks(4)]
    labels = "".join(
        f'<text x="34" y="{position:.1f}%" dy="4" text-anchor="end">{label}</text>' for position, label in ticks
    )
    lines = "".join(
        f'<line class="grid-line" x1="0" x2="100%" y1="{position:.1f}%" y2="{position:.1f}%"/>' for position, _ in ticks
    )
    lanes = "".join(_lane(_LETTERS[side], steps, axis, times.factor, lines) for side, steps in sides.items())
    summaries = "".join(
        f"<p>{_summary_text(side, steps, compared_us[side], noun)}</p>" for side, steps in sides.items()
    )
    beyond = sum(us * times.factor > axis.high for own in sides.values() for us in (step.total_us for step in own))
    notes = [f"Time of each {noun} in {times.symbol}, in order."]
    if beyond:
        notes.append(f"{number_text.many(beyond, noun)} beyond the axis.")
    if any(not step.is_compared for steps in sides.values() for step in steps):
        notes.append("Hollow: not compared.")
    return (
        f'<div class="strip"><svg width="40" height="{_HEIGHT}" aria-hidden="true">{labels}</svg>{lanes}'
        f'<p></p>{summaries}</div>\n<p class="notes">{" ".join(notes)}</p>'
    )


def _axis(times: Sequence[float]) -> Axis:
    """Returns an axis that contains the times of all compared steps; other steps beyond it are drawn at its end."""
    low, high = min(times), max(times)
    pad = max(0.08 * (high - low), 0.01 * high) or 1.0
    return Axis(max(0.0, low - pad), high + pad)


def _lane(letter: str, steps: Sequence[Step], axis: Axis, factor: float, lines: str) -> str:
    """Draws one side's steps in a viewBox of 1000 x 100 that is stretched to the available size, strokes excepted."""
    across = places_of(steps)
    slot = 1000 / (max(across, default=0) + 1)
    drawn = sorted(_drawn(steps), key=lambda step: across[step[0]])
    places = {
        index: ((across[index] + 0.5) * slot, 100 - axis.share(step.total_us * factor)) for index, step in drawn
    }  # fmt: skip
    runs: dict[str, list[str]] = {}
    for index, step in drawn:
        runs.setdefault(step.capture, []).append("{:.1f} {:.1f}".format(*places[index]))
    joined = "".join(f'<path class="line" d="M{"L".join(run)}"/>' for run in runs.values() if len(run) > 1)

    def dots(name: str, chosen: list[int]) -> str:
        spots = "".join("M{:.1f} {:.1f}h0".format(*places[index]) for index in chosen)
        return f'<path class="{name}" d="{spots}"/>' if spots else ""

    left_out = [index for index, step in drawn if not step.is_compared]
    marks = dots("dots", [index for index, _ in drawn]) + dots("hole", left_out)
    box = 'viewBox="0 0 1000 100" preserveAspectRatio="none" width="100%" height="100%"'
    return (
        f'<div class="lane {letter}"><svg width="100%" height="{_HEIGHT}" role="img" '
        f'aria-label="{len(steps):,} steps of {letter.upper()}">{lines}<svg {box}>{joined}{marks}</svg></svg></div>'
    )


def _drawn(steps: Sequence[Step]) -> Iterator[tuple[int, Step]]:
    """Yields (index, step) of the steps to draw: all, or if there are too many the shortest and longest of each
    group."""
    group_size = -(-2 * len(steps) // _MAX_DOTS)
    if group_size <= 2:
        yield from enumerate(steps)
        return
    for start in range(0, len(steps), group_size):
        by_time = sorted(range(start, min(start + group_size, len(steps))), key=lambda index: steps[index].total_us)
        yield from ((index, steps[index]) for index in sorted({by_time[0], by_time[-1]}))


def _summary_text(side: str, steps: Sequence[Step], compared_us: Sequence[float], noun: str) -> str:
    letter = _LETTERS[side]
    badge = f'<b class="badge {letter}">{letter.upper()}</b> '
    if not compared_us:
        return f"{badge}none compared"
    ends = f"{number_text.time(min(compared_us))} to {number_text.time(max(compared_us))}"
    count = f"{len(compared_us):,} of {number_text.many(len(steps), noun)}"
    recordings = len({step.capture for step in steps})
    of = f", {recordings} recordings" if recordings > 1 else ""
    return badge + escape(printable(f"{count}{of}: median {number_text.time(median(compared_us))}, {ends}"))
