"""Every error that a user can meet.

Each message is written for the user: what went wrong, where, and what to do.

PerfCompareError
├─ InputError                 a file: path, place in it, remedy
│  ├─ UnrecognisedFormat      no reader accepts it; what each reader said
│  ├─ InputChanged            another program wrote it while it was read
│  └─ CorruptInput            nothing usable could be read
├─ SelectionError             unknown run, worker, span or view, with the available ones
│  └─ MarkerMissing           a recording without the requested step marker
├─ NotComparable              the two sides have no metric in common
├─ OutOfMemory                the work exceeds its memory limit or the system's memory
└─ Cancelled                  the work was stopped on request
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import Any

LONGEST_MESSAGE = 2000
"""Maximum length in characters: messages contain names from files, which may have any length."""


_MAX_NAMED = 20


def choices(name: str, known: Iterable[str], most: int = _MAX_NAMED) -> str:
    """Hint for an unknown name: the names spelled much like it, otherwise the available names."""
    from difflib import get_close_matches

    names = list(known)
    if near := get_close_matches(name, names, n=3):
        return f"did you mean {' or '.join(map(repr, near))}?"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"there are: {', '.join(names[:most])}{more}" if names else "there are none"


def shortened(message: str) -> str:
    """The message, its middle replaced by an ellipsis if it is longer than LONGEST_MESSAGE."""
    if len(message) <= LONGEST_MESSAGE:
        return message
    half = LONGEST_MESSAGE // 2
    return f"{message[:half]} … {message[-half:]}"


class PerfCompareError(Exception):
    """Base of all errors whose text is meant for the user. `code` is stable and appears in the API."""

    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # errors are pickled by worker processes: restore attributes, since constructors take different arguments
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[PerfCompareError], args: tuple[Any, ...], attributes: dict[str, Any]) -> PerfCompareError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(attributes)
    return error


class InputError(PerfCompareError):
    """A file cannot be used. `path` names it, `place` says where in it ("" for the whole file)."""

    code = "input"

    def __init__(self, path: str, message: str, *, place: str = "", hint: str = "") -> None:
        message, place = shortened(message), shortened(place)
        where = f"{path}: {place}" if place else path
        super().__init__(f"{where}: {message}", hint=hint)
        self.path = path
        self.place = place
        self.reason = message


def unreadable(path: str, error: OSError) -> InputError:
    """Builds the InputError for a file that cannot be opened or read, from the system's message."""
    hint = "check the path" if isinstance(error, FileNotFoundError) else "check that it is a readable file"
    return InputError(path, error.strerror or str(error), hint=hint)


class UnrecognisedFormat(InputError):
    """No reader accepts the file."""

    code = "unrecognised"


class InputChanged(InputError):
    """The file is not in the requested state, or changed while it was read."""

    code = "changed"

    def __init__(
        self, path: str, message: str = "changed while it was read", *, place: str = "",
        hint: str = "ask again when it is written completely",
    ) -> None:  # fmt: skip
        super().__init__(path, message, place=place, hint=hint)


class CorruptInput(InputError):
    """A reader accepted the file and found nothing usable in it."""

    code = "corrupt"


class SelectionError(PerfCompareError):
    """A run, worker, span, table or view does not exist, or several match where one is needed."""

    code = "selection"


class MarkerMissing(SelectionError):
    """A recording lacks the requested step marker; the hint lists the markers it has."""


class NotComparable(PerfCompareError):
    """The two sides share no metric."""

    code = "not_comparable"


class OutOfMemory(PerfCompareError):
    """The work needs more memory than its limit allows or the system has."""

    code = "out_of_memory"


REFUSED_MEMORY = (MemoryError, ImportError, OSError, RuntimeError)
"""What Python raises when the system refuses memory: for values, modules, processes and threads. They have other causes
as well; `out_of_memory` tells them apart."""

_REFUSAL_MESSAGES = ("failed to map segment", "cannot allocate memory", "can't start new thread")


def out_of_memory(error: BaseException) -> OutOfMemory | None:
    """Builds the OutOfMemory error if `error` means that the system refused memory; None otherwise."""
    text = str(error).lower()
    refused = isinstance(error, OSError) and error.errno == errno.ENOMEM
    refused = refused or (isinstance(error, REFUSED_MEMORY) and any(phrase in text for phrase in _REFUSAL_MESSAGES))
    if not refused and not isinstance(error, MemoryError):
        return None
    return OutOfMemory(
        "the system gave no more memory",
        hint="give the process more: look at ulimit -v, the container's limit, TB_PERFCOMPARE_MEMORY_MB, and what else "
        "runs on the machine",
    )


class Cancelled(PerfCompareError):
    """The work was stopped on request."""

    code = "cancelled"

    def __init__(self) -> None:
        super().__init__("cancelled")
