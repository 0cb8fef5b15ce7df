"""Ensures that a file is read only in the state in which it was listed.

A trace may be replaced (by rsync's rename), appended to or truncated while it is read. The data are then a mixture, or
belong to another state of the file than the one they are cached under. Each file's state is therefore compared when it
is opened and, through the same handles, again when reading is finished.
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
"""Longer than a tick of the clock for file times (1 to 10 ms): two changes within a tick have the same time, so a file
that has just changed is read a moment later."""


@contextmanager
def one_state(fs: FileSystem, known: Mapping[str, FileState] | None = None) -> Iterator[FileSystem]:
    """A FileSystem for one reading that checks the states of files.

    `known` is the state required of each file; None accepts the state found when a file is first opened. Raises
    InputChanged, also in place of the InputError that a changing file caused.
    """
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
    """Opens a listed file, to cache a result for its state.

    Raises OSError, and InputChanged if a local file has changed since it was listed. Files of stores are not checked,
    because stores describe a file differently in a listing.
    """
    opened = fs.open(file.path)
    if _is_local(opened) and fs.opened_state(opened) != file.state:
        opened.close()
        raise InputChanged(file.path, "changed since it was listed")
    return opened


def settled_state(fs: FileSystem, file: BinaryIO) -> FileState:
    """The state of an open file, after waiting until any further change would alter it."""
    if os.name == "posix" and _is_local(file):
        age_ns = time.time_ns() - os.fstat(file.fileno()).st_ctime_ns
        if 0 <= age_ns < TICK_NS:
            time.sleep((TICK_NS - age_ns) / 1e9)
    return fs.opened_state(file)


class _Watched:
    """A FileSystem that remembers the files it opened and their states."""

    def __init__(self, inner: FileSystem, known: Mapping[str, FileState] | None) -> None:
        self._inner = inner
        self._known = known
        self._states: dict[str, FileState] = dict(known or {})
        self._handles: list[tuple[str, BinaryIO | None]] = []

    def open(self, path: str) -> BinaryIO:
        with ExitStack() as unless_returned:
            file = unless_returned.enter_context(self._inner.open(path))
            self._handles.append((path, _second_handle(file)))
            state = settled_state(self._inner, file)
            if self._known is None:
                self._states.setdefault(path, state)
            self._compare(path, state)
            unless_returned.pop_all()
        return file

    def check(self) -> None:
        """Raises InputChanged for a file that has changed since it was opened."""
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


def _second_handle(file: BinaryIO) -> BinaryIO | None:
    """A second handle of a local file, which stays open when the reader closes the first; None for a store's file.

    The state of a store's file is requested again by path.
    """
    return os.fdopen(os.dup(file.fileno()), "rb") if _is_local(file) else None


def _is_local(file: BinaryIO) -> bool:
    try:
        file.fileno()
    except OSError:
        return False
    return True
