"""Time of ledger entities in uninterrupted steps: locates a program's change on a shared machine."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.pace.clocked import by_captures
from tb_perfcompare.comparison.pace.split import CommonWork
from tb_perfcompare.comparison.pace.step_cells import fastest_calls
from tb_perfcompare.comparison.pace.uninterrupted_steps import UninterruptedSteps
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.finding import UNINTERRUPTED_TABLE, UninterruptedPart
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.statistics.between_captures import gaps
from tb_perfcompare.model.arrays import Floats, unique
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOTHING_RECORDED

_MIN_NS = 1.0

_Key = tuple[str, str]


def uninterrupted_parts(work: CommonWork) -> tuple[UninterruptedPart, ...]:
    """Parts of uninterrupted steps, by category and entity, at one pace over all captures; time between recorded
    events is one part. Empty if there are no such steps."""
    uninterrupted = None if work.clocked is None else work.clocked.uninterrupted
    if uninterrupted is None:
        return ()
    index: dict[_Key, int] = {}
    paces = by_captures(uninterrupted).followers[0].pace.log
    sides = [_of_side(uninterrupted, side, paces[side], index) for side in (0, 1)]
    (ns_a, calls_a), (ns_b, calls_b) = (
        [np.pad(rows, ((0, len(index) - len(rows)), (0, 0))) for rows in side] for side in sides
    )
    one, two = (np.log(np.maximum(side, _MIN_NS)) for side in (ns_a, ns_b))
    apart = gaps(one, two)
    means = [side.mean(axis=1).tolist() for side in (calls_a, calls_b, ns_a, ns_b)]
    return tuple(
        UninterruptedPart(category, entity, (often_a, often_b), (a / 1000, b / 1000), gap)
        for (category, entity), often_a, often_b, a, b, gap in zip(index, *means, apart.tolist(), strict=True)
    )


def uninterrupted_categories(steps: UninterruptedSteps) -> tuple[Floats, Floats]:
    """(8, k), (8, l) ns per uninterrupted step of each capture by category, at one pace over all captures."""
    paces = by_captures(steps).followers[0].pace.log
    sums = []
    for side in (0, 1):
        index: dict[_Key, int] = {}
        ns, _ = _of_side(steps, side, paces[side], index)
        by_category = np.zeros((len(CATEGORY_LABELS), ns.shape[1]))
        np.add.at(by_category, [CATEGORY_LABELS.index(category) for category, _ in index], ns)
        sums.append(by_category)
    return sums[0], sums[1]


def _of_side(steps: UninterruptedSteps, side: int, pace: Floats, index: dict[_Key, int]) -> tuple[Floats, Floats]:
    """(e, k) ns per step and calls per step of the entities in each capture; new entities are added to `index`."""
    found = fastest_calls(steps.wholes[side], steps.kept[side])
    named, keys = steps.wholes[side].named, steps.parts[side].keys
    numbers = np.zeros(len(named), dtype=np.int64)
    for number in unique(found.part).tolist():
        category, entity, *_ = keys[int(named[number])]
        numbers[number] = index.setdefault((category, entity), len(index))
    shape = len(index), len(pace)
    at = numbers[found.part] * len(pace) + found.place
    ns, calls = (
        np.bincount(at, weights=of, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
        for of in (found.calls * found.each_ns, found.calls)
    )
    return ns / np.exp(pace), calls


def uninterrupted_table(parts: tuple[UninterruptedPart, ...]) -> Table | None:
    """Table with one row per category and entity, the largest change first; None without parts."""
    if not parts:
        return None
    a_calls, b_calls = columns.calls("Calls")
    shown = (
        columns.key("name", "Name", "entry of the ledger; (nothing recorded): time between events"),
        columns.key("category", "Category", "category of step time"),
        *columns.triple("", "", "Time without interruptions"),
        a_calls,
        b_calls,
        columns.text(
            "captures", "Captures",
            "apart: every capture of one side is slower than all others, by more than captures of a side differ",
        ),
    )  # fmt: skip
    ordered = sorted(parts, key=lambda part: (-abs(part.delta_us), part.category, part.entity))
    rows = tuple(
        (
            part.entity, part.category, *part.us, part.delta_us,
            *((None, None) if part.entity == NOTHING_RECORDED else part.calls), "apart" if part.gap else "overlap",
        )
        for part in ordered
    )  # fmt: skip
    note = (
        "Each part of a step from its fastest quarter of the steps, mean of all captures at equal machine speed: this "
        "leaves out interruptions by other processes."
    )
    return Table(UNINTERRUPTED_TABLE, "Without interruptions", shown, rows, (note,))
