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


class Turn:
    """This process's hold on the room."""

    def __init__(self) -> None:
        self._held = contextlib.ExitStack()
        self._alone = False

    def take(self, *, alone: bool) -> None:
        """Waits until no other process holds the room (alone), or none does that is alone."""
        if not (alone and self._alone):  # kept since the test before, which spares waiting for the others again
            self.give_back()
            self._held.enter_context(held(_ROOM, shared=not alone, gate=_GATE))
            self._alone = alone

    def give_back(self) -> None:
        """Lets the others in."""
        self._held.close()
        self._alone = False


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
