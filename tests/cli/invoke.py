"""Runs the command line in this process."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import dataclass
from typing import Any

from tb_perfcompare.cli.main import main


@dataclass(frozen=True, slots=True)
class Outcome:
    """Exit status, standard output and standard error."""

    status: int
    out: str
    err: str


class TerminalText(io.StringIO):
    """A text stream that counts as a terminal."""

    def isatty(self) -> bool:
        return True


def tb_perfcompare(*words: str | os.PathLike[str], terminal: bool = False, screen: bool = False) -> Outcome:
    """Run a command; `terminal`: standard error is one, `screen`: standard output is."""
    out = TerminalText() if screen else io.StringIO()
    err = TerminalText() if terminal else io.StringIO()
    status = main([os.fspath(word) for word in words], out, err)
    return Outcome(status, out.getvalue(), err.getvalue())


def json_of(*words: str | os.PathLike[str]) -> Any:
    """The JSON document that a command prints; `diff` prints its comparison."""
    options = ("--format", "json") if words[0] in ("diff", "verdicts") else ("--json",)
    return json.loads(tb_perfcompare(*words, *options).out)


def csv_rows(*words: str | os.PathLike[str]) -> list[dict[str, str]]:
    """The rows of a table that `diff` or `verdicts` prints as CSV; none if the comparison has no such table."""
    found = tb_perfcompare(*words, "--format", "csv")
    assert found.status == 0 or "has no table" in found.err, found.err
    return list(csv.DictReader(io.StringIO(found.out)))
