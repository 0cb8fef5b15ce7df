"""A cache of finished values, bounded in bytes, that evicts the least recently used."""

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
"""Values that may be better soon are kept for so long: an answer that lacks a file whose reader was killed."""

_LOOKED_AT = 8
"""Longer sequences are estimated from about this many items: rows of a table are similar, and a million calls would
take a second."""

_PLAIN = 32
"""Bytes of a number."""


class ByteCache(Generic[T]):
    """Values by key, together with their keys at most `limit_bytes` as `size_of` counts. Safe to use from several
    threads."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._used = 0
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, _Kept[T]] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        """The value, which thereby becomes the most recently used one, or None."""
        found = self.find(key)
        return None if found is None else found[0]

    def find(self, key: Hashable) -> tuple[T, bool] | None:
        """The value, and whether it is kept for a moment only."""
        with self._lock:
            kept = self._values.get(key)
            if kept is None:
                return None
            if kept.until_s is not None and time.monotonic() >= kept.until_s:
                self._drop(key)
                return None
            self._values.move_to_end(key)
            return kept.value, kept.until_s is not None

    def put(self, key: Hashable, value: T, *, provisional: bool = False) -> None:
        """Keeps the value unless it alone is larger than the limit; `provisional` for PROVISIONAL_S at most."""
        size = size_of(key) + size_of(value)  # a request may be long and its answer short
        with self._lock:
            self._drop(key)
            if size > self._limit:
                return
            self._values[key] = _Kept(value, size, time.monotonic() + PROVISIONAL_S if provisional else None)
            self._used += size
            while self._used > self._limit:
                self._drop(next(iter(self._values)))

    @property
    def used_bytes(self) -> int:
        """Sum of the sizes of what is kept, keys included."""
        return self._used

    def __len__(self) -> int:
        return len(self._values)

    def _drop(self, key: Hashable) -> None:
        kept = self._values.pop(key, None)
        self._used -= 0 if kept is None else kept.size


@dataclass(frozen=True, slots=True)
class _Kept(Generic[T]):
    value: T
    size: int
    until_s: float | None


def size_of(value: Any) -> int:
    """Bytes a value of the model occupies, near enough to bound memory: arrays, texts, and what dataclasses,
    sequences and mappings hold; of long sequences a sample. Shared parts count each time they are met."""
    kind = type(value)
    counted = _COUNTED.get(kind)
    if counted is None:
        counted = _COUNTED[kind] = _counted(kind)
    return counted(value)


_COUNTED: dict[type, Callable[[Any], int]] = {}
"""How values of a type are counted, of each type met: a summary holds thousands of values of some tens of types."""


def _counted(kind: type) -> Callable[[Any], int]:
    if issubclass(kind, (str, bytes)):
        return sys.getsizeof
    if issubclass(kind, Mapping):
        return lambda value: sum(map(size_of, value)) + sum(map(size_of, value.values()))
    if issubclass(kind, (tuple, list)):
        return _of_sequence
    if issubclass(kind, frozenset):
        return lambda value: 8 * len(value) + sum(map(size_of, value))
    if dataclasses.is_dataclass(kind):
        names = tuple(field.name for field in dataclasses.fields(kind))
        return lambda value: sum([size_of(getattr(value, name)) for name in names])
    if hasattr(kind, "nbytes"):
        return lambda value: int(value.nbytes)
    return lambda value: _PLAIN


def _of_sequence(value: Sequence[Any]) -> int:
    looked_at = value[:: max(1, len(value) // _LOOKED_AT)]
    return 8 * len(value) + int(len(value) / max(1, len(looked_at)) * sum(map(size_of, looked_at)))
