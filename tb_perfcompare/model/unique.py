"""Distinct numbers by sorting. np.unique gives the same, but hashes integers, which is slower where they are in order
already, and loads numpy's masked arrays when it is first called, which takes longer than reading a small trace."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Ints

Number = TypeVar("Number", bound=np.generic)


def unique(values: NDArray[Number]) -> NDArray[Number]:
    """The different values, ascending. Of numbers without NaN."""
    ordered = np.sort(values, axis=None, kind="stable")
    return ordered[_begins(ordered)]


def unique_places(values: NDArray[Number]) -> tuple[NDArray[Number], Ints]:
    """(the different values, ascending; (n,) place of each value among them)."""
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


def _begins(ordered: NDArray[Any]) -> Flags:
    """(n,) whether a value differs from the one before."""
    begins = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return begins
