"""An array that grows at its end without ever being in memory twice."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

S = TypeVar("S", bound=np.generic)

_FIRST_CAPACITY = 1024


class GrowableArray(Generic[S]):
    """Collects (k,) arrays; `finish` returns them as one.

    Concatenating a list of parts at the end would need twice the memory of the result. This array is enlarged in place
    by an eighth at a time; for large blocks the allocator moves pages instead of bytes.
    """

    __slots__ = ("_array", "_length")

    def __init__(self, dtype: type[S]) -> None:
        self._array: NDArray[S] = np.empty(0, dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(self, part: NDArray[Any]) -> None:
        end = self._length + len(part)
        if end > len(self._array):
            capacity = max(end, len(self._array) + len(self._array) // 8, _FIRST_CAPACITY)
            self._array.resize(capacity, refcheck=False)  # no other references exist
        self._array[self._length : end] = part
        self._length = end

    def finish(self) -> NDArray[S]:
        """The values collected; the collector is empty afterwards."""
        array, self._array = self._array, np.empty(0, self._array.dtype)
        if len(array) != self._length:
            array.resize(self._length, refcheck=False)
        self._length = 0
        return array
