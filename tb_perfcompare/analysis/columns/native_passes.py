"""The compiled passes over ordered events (native/), or None if they were not built.

Each has a twin in numpy that gives the same; callers ask `compiled()` and use the twin where it gives None. What is
quick enough in numpy, and needs no copies as large as the recording there, has no compiled form.
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
"""Environment variable; `python` does without anything compiled, as in sources/trace/scanners/scanner_choice.py."""

INTERFACE = 7
"""Of the compiled module that this one is written for."""

_LARGE = 1_000_000

WHY_NOT = ""
"""Why the compiled passes are not there; "" if they are."""

_module: ModuleType | None
try:
    from tb_perfcompare.analysis.native import _passes

    if getattr(_passes, "INTERFACE", None) != INTERFACE:
        raise ImportError("it is of another version of this package; install the package again")
    _module = _passes
except ImportError as error:  # no compiler when the package was installed, or a module of another version
    _module = None
    WHY_NOT = str(error)


def compiled() -> Any:
    """The module, None if it is not there or not wanted."""
    return None if os.environ.get(VARIABLE) == "python" else _module


def packed(column: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    """A column as the compiled passes take it; the column itself where it is so already."""
    return np.ascontiguousarray(column, dtype=dtype)


def indices(column: AnyInts) -> AnyInts:
    """A column for a pass that takes integers of 4 and of 8 bytes; the column itself where it is so already."""
    return packed(column, np.int32 if column.dtype.itemsize <= np.int32().itemsize else np.int64)


def release(events: int) -> None:
    """Hands memory that was freed back to the machine, where the C library does not by itself. Takes milliseconds, and
    is done for recordings of so many events only that it is much."""
    module = compiled()
    if module is not None and events > _LARGE:
        module.release()


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column that settles ties, by codes: `rank` (t,) int64 of each code, `code` (n,) int32."""

    code: Ints32
    rank: Ints

    def __getitem__(self, rows: AnyInts | slice) -> Ints:
        """The ranks of some rows."""
        ranks: Ints = self.rank[self.code[rows]]
        return ranks


Tie: TypeAlias = "AnyInts | Coded"


def packed_tie(tie: Tie) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
    """A tie as the compiled passes take it."""
    if isinstance(tie, Coded):
        return packed(tie.code, np.int32), packed(tie.rank, np.int64)
    return packed(tie, np.int64)


def unpacked(data: bytes, dtype: type[np.generic]) -> NDArray[Any]:
    """The column in bytes, which are not copied; it cannot be written to."""
    return np.frombuffer(data, dtype)
