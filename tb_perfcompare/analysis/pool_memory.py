"""Memory of several captures side by side, and of some steps only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.memory import MemoryUse

Ints = NDArray[np.int64]


def pool_memory(
    parts: Sequence[MemoryUse | None], widths: Sequence[int], captures: Sequence[int]
) -> MemoryUse | None:
    """One use over all captures; `widths` are numbers of steps, `captures` each part's first capture. A capture without
    memory events has zeros. None when none has any."""
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


def some_steps(use: MemoryUse, columns: NDArray[np.intp]) -> MemoryUse | None:
    """Only these steps, without the curves, which are known for whole captures; None if nothing happened in them."""
    allocated, released, calls = use.allocated[:, columns], use.released[:, columns], use.calls[:, columns]
    rows = np.flatnonzero(calls.any(axis=1) | released.any(axis=1))
    if not len(rows):
        return None
    return MemoryUse(
        tuple(use.keys[int(row)] for row in rows), allocated[rows], released[rows], calls[rows], ()
    )
