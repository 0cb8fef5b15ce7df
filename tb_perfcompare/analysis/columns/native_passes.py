"""The compiled passes over ordered events (native/), or None if they were not built.

Each has a numpy equivalent with the same result, which callers use if `compiled()` returns None. Operations that are
fast enough in numpy, without copies as large as the recording, have no compiled form.
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import AnyInts, Ints, Ints32
from tb_perfcompare.quick_dataclass import dataclass

VARIABLE = "TB_PERFCOMPARE_READER"
"""Environment variable; `python` disables compiled code, as in sources/trace/scanners/scanner_choice.py."""

INTERFACE = 8
"""Interface version of the compiled module that this code expects."""

WHY_NOT = ""
"""Why the compiled passes are unavailable; "" if they are available."""

_module: ModuleType | None
try:
    from tb_perfcompare.analysis.native import _passes

    if getattr(_passes, "INTERFACE", None) != INTERFACE:
        raise ImportError("it is of another version of this package; install the package again")
    _module = _passes
except ImportError as error:  # installed without a compiler, or another version
    _module = None
    WHY_NOT = str(error)


def compiled() -> Any:
    """Returns the compiled module, or None if it is unavailable or disabled."""
    return None if os.environ.get(VARIABLE) == "python" else _module


def packed(column: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    """Converts a column to a contiguous array of `dtype` for the compiled passes; no copy if it is one already."""
    return np.ascontiguousarray(column, dtype=dtype)


def indices(column: AnyInts) -> AnyInts:
    """Converts a column for passes that accept 4- and 8-byte integers; no copy if it is contiguous."""
    return packed(column, np.int32 if column.dtype.itemsize <= np.int32().itemsize else np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A tie-breaking column stored by code: `rank` (t,) int64 of each code, `code` (n,) int32 of each row."""

    code: Ints32
    rank: Ints

    def __getitem__(self, rows: AnyInts | slice) -> Ints:
        """Returns the ranks of these rows."""
        ranks: Ints = self.rank[self.code[rows]]
        return ranks


Tie: TypeAlias = "AnyInts | Coded"


def packed_tie(tie: Tie) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
    """Converts a tie-breaking column for the compiled passes."""
    if isinstance(tie, Coded):
        return packed(tie.code, np.int32), packed(tie.rank, np.int64)
    return packed(tie, np.int64)


def unpacked(data: bytes, dtype: type[np.generic]) -> NDArray[Any]:
    """Returns the bytes as a read-only column, without a copy."""
    return np.frombuffer(data, dtype)
