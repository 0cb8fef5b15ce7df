"""Classifies launches by the resource that limits them, from their utilization. The threshold is summary.py's BOUND."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.summary.summary import BOUND, BOUND_CLASSES, NOT_MEASURED

_TENSOR, _MEMORY, _BOTH, _NEITHER, _UNKNOWN = (
    BOUND_CLASSES.index(name) for name in ("tensor-bound", "memory-bound", "both", "neither", NOT_MEASURED)
)


def bound_class(tensor: Floats, dram: Floats) -> NDArray[np.int8]:
    """(n,) fractions of the peak, NaN if not measured -> (n,) index into BOUND_CLASSES.

    A launch with only one of the two figures is classified by it; a launch with neither is "not measured".
    """
    high_tensor, high_dram = tensor >= BOUND, dram >= BOUND  # NaN compares false
    out = np.full(len(tensor), _NEITHER, dtype=np.int8)
    out[np.isnan(tensor) & np.isnan(dram)] = _UNKNOWN
    out[high_tensor] = _TENSOR
    out[high_dram] = _MEMORY
    out[high_tensor & high_dram] = _BOTH
    return out
