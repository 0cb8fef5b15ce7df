"""Array types named by what they hold, and helpers to sort and thin arrays.

Stored fields (model/summary) state an element type: one of Ints, Ints32, Floats, Flags, Nanoseconds, NameIndex,
LaneIndex, CaptureIndex. Other index types accept any integers, 32 bits wide for long columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Number = TypeVar("Number", bound=np.generic)
Value = TypeVar("Value")


def each_side(function: Callable[..., Value], *pairs: Sequence[Any]) -> tuple[Value, Value]:
    """(function of the baseline's values, of the candidate's), one value from each pair."""
    baseline, candidate = zip(*pairs, strict=True)
    return function(*baseline), function(*candidate)


_BITS = 63


def stable_order(values: NDArray[Any]) -> Ints:
    """np.argsort(values, kind="stable"), of unsorted integers in a fifth of the time: numpy sorts numbers faster than
    indices, and a value followed by its index is one number if both fit into 64 bits. Sorts each row of a matrix."""
    count = values.shape[-1]
    bits = count.bit_length()
    if values.dtype.kind == "i" and values.size:
        low = int(values.min())
        if int(values.max()) - low < 1 << (_BITS - bits):
            joined = values.astype(np.int64)
            joined -= low
            joined <<= bits
            joined |= np.arange(count)
            joined.sort()
            joined &= (1 << bits) - 1
            return joined
    return np.argsort(values, kind="stable")


def unique(values: NDArray[Number]) -> NDArray[Number]:
    """Distinct values, ascending. Numbers must not be NaN. np.unique(values) imports numpy.ma."""
    ordered = values.ravel()
    if np.any(ordered[1:] < ordered[:-1]):  # type: ignore[operator]
        ordered = np.sort(ordered)
    return ordered[is_run_start(ordered)]


def unique_places(values: NDArray[Number]) -> tuple[NDArray[Number], Ints]:
    """(distinct values, ascending; (n,) index of each value in them)."""
    if not np.any(values[1:] < values[:-1]):  # type: ignore[operator]
        starts = is_run_start(values)
        return values[starts], np.cumsum(starts) - 1
    order = stable_order(values)
    ordered = values[order]
    starts = is_run_start(ordered)
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.cumsum(starts) - 1
    return ordered[starts], place


def unique_first(values: NDArray[Number]) -> tuple[NDArray[Number], Ints, Ints]:
    """(distinct values, ascending; index of each one's first occurrence; number of occurrences)."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(is_run_start(ordered))
    return ordered[starts], order[starts], np.diff(starts, append=len(values))


_PORTION = 1 << 18


def chunks(count: int) -> Iterator[slice]:
    """Yields consecutive slices of `count` rows, at least one, to limit the size of intermediate arrays: numpy copies
    index arrays into wider ones."""
    for begin in range(0, max(count, 1), _PORTION):
        yield slice(begin, min(begin + _PORTION, count))


def divided(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """(n,) part / whole, NaN where the whole is not above 0."""
    quotient: Floats = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return quotient


MAD_TO_SIGMA = 1.4826
"""Factor from the median absolute deviation of normal values to their standard deviation."""


def median(values: ArrayLike) -> float:
    """Same as np.median for one dimension and at least one value; NaN if any value is NaN."""
    ordered = np.sort(values, axis=None)
    middle = len(ordered) // 2
    last = float(ordered[-1])
    if last != last:
        return last
    return float(ordered[middle]) if len(ordered) % 2 else (float(ordered[middle - 1]) + float(ordered[middle])) / 2


def sample_quantile(values: NDArray[Any], share: float) -> float:
    """Same as np.quantile, which imports numpy.ma, for one dimension and at least one value, none of them NaN."""
    ordered = np.sort(values)
    place = (len(ordered) - 1) * share
    below = int(place)
    beyond = place - below
    low, high = ordered[below].item(), ordered[min(below + 1, len(ordered) - 1)].item()
    return float(high - (high - low) * (1 - beyond) if beyond >= 0.5 else low + (high - low) * beyond)


def quartiles(values: NDArray[Any]) -> tuple[float, float]:
    """First and third quartile by linear interpolation; at least one value."""
    return sample_quantile(values, 0.25), sample_quantile(values, 0.75)


def row_medians(values: NDArray[Any]) -> Floats:
    """(r, n) -> (r,) median of each row, NaN if any value is NaN; n is at least one."""
    ordered = np.sort(values, axis=1)
    middle = ordered.shape[1] // 2
    middles = ordered[:, middle if ordered.shape[1] % 2 else middle - 1 : middle + 1]
    medians: Floats = np.where(np.isnan(ordered[:, -1]), np.nan, middles.mean(axis=1))
    return medians


def weighted_means(values: Floats, weights: Floats | Ints, group: AnyInts, groups: int) -> Floats:
    """(n,) values, NaN for none, with their weights and groups -> (groups,) weighted means, NaN for groups without
    weight."""
    has = np.isfinite(values)
    total = np.bincount(group[has], weights=weights[has], minlength=groups)
    product = np.bincount(group[has], weights=weights[has] * values[has], minlength=groups)
    means: Floats = np.divide(product, total, out=np.full(groups, np.nan), where=total > 0)
    return means


def min_by_target(values: Nanoseconds, into: AnyInts, count: int) -> Ints:
    """(count,) Smallest of the values with each target; the largest int64 for targets without any."""
    out = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(out, into, values)
    return out


def max_by_target(values: Nanoseconds, into: AnyInts, count: int) -> Ints:
    """(count,) Largest of the non-negative values with each target; 0 for targets without any."""
    out = np.zeros(count, dtype=np.int64)
    np.maximum.at(out, into, values)
    return out


def spread(totals: Ints, parts: int) -> Ints:
    """(g,) totals -> (g, parts) integers that differ by at most one and sum to them."""
    share, remainder = np.divmod(totals, parts)
    return share[:, None] + (np.arange(parts) < remainder[:, None])


def are_in(values: NDArray[Number], wanted: NDArray[Number]) -> Flags:
    """(n,) whether each value is in `wanted`. Numbers must not be NaN."""
    ordered = np.sort(wanted)
    place = np.searchsorted(ordered, values)
    is_wanted = np.zeros(len(values), dtype=bool)
    inside = np.flatnonzero(place < len(ordered))
    is_wanted[inside] = ordered[place[inside]] == values[inside]
    return is_wanted


def is_of(codes: AnyInts, member: int) -> Flags:
    """(n,) Whether each code is this member of an IntEnum. With the member itself numpy compares bytes in 18 times the
    time, as 8-byte integers."""
    flags: Flags = codes == np.int8(member)
    return flags


def places_of(values: AnyInts | Sequence[int], size: int) -> Ints32:
    """(size,) index of each number in `values`, which holds none twice; -1 if it is not there."""
    places = np.full(size, -1, dtype=np.int32)
    places[values] = np.arange(len(values), dtype=np.int32)
    return places


def is_run_start(ordered: NDArray[Any]) -> Flags:
    """(n,) whether a value differs from its predecessor; True for the first."""
    starts = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    return starts


Ints: TypeAlias = NDArray[np.int64]
Ints32: TypeAlias = NDArray[np.int32]
AnyInts: TypeAlias = NDArray[np.integer[Any]]
Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]

SidePair: TypeAlias = tuple[Floats, Floats]
"""A number for each observation of the baseline, and of the candidate."""

SideTimes: TypeAlias = tuple[Ints, Ints]
"""Positive times of the baseline's observations, and of the candidate's, in one unit."""

Nanoseconds: TypeAlias = NDArray[np.int64]
"""Timestamps of one clock, or durations."""

EventIndex: TypeAlias = NDArray[np.integer[Any]]
"""Rows of an EventTable; -1 for none."""

StepIndex: TypeAlias = NDArray[np.integer[Any]]
"""Steps of a recording or of a side; -1 outside all steps."""

NodeIndex: TypeAlias = NDArray[np.integer[Any]]
"""Nodes of a call or module tree, or of nested events; -1 above the roots."""

NameIndex: TypeAlias = NDArray[np.int32]
"""Indices into the texts of a StringTable."""

TextIndex: TypeAlias = NDArray[np.integer[Any]]
"""Indices into the texts of a TextPool."""

LaneIndex: TypeAlias = NDArray[np.int32]
"""Rows of a LaneTable."""

CaptureIndex: TypeAlias = NDArray[np.int32]
"""Indices of the captures of a side."""


def thinned(curves: tuple[Ints, ...], most: int, cuts: Ints | None = None) -> Ints:
    """Ascending indices of points to draw: the ends, those at cuts, and each curve's extremes in every stretch.

    `curves` have (n,) values each. Up to `most` points are all kept; more are reduced to about that many for each
    curve. No stretch crosses one of `cuts`, positions in 0 to n, so any part between two cuts keeps its extremes; with
    more cuts than points the result may exceed `most`.
    """
    n = len(curves[0])
    if n <= most:
        return np.arange(n, dtype=np.int64)
    inner = np.zeros(0, dtype=np.int64) if cuts is None else cuts
    edges = unique(np.concatenate((np.linspace(0, n, most // 2 + 1).astype(np.int64), inner)))
    low, high = edges[:-1], edges[1:]
    points = [np.array([0, n - 1]), inner[inner < n], inner[inner > 0] - 1]
    for values in curves:
        for extreme in (np.maximum, np.minimum):
            best = extreme.reduceat(values, low)
            is_best = np.flatnonzero(values == np.repeat(best, high - low))
            points.append(is_best[np.searchsorted(is_best, low)])
    return unique(np.concatenate(points).astype(np.int64))
