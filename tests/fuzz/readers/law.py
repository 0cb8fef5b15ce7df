"""The law of every target: any bytes are read or refused with a message, in bounded time and memory.

A reader returns, or raises an InputError that names the file and a remedy and is short enough to be shown. Any other
exception breaks the law, and so does taking too long or too much memory.
"""

from __future__ import annotations

import resource
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from tb_perfcompare.errors import InputError
from tb_perfcompare.model.note import Note

LONGEST_MESSAGE = 4000
"""Largest number of characters of an error or a note."""

LIMIT_S = 20.0
"""Largest CPU time of an input, in seconds; inputs are small and normally take milliseconds."""
_LONGEST_WAIT = 10
"""Largest elapsed time, as a multiple of LIMIT_S."""

MOST_BYTES = 4 << 30
"""Largest growth of the address space."""


class Outcome(Enum):
    """Outcome of an input that kept the law."""

    READ = "read"
    REFUSED = "refused"


class Broken(AssertionError):
    """The law was broken in the way described."""


class TooLong(BaseException):
    """Raised in code that takes too long; a BaseException so that `except Exception` does not catch it."""


@dataclass(frozen=True, slots=True)
class Target:
    """An entry point of the product.

    name         on the command line, and of the folder of its corpus
    description  of its input, for tables
    take         (bytes, an empty folder) -> outcome; raises what the product raises
    mutate       (bytes, draw, other inputs) -> bytes that resemble the format
    seeds        initial inputs, generated because some depend on the version
    shares       name of a target whose corpus is used as well, "" for none
    """

    name: str
    description: str
    take: Callable[[bytes, Path], Outcome]
    mutate: Callable[[bytes, Random, Sequence[bytes]], bytes]
    seeds: Callable[[], list[bytes]]
    shares: str = ""


def read_or_refused(path: Path, read: Callable[[str], object]) -> Outcome:
    """Read a file and check its error or notes."""
    try:
        found = read(str(path))
    except InputError as error:
        check_error(error, path)
        return Outcome.REFUSED
    for note in getattr(found, "notes", ()):
        check_note(note)
    return Outcome.READ


def check_error(error: InputError, path: Path) -> None:
    """Check that an error names the file and a remedy and can be shown."""
    text = str(error)
    if path.name not in text:
        raise Broken(f"the error does not name {path.name}: {text[:300]}")
    if not error.hint:
        raise Broken(f"the error has no remedy: {text[:300]}")
    if len(text) > LONGEST_MESSAGE:
        raise Broken(f"the error has {len(text):,} characters: {text[:300]}")
    _check_text(text)


def check_note(note: Note) -> None:
    """Check that a note can be shown."""
    if len(note.message) > LONGEST_MESSAGE:
        raise Broken(f"the note has {len(note.message):,} characters: {note.message[:300]}")
    _check_text(note.message)


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Broken(f"a message is not valid Unicode: {text[:300]!r}") from error


@contextmanager
def bounded(limit_s: float = LIMIT_S) -> Iterator[None]:
    """Raises Broken if the body takes more CPU time, or ten times as long by the clock.

    Without effect outside the main thread and on systems without signals.
    """
    if not hasattr(signal, "SIGPROF") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong(f"at {frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "")

    limits = (
        (signal.SIGPROF, signal.ITIMER_PROF, limit_s),
        (signal.SIGALRM, signal.ITIMER_REAL, _LONGEST_WAIT * limit_s),
    )
    before: list[Any] = [signal.signal(number, stop) for number, _, _ in limits]
    for _, timer, seconds in limits:
        signal.setitimer(timer, seconds)
    try:
        yield
    except TooLong as error:
        raise Broken(f"took more than {limit_s:g} s, {error}") from error
    finally:
        for (number, timer, _), handler in zip(limits, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def bound_memory(more: int = MOST_BYTES) -> None:
    """Limit this process to `more` bytes above its current size; beyond that it gets MemoryError."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[0])
    except OSError:
        return  # no Linux
    limit = pages * resource.getpagesize() + more
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
