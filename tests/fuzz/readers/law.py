"""What every target has to keep, whatever the bytes: returned or refused, in words, in bounded time.

A reader returns, or raises an InputError that names the file and a remedy and is short enough to be shown. Any other
exception breaks the law, and so does one that takes too long or too much memory.
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
"""Characters of an error or a note; more is no sentence."""

LIMIT_S = 20.0
"""Of processor time for one input. Inputs are small: what takes a second on a quiet machine is worth a look already."""
_LONGEST_WAIT = 10
"""Times that limit, by the clock."""

MOST_BYTES = 4 << 30
"""Of address space that one input may add."""


class Outcome(Enum):
    """What became of an input that broke no law."""

    READ = "read"
    REFUSED = "refused"


class Broken(AssertionError):
    """A law was broken; the text says which."""


class TooLong(BaseException):
    """Raised in the middle of whatever takes too long; nothing catches it by accident."""


@dataclass(frozen=True, slots=True)
class Target:
    """One way into the product.

    name    of the command line and of the directory of its corpus
    what    what is read, for tables
    take    (bytes, an empty directory of its own) -> what became of them; raises whatever the product raises
    mutate  (bytes, draw, other inputs) -> other bytes that still look like the format
    seeds   inputs to begin with, made anew: those that depend on the version cannot be kept in files
    alike   name of the target whose corpus is used too, "" for none
    """

    name: str
    what: str
    take: Callable[[bytes, Path], Outcome]
    mutate: Callable[[bytes, Random, Sequence[bytes]], bytes]
    seeds: Callable[[], list[bytes]]
    alike: str = ""


def read_or_refused(path: Path, read: Callable[[str], object]) -> Outcome:
    """Reads a file under the law about errors and notes."""
    try:
        found = read(str(path))
    except InputError as error:
        check_error(error, path)
        return Outcome.REFUSED
    for note in getattr(found, "notes", ()):
        check_note(note)
    return Outcome.READ


def check_error(error: InputError, path: Path) -> None:
    """It names the file, says what to do, and can be shown."""
    text = str(error)
    if path.name not in text:
        raise Broken(f"the error does not name {path.name}: {text[:300]}")
    if not error.hint:
        raise Broken(f"the error has no remedy: {text[:300]}")
    if len(text) > LONGEST_MESSAGE:
        raise Broken(f"the error has {len(text):,} characters: {text[:300]}")
    _check_text(text)


def check_note(note: Note) -> None:
    """A note can be shown."""
    if len(note.message) > LONGEST_MESSAGE:
        raise Broken(f"the note has {len(note.message):,} characters: {note.message[:300]}")
    _check_text(note.message)


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Broken(f"a message that is no Unicode: {text[:300]!r}") from error


@contextmanager
def bounded(limit_s: float = LIMIT_S) -> Iterator[None]:
    """Raises Broken where the body takes more of the processors, or waits ten times as long (a busy machine is no
    failure), in the main thread of a system with signals."""
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
    """From now on this process cannot have more than so many bytes above what it has: MemoryError instead."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[0])
    except OSError:
        return  # no Linux
    limit = pages * resource.getpagesize() + more
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
