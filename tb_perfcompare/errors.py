"""Everything that can go wrong for a user.

The message of every error is for the user: what, where, what to do.

PerfCompareError
├─ InputError                 a file: path, place in it, remedy
│  ├─ UnrecognisedFormat      what each reader said about it
│  ├─ InputChanged            somebody writes it while it is read
│  └─ CorruptInput            nothing usable could be read
├─ SelectionError             unknown run, worker, span or view, with what there is
│  └─ MarkerMissing           a recording without the marker of steps that was asked for
├─ NotComparable              the two sides have nothing in common to compare
├─ OutOfMemory                the work needs more than it may take, or than there is
└─ Cancelled                  somebody asked for the work to stop
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import Any

LONGEST_MESSAGE = 2000
"""Characters of a message: names in it come from files and may have any length."""


_MOST_NAMED = 20


def choices(name: str, known: Iterable[str], most: int = _MOST_NAMED) -> str:
    """The hint for a name there is not: those that are spelled much like it, else what there is."""
    from difflib import get_close_matches

    names = list(known)
    if near := get_close_matches(name, names, n=3):
        return f"did you mean {' or '.join(map(repr, near))}?"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"there are: {', '.join(names[:most])}{more}" if names else "there are none"


def shortened(message: str) -> str:
    """The message without its middle, if it is too long to be read."""
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
        # errors travel from the processes that read; the constructors' arguments differ, the attributes do not
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[PerfCompareError], args: tuple[Any, ...], attributes: dict[str, Any]) -> PerfCompareError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(attributes)
    return error


class InputError(PerfCompareError):
    """A file cannot be used. `path` names it, `place` says where in it ("" when the whole file is meant)."""

    code = "input"

    def __init__(self, path: str, message: str, *, place: str = "", hint: str = "") -> None:
        message, place = shortened(message), shortened(place)
        where = f"{path}: {place}" if place else path
        super().__init__(f"{where}: {message}", hint=hint)
        self.path = path
        self.place = place
        self.reason = message


def unreadable(path: str, error: OSError) -> InputError:
    """What the system says about a file that cannot be opened or read."""
    hint = "check the path" if isinstance(error, FileNotFoundError) else "check that it is a readable file"
    return InputError(path, error.strerror or str(error), hint=hint)


class UnrecognisedFormat(InputError):
    """No reader takes the file."""

    code = "unrecognised"


class InputChanged(InputError):
    """The file is not in the state that was meant, or did not stay in it while it was read."""

    code = "changed"

    def __init__(
        self, path: str, message: str = "changed while it was read", *, place: str = "",
        hint: str = "ask again when it is written completely",
    ) -> None:  # fmt: skip
        super().__init__(path, message, place=place, hint=hint)


class CorruptInput(InputError):
    """A reader took the file and found nothing usable in it."""

    code = "corrupt"


class SelectionError(PerfCompareError):
    """A run, worker, span, table or view that does not exist, or more than one where one is needed."""

    code = "selection"


class MarkerMissing(SelectionError):
    """A recording lacks the marker of steps that was asked for; the hint says what it has."""


class NotComparable(PerfCompareError):
    """The two sides share no metric."""

    code = "not_comparable"


class OutOfMemory(PerfCompareError):
    """The work needs more memory than it may take, or than there is."""

    code = "out_of_memory"


REFUSED_MEMORY = (MemoryError, ImportError, OSError, RuntimeError)
"""What Python raises where the system gives no memory: for values, modules, processes and threads. `out_of_memory`
tells which of them mean that."""

_WORDS_OF_REFUSAL = ("failed to map segment", "cannot allocate memory", "can't start new thread")


def out_of_memory(error: BaseException) -> OutOfMemory | None:
    """What the user is told if the error means that the system gave no more memory, else None."""
    text = str(error).lower()
    refused = isinstance(error, OSError) and error.errno == errno.ENOMEM
    refused = refused or (isinstance(error, REFUSED_MEMORY) and any(words in text for words in _WORDS_OF_REFUSAL))
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
