"""Makes msgspec inspect classes before they are needed.

It looks at a class when a value of it is first asked for and keeps what it found on the class. Two threads that do
so at once take down the process (msgspec 0.22), so the first look at each class is one thread's.
"""

from __future__ import annotations

import threading
from typing import TypeVar

import msgspec

T = TypeVar("T")

_lock = threading.Lock()
_inspected: set[type] = set()


def inspected(kind: type[T]) -> type[T]:
    """The class, when msgspec has looked at it and at the classes of its fields."""
    if kind not in _inspected:
        with _lock:
            msgspec.json.Decoder(kind)
            _inspected.add(kind)
    return kind
