"""Reading a file only in the state that was listed.

A trace may be replaced (by rsync's rename), appended to or cut while it is read. What was read is then a mixture, or
belongs to another state of the file than the one it is filed under. So each file has its state compared whenever it is
opened and again, by the handles that were read from, when all is read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from tb_perfcompare.errors import InputChanged, InputError
from tb_perfcompare.sources.storage.filesystem import FileStat, FileState, FileSystem

TICK_NS = 20_000_000
"""Two changes within a tick of the clock that a kernel stamps files with (1 to 10 ms) have the same time: a file that
was changed just now is read a moment later."""


@contextmanager
def one_state(fs: FileSystem, known: Mapping[str, FileState] | None = None) -> Iterator[FileSystem]:
    """`fs` for the length of a reading. `known` gives the state that each file has to be in; None: whichever they are
    found in. Raises InputChanged, also instead of the InputError that a changing file caused."""
    watched = _Watched(fs, known)
    try:
        yield watched
        watched.check()
    except InputError:
        watched.check()
        raise
    finally:
        watched.close()


def open_listed(file: FileStat, fs: FileSystem) -> BinaryIO:
    """The file that was listed, for a look whose result is remembered for that state. Raises OSError, and InputChanged
    for a local file that is in another state by now; stores describe a file differently in a listing."""
    opened = fs.open(file.path)
    if _is_local(opened) and fs.opened_state(opened) != file.state:
        opened.close()
        raise InputChanged(file.path, "changed since it was listed")
    return opened


def settled_state(fs: FileSystem, file: BinaryIO) -> FileState:
    """The state of an open file once any further change will show in it."""
    if os.name == "posix" and _is_local(file):
        age_ns = time.time_ns() - os.fstat(file.fileno()).st_ctime_ns
        if 0 <= age_ns < TICK_NS:
            time.sleep((TICK_NS - age_ns) / 1e9)
    return fs.opened_state(file)


class _Watched:
    """A FileSystem that remembers what it opened."""

    def __init__(self, inner: FileSystem, known: Mapping[str, FileState] | None) -> None:
        self._inner = inner
        self._known = known
        self._states: dict[str, FileState] = dict(known or {})
        self._handles: list[tuple[str, BinaryIO | None]] = []

    def open(self, path: str) -> BinaryIO:
        with ExitStack() as unless_returned:
            file = unless_returned.enter_context(self._inner.open(path))
            self._handles.append((path, _kept_open(file)))
            state = settled_state(self._inner, file)
            if self._known is None:
                self._states.setdefault(path, state)
            self._compare(path, state)
            unless_returned.pop_all()
        return file

    def check(self) -> None:
        """Raises InputChanged for a file that is not as it was when it was opened."""
        for path, handle in self._handles:
            if handle is not None:
                self._compare(path, self._inner.opened_state(handle))
        for path in {path for path, handle in self._handles if handle is None}:
            try:
                self._compare(path, self._inner.stat(path).state)
            except OSError as error:
                raise InputChanged(path, "has gone while it was read") from error

    def close(self) -> None:
        for _, handle in self._handles:
            if handle is not None:
                handle.close()

    def _compare(self, path: str, state: FileState) -> None:
        if self._states.get(path) != state:
            raise InputChanged(path)

    def entries(self, path: str) -> Sequence[FileStat]:
        return self._inner.entries(path)

    def stat(self, path: str) -> FileStat:
        return self._inner.stat(path)

    def opened_state(self, file: BinaryIO) -> FileState:
        return self._inner.opened_state(file)

    def absolute(self, path: str) -> str:
        return self._inner.absolute(path)

    def basename(self, path: str) -> str:
        return self._inner.basename(path)


def _kept_open(file: BinaryIO) -> BinaryIO | None:
    """A second handle of a local file, which stays open when its reader closes the first. A store has none: there the
    path is asked about again."""
    return os.fdopen(os.dup(file.fileno()), "rb") if _is_local(file) else None


def _is_local(file: BinaryIO) -> bool:
    try:
        file.fileno()
    except OSError:
        return False
    return True
