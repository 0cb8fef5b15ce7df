"""A bounded store of finished values: the least recently used ones leave first."""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np

T = TypeVar("T")

_LOOKED_AT = 32
"""Of longer sequences about so many items stand for all: the rows of a table are alike, and a million calls would take
a second."""


class ByteCache(Generic[T]):
    """Values by key, together at most `limit_bytes` as `size_of` counts. Safe to use from several threads."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._used = 0
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        """The value, which thereby becomes the most recently used one, or None."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: T) -> None:
        """Keeps the value unless it alone is larger than the limit."""
        size = size_of(value)
        with self._lock:
            _, known = self._values.pop(key, (None, 0))
            self._used -= known
            if size > self._limit:
                return
            self._values[key] = (value, size)
            self._used += size
            while self._used > self._limit:
                _, (_, freed) = self._values.popitem(last=False)
                self._used -= freed

    @property
    def used_bytes(self) -> int:
        """Sum of the sizes of what is kept."""
        return self._used

    def __len__(self) -> int:
        return len(self._values)


def size_of(value: Any) -> int:
    """Bytes a value of the model occupies, near enough to bound memory: arrays, texts, and what dataclasses,
    sequences and mappings hold; of long sequences a sample. Shared parts count each time they are met."""
    match value:
        case np.ndarray():
            return int(value.nbytes)
        case str() | bytes():
            return sys.getsizeof(value)
        case Mapping():
            return sum(size_of(key) + size_of(item) for key, item in value.items())
        case tuple() | list() | frozenset():
            looked_at = value[:: max(1, len(value) // _LOOKED_AT)] if isinstance(value, (tuple, list)) else value
            share = len(value) / max(1, len(looked_at))
            return 8 * len(value) + int(share * sum(size_of(item) for item in looked_at))
        case _ if dataclasses.is_dataclass(value):
            return sum(size_of(getattr(value, field.name)) for field in dataclasses.fields(value))
        case _:
            return 32
