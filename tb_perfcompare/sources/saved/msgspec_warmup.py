"""Makes msgspec inspect classes in one thread.

msgspec inspects a class when it first decodes a value of it, and caches the result on the class. Two threads doing so
at the same time crash the process (msgspec 0.22).
"""

from __future__ import annotations

import threading
from typing import TypeVar

import msgspec

T = TypeVar("T")

_lock = threading.Lock()
_inspected: set[type] = set()


def inspected(kind: type[T]) -> type[T]:
    """The same class, after msgspec has inspected it and the classes of its fields."""
    if kind not in _inspected:
        with _lock:
            msgspec.json.Decoder(kind)
            _inspected.add(kind)
    return kind
