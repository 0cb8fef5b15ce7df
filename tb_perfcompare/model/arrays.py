"""Types of columns and of indices into them, by what they mean.

Fields that are stored (model/summary) state an element type: one of Ints, Ints32, Floats, Flags, Nanoseconds,
NameIndex, LaneIndex, CaptureIndex. The other indices are of any integers, 32 bits wide where there are many.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
