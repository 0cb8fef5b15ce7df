"""Runs the command line in this process, as a user would type it."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass

from tb_perfcompare.cli.main import main


@dataclass(frozen=True, slots=True)
class Outcome:
    """Exit status and what was printed."""

    status: int
    out: str
    err: str


class TerminalText(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def tb_perfcompare(*words: str | os.PathLike[str], terminal: bool = False, screen: bool = False) -> Outcome:
    """`terminal`: standard error is one; `screen`: standard output."""
    out = TerminalText() if screen else io.StringIO()
    err = TerminalText() if terminal else io.StringIO()
    status = main([os.fspath(word) for word in words], out, err)
    return Outcome(status, out.getvalue(), err.getvalue())
