"""Tables that are not groups: categories, steps, device figures, environment, recommendations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.caveats import merged
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.comparison.result.wording import of_cpu_alone, setting_value, setting_words
from tb_perfcompare.comparison.tables.counter_join import device_labels
from tb_perfcompare.comparison.verdict.category_shifts import CategoryShift
from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.summary import BOUND, BOUND_CLASSES, CYCLE_TIME, Summary
from tb_perfcompare.units import Better

_OWNED = f"Exposed time: every instant of a step belongs to exactly one category ({' > '.join(CATEGORY_LABELS)})."


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
        columns.key("category", "Category", "category of step time"),
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
    return Table("categories", "Step time by category", table_columns, tuple(rows), notes)


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


BOUND_WHAT = (
    "limiting resource: a tensor-bound (memory-bound) launch keeps the tensor pipe (the memory) busy for at "
    f"least {100 * BOUND:g} % of its peak"
)


def bound_table(baseline: Summary, candidate: Summary) -> Table | None:
    """Table of device time per step by what limits it; None if a side's launches have no utilisation."""
    if not baseline.bound_ns or not candidate.bound_ns:
        return None
    rows: list[tuple[Cell, ...]] = []
    for name in BOUND_CLASSES:
        x = baseline.bound_ns.get(name, 0) / len(baseline.steps) / 1000
        y = candidate.bound_ns.get(name, 0) / len(candidate.steps) / 1000
        if x or y:
            rows.append((name, x, y, y - x))
    shown = (columns.key("class", "Bound by", BOUND_WHAT), *columns.triple("", "", "Device time"))
    return Table("bound", "What limits the launches", shown, tuple(rows), (BOUND_WHAT,))


_METRICS = {
    "tensor_active": (
        "Tensor pipe active",
        "busy time of the tensor pipe over kernel time, weighted by time",
        Better.HIGHER,
    ),
    "dram_active": ("DRAM throughput", "fraction of peak memory throughput, weighted by time", Better.HIGHER),
    "unused_headroom": (
        "Unused headroom",
        "1 - the busier of tensor pipe and memory, weighted by time",
        Better.LOWER,
    ),
    "utilisation": ("Utilisation", "fraction of the compared window in which at least one kernel runs", Better.HIGHER),
    "sm_efficiency": (
        "Est. SM efficiency",
        "mean over time of min(1, blocks per SM of the running kernels)",
        Better.HIGHER,
    ),
    "occupancy": ("Est. achieved occupancy", "estimated occupancy of kernels, mean weighted by time", Better.HIGHER),
    "tensor_core_share": (
        "Tensor-core share",
        "fraction of kernel time in kernels whose names show tensor core use",
        Better.HIGHER,
    ),
}


def device_table(baseline: Summary, candidate: Summary) -> Table | None:
    """Table of device figures joined by metric and device; devices are named as in the table of counters."""
    sides = baseline, candidate
    labels = device_labels(*(dict.fromkeys(metric.device for metric in side.device_metrics) for side in sides))
    a, b = (_metrics(side, names) for side, names in zip(sides, labels, strict=True))
    keys = list(dict.fromkeys([*a, *b]))
    if not keys:
        return None
    rows: list[tuple[Cell, ...]] = []
    silent = [
        f"the {side} recorded the CPU alone"
        for side, own in zip(SIDES, sides, strict=True) if not own.has_device
    ]  # fmt: skip
    for key in keys:
        x, y = a.get(key), b.get(key)
        delta = y[1] - x[1] if x and y and x[1] is not None and y[1] is not None else None
        why = "; ".join([*silent, *dict.fromkeys(side[2] for side in (x, y) if side and side[2])])
        label = _METRICS[key[1]][0] if key[1] in _METRICS else key[1]
        figures = (side[part] if side else None for part in (0, 1) for side in (x, y))
        rows.append((key[0], label, *figures, delta, why))
    shown = (
        columns.key(
            "device", "Device", "device name; GPU #1, GPU #2, ... if the two sides number them differently"
        ),
        columns.key("metric", "Metric", "; ".join(f"{label}: {what}" for label, what, _ in _METRICS.values())),
        *columns.sides(columns.text, "device", "Device", "device of the {side}", shown=False),
        *columns.sides(columns.fraction, "", "", "value in the {side}", sided=True, better=Better.HIGHER),
        columns.fraction("delta", "Δ", "candidate minus baseline", role="delta", better=Better.HIGHER),
        columns.text("reason", "Not measured because", "reason why the value is missing"),
    )
    pairs = ((row[0], row[2], row[3]) for row in rows if row[2] and row[3] and row[2] != row[3])
    unlike = tuple(f"{label} is {x} of the baseline and {y} of the candidate." for label, x, y in dict.fromkeys(pairs))
    return Table("device", "Device summary", shown, tuple(rows), ("Figures cover the compared window only.", *unlike))


def _metrics(summary: Summary, names: dict[str, str]) -> dict[tuple[str, str], tuple[str, float | None, str]]:
    return {
        (names[metric.device], metric.name): (metric.device, metric.value, metric.reason)
        for metric in summary.device_metrics
    }


SETTING_NAMES = "device.*: deviceProperties; version.*: libraries; profiler.*: recording flags; distributed.*: ranks"


def environment_table(baseline: Summary, candidate: Summary) -> Table:
    """Table of the recorded environments; differences first."""
    a, b = dict(baseline.environment), dict(candidate.environment)
    keys = list(dict.fromkeys([*a, *b]))
    rows: list[tuple[Cell, ...]] = [
        (
            setting_words(key), key,
            *(setting_value(key, side[key]) if key in side else None for side in (a, b)),
            a.get(key) == b.get(key),
        )
        for key in keys
    ]
    rows.sort(key=lambda row: bool(row[-1]))
    shown = (
        columns.key("setting", "Setting", "setting of the recording environment"),
        columns.text("name", "Name", SETTING_NAMES, shown=False),
        *columns.sides(columns.text, "", "", "value in the {side}'s trace; empty if not recorded"),
        columns.flag("same", "Same", "whether both traces have the same value"),
    )
    return Table("environment", "Environment", shown, tuple(rows))


def recommendations_table(baseline: Summary, candidate: Summary) -> Table:
    """Table of advice on each run, merged over its recordings; advice for both runs has one row."""
    a, b = (merged(side.recommendations) for side in (baseline, candidate))
    rows: list[tuple[Cell, ...]] = [
        (text, "both" if text in a and text in b else "baseline" if text in a else "candidate")
        for text in dict.fromkeys([*a, *b])
    ]
    shown = (
        columns.key("text", "Recommendation", "advice from fixed thresholds on the run's own figures"),
        columns.text("side", "Side", "side that the advice is about: baseline, candidate or both"),
    )
    return Table("recommendations", "Recommendations", shown, tuple(rows))


def mean_us(summary: Summary) -> float:
    """Mean step time in microseconds."""
    return float(np.mean(summary.steps.total_ns)) / 1000
