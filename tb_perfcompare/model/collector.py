"""Python's cycle collector, kept from walking millions of rows again and again while they are made.

Summaries and comparisons are tuples and arrays without cycles, which counting references frees. The collector, called
every few hundred new objects, finds nothing in them, and walks all of them whenever they have grown by a quarter.
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
    """No automatic collection in this process for as long as the body lasts; bodies may overlap."""
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
