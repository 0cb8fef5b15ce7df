"""Pauses Python's cyclic garbage collector, which would walk millions of rows repeatedly while they are created.

Summaries and comparisons are tuples and arrays without cycles; reference counting frees them. The collector runs every
few hundred allocations, finds nothing, and walks all objects whenever their number has grown by a quarter.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_inside = 0
_was_enabled = False


@contextmanager
def paused_collector() -> Iterator[None]:
    """Disables automatic collection in this process while the body runs; bodies may overlap in several threads."""
    global _inside, _was_enabled
    with _lock:
        if not _inside:
            _was_enabled = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside and _was_enabled:
                gc.enable()
