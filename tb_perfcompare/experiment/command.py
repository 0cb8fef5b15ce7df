"""Parses a user's command and inserts the launcher before its script."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.experiment.environment import shown_command
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.quick_dataclass import dataclass

LAUNCHER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "capture", "__main__.py")
"""Path of the launcher; run by path, as the program's interpreter need not have this package installed."""

_MODULE = "tb_perfcompare.capture"
_ASSIGNMENT = regex(r"[A-Za-z_]\w*=")
_PYTHON = regex(r"(?:python|pypy)[\d.]*(?:\.exe)?")
_MODULE_OR_CODE_INSIDE = regex(r"-[^-XWcm]*[cm].")
"""Python options that include what is run, such as -mpkg.train."""

_OPTIONS_WITH_VALUE = ("-X", "-W", "--check-hash-based-pycs")
_STARTERS = frozenset({"torchrun", "accelerate", "deepspeed", "uv"})
_STARTER_MODULES = frozenset({
    "torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch",
    "accelerate.commands.accelerate_cli", "deepspeed.launcher.runner",
})  # fmt: skip
_MODULE_OPTIONS = ("-m", "--module")


@dataclass(frozen=True, slots=True)
class Command:
    """Words of a command without a shell, and the variables assigned before it."""

    words: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The command for display, with secrets hidden."""
        return shown_command([*(f"{name}={value}" for name, value in self.variables), *self.words])

    @property
    def is_launched(self) -> bool:
        """Whether the launcher records the command, inserted by us or by the user."""
        return _MODULE in self.words or LAUNCHER in self.words or _script_place(self.words) is not None

    def launched(self, options: Sequence[str]) -> tuple[str, ...]:
        """Returns the words with the launcher inserted; unchanged if they have it or run no Python script."""
        if _MODULE in self.words or LAUNCHER in self.words:
            return self.words
        place = _script_place(self.words)
        if place is None:
            return self.words
        program = list(self.words[place:])
        if program[0] == "--module":
            program[0] = "-m"
        return (*self.words[:place], LAUNCHER, *options, *program)


def parse_command(text: str) -> Command:
    """Splits a command into words. Raises PerfCompareError if it cannot be split or has no program."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise PerfCompareError(f"{text!r} is not a command: {error}", hint="check its quotes") from error
    count = next((number for number, word in enumerate(words) if not _ASSIGNMENT.match(word)), len(words))
    if count == len(words):
        raise PerfCompareError(f"{text!r} has no command to run", hint="such as 'python train.py'")
    variables = tuple((name, value) for name, _, value in (word.partition("=") for word in words[:count]))
    return Command(tuple(words[count:]), variables)


def _script_place(words: Sequence[str]) -> int | None:
    """Index of the script, or of `-m` before a module; None without either."""
    for number, word in enumerate(words):
        base = os.path.basename(word)
        if _PYTHON.fullmatch(base):
            return _place_after_python(words, number + 1)
        if base in _STARTERS:
            return _place_after_starter(words, number + 1)
    return None


def _place_after_python(words: Sequence[str], place: int) -> int | None:
    while place < len(words):
        word = words[place]
        if word == "-m":
            module = words[place + 1] if place + 1 < len(words) else ""
            return _place_after_starter(words, place + 2) if module in _STARTER_MODULES else place
        if word in ("-c", "-") or _MODULE_OR_CODE_INSIDE.match(word):
            return None
        if not word.startswith("-"):
            return place
        place += 2 if word in _OPTIONS_WITH_VALUE else 1
    return None


def _place_after_starter(words: Sequence[str], place: int) -> int | None:
    for number in range(place, len(words)):
        if _PYTHON.fullmatch(os.path.basename(words[number])):
            return _place_after_python(words, number + 1)
        if words[number].endswith(".py") or words[number] in _MODULE_OPTIONS:
            return number
    return None
