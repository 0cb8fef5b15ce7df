"""Tables of steps: main figures of a run, time by category, every step; of two sides or of one run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.comparison.result.wording import noun_of, of_cpu_alone
from tb_perfcompare.comparison.verdict.category_shifts import CategoryShift
from tb_perfcompare.model.arrays import Floats, Ints, median
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.summary import CYCLE_TIME, KERNEL_TIME, Summary

_OWNED = f"Exposed time: every instant of a step belongs to exactly one category ({' > '.join(CATEGORY_LABELS)})."
_BY_CATEGORY = "Step time by category"
_CATEGORY = columns.key("category", "Category", "category of step time")
READING = "Corrected reading (docs/method/corrected_reading.md); `--compat` shows torch-tb-profiler's."
"""Note of tables of one run, made from traces."""


def overview(summary: Summary) -> Table | None:
    """Table of the run's main figures; None without step times."""
    if not summary.is_timed:
        return None
    steps = summary.steps
    cycles = summary.metric == CYCLE_TIME
    noun = noun_of(summary.metric)
    rows: list[tuple[Cell, ...]] = [
        (f"Mean {noun} time", _mean_us(summary), "us"),
        (f"Median {noun} time", float(median(steps.total_ns)) / 1000, "us"),
        (f"Shortest {noun}", int(steps.total_ns.min()) / 1000, "us"),
        (f"Longest {noun}", int(steps.total_ns.max()) / 1000, "us"),
        (f"{noun.capitalize()}s", len(steps), "count"),
        (f"{noun.capitalize()}s left out", len(summary.dropped), "count"),
    ]
    notes: tuple[str, ...] = ()
    if summary.metric == KERNEL_TIME:
        rows = [("Kernel time", _mean_us(summary), "us"), ("Launches", int(steps.launches.sum()), "count")]
    rows += [("Captures", len(summary.captures), "count"), ("Devices at work", summary.device.count, "count")]
    if summary.metric == KERNEL_TIME:
        what = "a listing has no steps"
    elif cycles:
        rows += [(f"Functions of type {kind}", value, "us") for kind, value in _type_us(summary)]
        what, notes = "functions are summed over threads and streams", ("Functions overlap and may exceed the cycle.",)
    else:
        rows += [(label, value, "us") for label, value in _category_us(summary)]
        what, notes = "categories are exposed time per step", (f"Step windows: {summary.window}.",)
    shown = (
        columns.key("figure", "Figure", "quantity measured"),
        columns.number("value", "Value", "", f"value, in the row's unit; {what}"),
        columns.text("unit", "Unit", "unit of the value"),
    )
    return Table("overview", "Overview", shown, tuple(rows), (READING, *notes))


def _type_us(summary: Summary) -> list[tuple[str, float]]:
    """Time per cycle by type of function, largest first."""
    table = summary.groups.get("functions")
    total: dict[str, int] = {}
    times = table.measures_ns["total"].sum(axis=1).tolist() if table is not None else []
    for (_, kind), time in zip(table.keys if table is not None else (), times, strict=True):
        total[kind] = total.get(kind, 0) + time
    ranked = sorted(total.items(), key=lambda item: (-item[1], item[0]))
    return [(kind, time / len(summary.steps) / 1000) for kind, time in ranked]


def _category_us(summary: Summary) -> list[tuple[str, float]]:
    """Time per step of the recorded categories."""
    per_step = summary.owned.by_category().sum(axis=1) / len(summary.steps) / 1000
    named = zip(CATEGORY_LABELS, per_step.tolist(), strict=True)
    return [(label, value) for label, value in named if label not in summary.not_recorded]


def categories_table(ledger: Ledger, moves: Mapping[str, CategoryShift]) -> Table:
    """Table of the recorded categories per step; deltas sum to the headline's."""
    unit = ledger.denominator * 1000
    has_pace = any(move.paced_us is not None for move in moves.values())
    rows: list[tuple[Cell, ...]] = []
    for row in ledger.heads:
        label = row.path[0]
        there = ledger.recorded(label)
        if not any(there):
            continue
        move = moves.get(label, CategoryShift())
        rows.append(
            (
                label,
                row.baseline / unit if there[0] else None,
                row.candidate / unit if there[1] else None,
                row.delta / unit,
                row.delta / ledger.delta if ledger.delta else None,
                row.baseline / ledger.baseline if ledger.baseline and there[0] else None,
                row.candidate / ledger.candidate if ledger.candidate and there[1] else None,
                row.count_effect / unit,
                row.rate_effect / unit,
                move.p,
                move.q,
                move.shift_us,
                move.low_us,
                move.high_us,
                *((move.paced_us, move.paced_p, move.paced_low_us, move.paced_high_us) if has_pace else ()),
            )
        )
    table_columns = (
        _CATEGORY,
        *columns.triple("", "", "Exposed time"),
        columns.SHARE,
        *columns.sides(columns.fraction, "share", "Of step", "fraction of the {side}'s step time"),
        columns.COUNT_EFFECT,
        columns.RATE_EFFECT,
        columns.number("p", "p", "", "two-sided p of the per-step times; empty if a side has one step", shown=False),
        columns.q("categories", shown=False),
        *columns.interval("", ""),
        *((*columns.AT_EQUAL_SPEED, *columns.SHIFT_AT_EQUAL_SPEED) if has_pace else ()),
    )
    notes = (_OWNED, *of_cpu_alone(ledger), columns.CORRECTED)
    return Table("categories", _BY_CATEGORY, table_columns, tuple(rows), notes)


def own_categories(summary: Summary) -> Table | None:
    """Table of step time by category; None without step times, or if functions overlap."""
    if not summary.is_timed or summary.metric == CYCLE_TIME:
        return None
    total = _mean_us(summary)
    rows = tuple((label, value, value / total if total else None) for label, value in _category_us(summary))
    shown = (
        _CATEGORY,
        columns.time("mean_us", "Mean", f"exposed time, {columns.PER_STEP}"),
        columns.fraction("share", "Share", "fraction of step time; sums to 1"),
    )
    return Table("categories", _BY_CATEGORY, shown, rows, (READING,))


def steps_table(sides: dict[str, Summary], at_one_pace_ns: tuple[Floats, Floats] | None = None) -> Table:
    """Table of every step of both sides in order, those left out last, with the ledger categories of each.
    `at_one_pace_ns` (n,), (m,): times of the compared steps at equal machine speed, None if not known."""
    cycles = any(summary.metric == CYCLE_TIME for summary in sides.values())
    words = ("Step", "number of the step marker", "Step time", "duration of the step window")
    if cycles:
        words = ("Cycle", "number of the cycle in the input table", "Cycle time", "duration of the cycle")
    further = [] if cycles else _split_times(sides.values())
    if at_one_pace_ns is not None:
        what = f"{words[2].lower()} at equal machine speed"
        further.append((columns.time("at_one_pace_us", "At equal speed", what, shown=False), at_one_pace_ns))
    table_columns = (
        columns.key("side", "Side", "baseline or candidate"),
        columns.key("capture", "Capture", "run / worker / span that recorded the step"),
        columns.key("step", words[0], words[1]),
        columns.time("total_us", words[2], words[3]),
        columns.count("launches", "Device events", "kernels, copies and sets that the step launched"),
        *(column for column, _ in further),
        columns.flag("admitted", "Compared", "whether the step is part of the comparison"),
        columns.text("reason", "Reason", "reason why the step is left out; empty if compared"),
    )
    rows: list[tuple[Cell, ...]] = []
    for number, (side, summary) in enumerate(sides.items()):
        ranks = len({capture.worker for capture in summary.captures})
        mean = None if summary.ranks is None else f"mean of {ranks} ranks"
        names = [f"{c.run}/{mean or c.worker}/{c.span}" for c in summary.captures]
        steps, counts = summary.steps, summary.counts_launches and summary.has_device
        times = [figures[number] for _, figures in further]
        for at, (capture, label) in enumerate(zip(steps.capture.tolist(), steps.label, strict=True)):
            launches = int(steps.launches[at]) if counts else None
            own = (None if ns is None else float(ns[at]) / 1000 for ns in times)
            rows.append((side, names[capture], label, int(steps.total_ns[at]) / 1000, launches, *own, True, ""))
        for step in summary.dropped:
            none: tuple[Cell, ...] = (None,) * len(further)
            rows.append((side, names[step.capture], step.label, step.total_ns / 1000, None, *none, False, step.reason))
    return Table("steps", "Steps", table_columns, tuple(rows))


def _split_times(sides: Collection[Summary]) -> list[tuple[Column, Sequence[Floats | Ints | None]]]:
    """Columns with parts of each step: nanoseconds of each side, None for what it cannot have recorded."""
    owned = [side.owned.by_category() for side in sides]
    parts: list[tuple[Column, Sequence[Floats | Ints | None]]] = []
    for category, label in enumerate(CATEGORY_LABELS):
        name, what = f"{label.lower().replace(' ', '_')}_us", f"exposed {label} time of the step"
        times = [None if label in side.not_recorded else own[category] for side, own in zip(sides, owned, strict=True)]
        parts.append((columns.time(name, label, what, shown=False), times))
    what = "exposed time of device work that an earlier step launched"
    backlog = columns.time("backlog_us", "Backlog", what, shown=False)
    return [*parts, (backlog, [side.steps.backlog_ns for side in sides])]


def _mean_us(summary: Summary) -> float:
    return float(np.mean(summary.steps.total_ns)) / 1000
