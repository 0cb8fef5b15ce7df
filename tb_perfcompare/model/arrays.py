"""Types of columns and of indices into them, by what they mean; sorting and thinning them.

Fields that are stored (model/summary) state an element type: one of Ints, Ints32, Floats, Flags, Nanoseconds,
NameIndex, LaneIndex, CaptureIndex. The other indices are of any integers, 32 bits wide where there are many.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Number = TypeVar("Number", bound=np.generic)


def unique(values: NDArray[Number]) -> NDArray[Number]:
    """The different values, ascending. Of numbers without NaN."""
    ordered = np.sort(values, axis=None, kind="stable")
    return ordered[_begins(ordered)]


def unique_places(values: NDArray[Number]) -> tuple[NDArray[Number], Ints]:
    """(the different values, ascending; (n,) place of each value among them)."""
    if not np.any(values[1:] < values[:-1]):  # type: ignore[operator]
        begins = _begins(values)
        return values[begins], np.cumsum(begins) - 1
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = _begins(ordered)
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.cumsum(begins) - 1
    return ordered[begins], place


def unique_first(values: NDArray[Number]) -> tuple[NDArray[Number], Ints, Ints]:
    """(the different values, ascending; where each comes first; how often it comes)."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(_begins(ordered))
    return ordered[begins], order[begins], np.diff(begins, append=len(values))


def median(values: ArrayLike) -> float:
    """np.median's, of one dimension and at least one value; NaN where one is."""
    ordered = np.sort(values, axis=None)
    middle = len(ordered) // 2
    last = float(ordered[-1])
    if last != last:
        return last
    return float(ordered[middle]) if len(ordered) % 2 else (float(ordered[middle - 1]) + float(ordered[middle])) / 2


def row_medians(values: NDArray[Any]) -> Floats:
    """(r, n) -> (r,) the same of each row; n is at least one."""
    ordered = np.sort(values, axis=1)
    middle = ordered.shape[1] // 2
    middles = ordered[:, middle if ordered.shape[1] % 2 else middle - 1 : middle + 1]
    found: Floats = np.where(np.isnan(ordered[:, -1]), np.nan, middles.mean(axis=1))
    return found


def are_in(values: NDArray[Number], wanted: NDArray[Number]) -> Flags:
    """(n,) whether each value is one of the wanted. Of numbers without NaN."""
    ordered = np.sort(wanted)
    place = np.searchsorted(ordered, values)
    found = np.zeros(len(values), dtype=bool)
    inside = np.flatnonzero(place < len(ordered))
    found[inside] = ordered[place[inside]] == values[inside]
    return found


def _begins(ordered: NDArray[Any]) -> Flags:
    """(n,) whether a value differs from the one before."""
    begins = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return begins


Ints: TypeAlias = NDArray[np.int64]
Ints32: TypeAlias = NDArray[np.int32]
AnyInts: TypeAlias = NDArray[np.integer[Any]]
Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]

Nanoseconds: TypeAlias = NDArray[np.int64]
"""Points in time of one clock, or lengths."""

EventIndex: TypeAlias = NDArray[np.integer[Any]]
"""Rows of an EventTable; -1 where there is none."""

StepIndex: TypeAlias = NDArray[np.integer[Any]]
"""Steps of a recording or of a side; -1 outside of all."""

GroupIndex: TypeAlias = NDArray[np.integer[Any]]
"""Rows of a GroupTable, or groups yet to become such rows."""

NodeIndex: TypeAlias = NDArray[np.integer[Any]]
"""Nodes of a tree of calls or modules, or of nested events; -1 above all."""

NameIndex: TypeAlias = NDArray[np.int32]
"""Into the texts of a StringTable."""

TextIndex: TypeAlias = NDArray[np.integer[Any]]
"""Into the texts of a TextPool."""

LaneIndex: TypeAlias = NDArray[np.int32]
"""Rows of a LaneTable."""

CaptureIndex: TypeAlias = NDArray[np.int32]
"""Captures of a side."""


def thinned(curves: tuple[Ints, ...], most: int, cuts: Ints | None = None) -> Ints:
    """Ascending positions: of every stretch the first, the last, and where each curve is highest and lowest.

    `curves` have (n,) values each; up to `most` points stay as they are, longer ones come down to about that many for
    each curve. A stretch never reaches across `cuts`, positions in 0 to n, so that any part between two of them
    still has its extremes; more cuts than points may leave more than `most`.
    """
    n = len(curves[0])
    if n <= most:
        return np.arange(n, dtype=np.int64)
    inner = np.zeros(0, dtype=np.int64) if cuts is None else cuts
    edges = unique(np.concatenate((np.linspace(0, n, most // 2 + 1).astype(np.int64), inner)))
    low, high = edges[:-1], edges[1:]
    kept = [np.array([0, n - 1]), inner[inner < n], inner[inner > 0] - 1]
    for values in curves:
        for extreme in (np.maximum, np.minimum):
            best = extreme.reduceat(values, low)
            is_best = np.flatnonzero(values == np.repeat(best, high - low))
            kept.append(is_best[np.searchsorted(is_best, low)])
    return unique(np.concatenate(kept).astype(np.int64))
