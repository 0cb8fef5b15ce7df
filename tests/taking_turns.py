"""Tests run in several processes at once, except those marked `alone`: they measure time, so nothing runs beside them.

Every test holds the room, one that is alone holds it for itself. The gate keeps tests that come later from overtaking
one that waits for the room to empty.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: tests run with -n 0 there
    fcntl = None

_GATE = Path(__file__)
_ROOM = Path(__file__).with_name("conftest.py")


@contextlib.contextmanager
def turn(*, alone: bool) -> Iterator[None]:
    """The body runs while no other process's body does (alone), or while none does that is alone."""
    with held(_ROOM, shared=not alone, gate=_GATE):
        yield


@contextlib.contextmanager
def held(path: Path, *, shared: bool = False, gate: Path | None = None) -> Iterator[None]:
    """The body runs while no other process holds the file, or while those that do all share it."""
    if fcntl is None:
        yield
        return
    with path.open("rb") as file:
        with held(gate) if gate else contextlib.nullcontext():
            fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
