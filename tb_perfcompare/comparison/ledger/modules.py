"""The second way to split the step: exposed time by module and category, adding up to the change like the ledger."""

from __future__ import annotations

from math import lcm

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.model.summary.summary import OUTSIDE_MODULES, Summary

NAME = "modules_ledger"

_WHAT = (
    "Exposed time of the innermost module open when the work started or was launched; backward work counts for the "
    "module of its forward operator where the trace links the two. All rows sum to the "
)
_KEYS = (
    columns.key("module", "Module", f"enclosing nn.Module calls, or {OUTSIDE_MODULES}"),
    columns.key("category", "Category", "category of step time"),
)


def module_ledger(baseline: Summary, candidate: Summary) -> Table | None:
    """Table of both sides: rows (module path, category), largest |delta| first; None unless both sides have calls of
    modules."""
    if baseline.modules is None or candidate.modules is None:
        return None
    counts = len(baseline.steps), len(candidate.steps)
    common = lcm(*counts)
    sides = []
    for split, steps in zip((baseline.modules, candidate.modules), counts, strict=True):
        time, _ = split.totals()
        sides.append(dict(zip(split.keys, (time * (common // steps)).tolist(), strict=True)))
    before, after = sides
    change = sum(after.values()) - sum(before.values())
    rows: list[tuple[Cell, ...]] = []
    for key in sorted({*before, *after}, key=lambda key: (-abs(after.get(key, 0) - before.get(key, 0)), key)):
        a, b = before.get(key), after.get(key)
        delta = (b or 0) - (a or 0)
        times = (None if amount is None else amount / common / 1000 for amount in (a, b, delta))
        rows.append((*key, *times, delta / change if change else None, columns.status(a is not None, b is not None)))
    shown = (*_KEYS, *columns.triple("", "", "Exposed time"), columns.SHARE, columns.STATUS)
    return Table(NAME, "Step time by module", shown, tuple(rows), (f"{_WHAT}change of the step.", columns.CORRECTED))


def own_module_ledger(summary: Summary) -> Table | None:
    """Table of one run: rows (module path, category), largest first; None without calls of modules."""
    split, steps = summary.modules, len(summary.steps)
    if split is None:
        return None
    time, _ = split.totals()
    step_time = int(time.sum())
    largest = sorted(zip(split.keys, time.tolist(), strict=True), key=lambda row: (-row[1], row[0]))
    shown = (
        *_KEYS,
        columns.time("mean_us", "Exposed time", f"exposed time, {columns.PER_STEP}"),
        columns.fraction("share", "Share", "fraction of step time; sums to 1"),
    )
    rows = tuple((*key, amount / steps / 1000, amount / step_time if step_time else None) for key, amount in largest)
    return Table(NAME, "Step time by module", shown, rows, (f"{_WHAT}mean step.", columns.CORRECTED))
