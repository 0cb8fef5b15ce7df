"""The compiled passes over events in order (native/), or nothing where they were not built.

Each has a twin in numpy that gives the same; callers ask `compiled()` and use the twin where it gives None. What needs
no order of events is quick enough in numpy and has no compiled form.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

VARIABLE = "TB_PERFCOMPARE_READER"
"""Environment variable; `python` does without anything compiled, as in sources/scanner_choice.py."""

INTERFACE = 2
"""Of the compiled module that this one is written for."""

WHY_NOT = ""
"""Why the compiled passes are not there; "" if they are."""

_module: ModuleType | None
try:
    from tb_perfcompare.analysis import _passes

    if getattr(_passes, "INTERFACE", None) != INTERFACE:
        raise ImportError("it is of another version of this package; install the package again")
    _module = _passes
except ImportError as error:  # no compiler when the package was installed, or a module of another version
    _module = None
    WHY_NOT = str(error)


def compiled() -> Any:
    """The module, None if it is not there or not wanted."""
    return None if os.environ.get(VARIABLE) == "python" else _module


def packed(column: NDArray[Any], dtype: type[np.generic]) -> bytes:
    """The numbers of a column as bytes; those that a column was made from are not copied."""
    base: object = column.base
    if isinstance(base, bytes) and column.dtype == dtype and len(base) == column.nbytes and column.flags.c_contiguous:
        return base
    return np.ascontiguousarray(column, dtype=dtype).tobytes()


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column that settles ties, by codes: `rank` (t,) int64 of each code, `code` (n,) int32."""

    code: NDArray[np.int32]
    rank: NDArray[np.int64]

    def __getitem__(self, rows: NDArray[np.integer] | slice) -> NDArray[np.int64]:
        """The ranks of some rows."""
        ranks: NDArray[np.int64] = self.rank[self.code[rows]]
        return ranks


Tie: TypeAlias = "NDArray[np.integer] | Coded"


def packed_tie(tie: Tie) -> bytes | tuple[bytes, bytes]:
    """A tie as the compiled passes take it."""
    if isinstance(tie, Coded):
        return packed(tie.code, np.int32), packed(tie.rank, np.int64)
    return packed(tie, np.int64)


def unpacked(data: bytes, dtype: type[np.generic]) -> NDArray[Any]:
    """The column in bytes, which are not copied; it cannot be written to."""
    return np.frombuffer(data, dtype)
