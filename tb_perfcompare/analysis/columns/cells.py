"""Sums per row and step over millions of events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.native_passes import compiled
from tb_perfcompare.analysis.columns.numbering import Chosen, numbered_pairs, scatter_add
from tb_perfcompare.model.summary.split_time import SplitCells, Values, add_cells

Cells: TypeAlias = tuple[Chosen, Chosen, "Chosen | None"]
"""(rows, steps, values); values None means 1 for each. Entries with a negative row or step are not counted."""

_SMALL = 1 << 16


def added_cells(count: int, steps: int, timed: Sequence[Cells], called: Sequence[Cells]) -> SplitCells:
    """Sums times and calls of `count` rows by step, as add_cells of model/summary/split_time.py does."""
    if compiled() is None:
        return add_cells(count, [_counted(*part) for part in timed], [_counted(*part) for part in called])
    size = count * steps
    if size > _SMALL and size > sum(_length(row) for row, _, _ in (*timed, *called)):
        return _sparse_sums(count, steps, timed, called)
    time, calls = (np.zeros((count, steps), dtype=np.int64) for _ in range(2))
    for sums, parts in ((time, timed), (calls, called)):
        for row, step, values in parts:
            sums += scatter_add(row, count, step, steps, values)
    code = np.flatnonzero((time != 0) | (calls != 0))
    return SplitCells(count, code // steps, code % steps, time.ravel()[code], calls.ravel()[code])


def _sparse_sums(count: int, steps: int, timed: Sequence[Cells], called: Sequence[Cells]) -> SplitCells:
    """Computes the sums with memory only for cells that occur."""
    parts = [_counted(*part) for part in (*timed, *called)]
    rows, within = (np.concatenate([part[i] for part in parts]) for i in range(2))
    code, place = numbered_pairs(rows, count, within, steps)
    del rows, within
    time, calls = np.zeros(len(code), dtype=np.int64), np.zeros(len(code), dtype=np.int64)
    begin = 0
    for number, (row, _, values) in enumerate(parts):
        sums = time if number < len(timed) else calls
        sums += scatter_add(place[begin : begin + len(row)], len(code), value=values)[:, 0]
        begin += len(row)
    nonzero = np.flatnonzero((time != 0) | (calls != 0))
    code = code[nonzero]
    return SplitCells(count, code // max(steps, 1), code % max(steps, 1), time[nonzero], calls[nonzero])


def _length(chosen: Chosen) -> int:
    return len(chosen[1] if isinstance(chosen, tuple) else chosen)


def _counted(row: Chosen, step: Chosen, values: Chosen | None) -> Values:
    """Returns the values behind any indices, without entries that are not counted."""
    rows, within = _values(row), _values(step)
    counted = np.flatnonzero((rows >= 0) & (within >= 0))
    weights = np.ones(len(counted), dtype=np.int64) if values is None else _values(values, np.int64)[counted]
    return rows[counted], within[counted], weights


def _values(chosen: Chosen, dtype: type[np.generic] = np.int32) -> NDArray[Any]:
    values, at = chosen if isinstance(chosen, tuple) else (chosen, None)
    values = values.astype(dtype, copy=False)
    return values if at is None else np.where(at >= 0, values[at], values.dtype.type(-1))
