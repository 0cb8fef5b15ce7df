"""A least-recently-used cache of finished values, bounded in bytes."""

from __future__ import annotations

import dataclasses
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from tb_perfcompare.quick_dataclass import dataclass

T = TypeVar("T")

PROVISIONAL_S = 5.0
"""Lifetime of provisional values, such as a result without a file whose worker was killed."""

_SAMPLED_ITEMS = 8
"""Longer sequences are estimated from about this many items: rows of a table are similar, and measuring a million would
take a second."""

_PLAIN = 32
"""Bytes of a number or any other plain object."""


class ByteCache(Generic[T]):
    """Values by key; keys and values together take at most `limit_bytes` by size_of. Safe to use from several
    threads."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._used = 0
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, _Entry[T]] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        """Returns the value and marks it as the most recently used; None if it is not cached."""
        entry = self.find(key)
        return None if entry is None else entry[0]

    def find(self, key: Hashable) -> tuple[T, bool] | None:
        """Returns (the value, whether it is provisional) and marks it as the most recently used; None if not cached."""
        with self._lock:
            entry = self._values.get(key)
            if entry is None:
                return None
            if entry.until_s is not None and time.monotonic() >= entry.until_s:
                self._drop(key)
                return None
            self._values.move_to_end(key)
            return entry.value, entry.until_s is not None

    def put(self, key: Hashable, value: T, *, provisional: bool = False) -> None:
        """Stores the value, unless it alone exceeds the limit; if `provisional`, for at most PROVISIONAL_S seconds."""
        size = size_of(key) + size_of(value)  # keys count: a request may be larger than its result
        with self._lock:
            self._drop(key)
            if size > self._limit:
                return
            self._values[key] = _Entry(value, size, time.monotonic() + PROVISIONAL_S if provisional else None)
            self._used += size
            while self._used > self._limit:
                self._drop(next(iter(self._values)))

    def __len__(self) -> int:
        return len(self._values)

    def _drop(self, key: Hashable) -> None:
        entry = self._values.pop(key, None)
        self._used -= 0 if entry is None else entry.size


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    value: T
    size: int
    until_s: float | None


def size_of(value: Any) -> int:
    """Estimates the bytes that a value of the model occupies: arrays, texts, and the contents of dataclasses, sequences
    and mappings. Long sequences are sampled; shared parts count once per reference."""
    kind = type(value)
    sizer = _SIZERS.get(kind)
    if sizer is None:
        sizer = _SIZERS[kind] = _sizer_of(kind)
    return sizer(value)


_SIZERS: dict[type, Callable[[Any], int]] = {}
"""Size function of each type seen so far: a summary holds thousands of values of some tens of types."""


def _sizer_of(kind: type) -> Callable[[Any], int]:
    if issubclass(kind, (str, bytes)):
        return sys.getsizeof
    if issubclass(kind, Mapping):
        return lambda value: sum(map(size_of, value)) + sum(map(size_of, value.values()))
    if issubclass(kind, (tuple, list)):
        return _sequence_bytes
    if issubclass(kind, frozenset):
        return lambda value: 8 * len(value) + sum(map(size_of, value))
    if dataclasses.is_dataclass(kind):
        names = tuple(field.name for field in dataclasses.fields(kind))
        return lambda value: sum([size_of(getattr(value, name)) for name in names])
    if hasattr(kind, "nbytes"):
        return lambda value: int(value.nbytes)
    return lambda value: _PLAIN


def _sequence_bytes(value: Sequence[Any]) -> int:
    sample = value[:: max(1, len(value) // _SAMPLED_ITEMS)]
    return 8 * len(value) + int(len(value) / max(1, len(sample)) * sum(map(size_of, sample)))
