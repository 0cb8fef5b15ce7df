"""Memory of several captures, and of a subset of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags
from tb_perfcompare.model.summary.memory import MemoryCurve, MemoryUse


def pool_memory(
    parts: Sequence[MemoryUse | None], widths: Sequence[int], captures: Sequence[int]
) -> MemoryUse | None:
    """Pools memory over captures; a capture without memory events has zeros. None if no capture has any.

    `widths` are numbers of steps, `captures` the index of each part's first capture.
    """
    present = [part for part in parts if part is not None]
    if not present:
        return None
    keys = sorted({key for part in present for key in part.keys})
    index = {key: row for row, key in enumerate(keys)}
    out = [np.zeros((len(keys), sum(widths)), dtype=np.int64) for _ in range(3)]
    at = 0
    for part, width in zip(parts, widths, strict=True):
        if part is not None and len(part):
            rows = np.array([index[key] for key in part.keys], dtype=np.int64)
            for matrix, own in zip(out, (part.allocated, part.released, part.calls), strict=True):
                matrix[rows, at : at + width] = own
        at += width
    curves = tuple(
        replace(curve, capture=curve.capture + first)
        for part, first in zip(parts, captures, strict=True)
        if part is not None
        for curve in part.curves
    )
    return MemoryUse(tuple(keys), out[0], out[1], out[2], curves)


def some_steps(
    use: MemoryUse, columns: NDArray[np.intp], kept: Callable[[str], bool] | None = None
) -> MemoryUse | None:
    """Selects steps; curves keep the steps whose label is `kept` (all if it is None).

    None if the steps have no memory events and no curve is left.
    """
    allocated, released, calls = use.allocated[:, columns], use.released[:, columns], use.calls[:, columns]
    rows = np.flatnonzero(calls.any(axis=1) | released.any(axis=1))
    curves = use.curves
    if kept is not None:
        cut = [curve_of_steps(curve, np.array([kept(label) for label in curve.label], dtype=bool)) for curve in curves]
        curves = tuple(curve for curve in cut if curve is not None)
    if not len(rows) and not curves:
        return None
    return MemoryUse(
        tuple(use.keys[int(row)] for row in rows), allocated[rows], released[rows], calls[rows], curves
    )


def curve_of_steps(curve: MemoryCurve, kept: Flags) -> MemoryCurve | None:
    """Restricts the curve to the `kept` (c,) steps, starting with the memory held when the first one begins.

    Consecutive steps keep the time between them; other gaps are removed. None if the device has no record before the
    end of the last step.
    """
    if kept.all():
        return curve
    edges = np.flatnonzero(np.diff(kept, prepend=False, append=False))
    length = 0
    starts, ends, places, times = [], [], [], []
    for first, after in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        start, end = int(curve.start_ns[first]), int(curve.end_ns[after - 1])
        low, high = np.searchsorted(curve.time_ns, (start, end), side="left").tolist()
        has_start = low < len(curve.time_ns) and curve.time_ns[low] == start
        if low > 0 and not has_start:
            low -= 1  # memory held when the stretch began
        shift = length - start
        starts.append(curve.start_ns[first:after] + shift)
        ends.append(curve.end_ns[first:after] + shift)
        places.append(np.arange(low, high))
        times.append(np.maximum(curve.time_ns[low:high], start) + shift)
        length += end - start
    shown = np.concatenate([np.zeros(0, dtype=np.int64), *places])
    if not len(shown):
        return None
    allocated = curve.allocated[shown]
    reserved = None if curve.reserved is None else curve.reserved[shown]
    return replace(
        curve,
        label=tuple(label for label, keep in zip(curve.label, kept.tolist(), strict=True) if keep),
        start_ns=np.concatenate(starts),
        end_ns=np.concatenate(ends),
        time_ns=np.concatenate(times),
        allocated=allocated,
        reserved=reserved,
        peak_allocated=int(allocated.max()),
        peak_reserved=None if reserved is None else int(reserved.max()),
    )
