"""Entry point: parses, runs one command, turns errors for users into one line and an exit status."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from typing import NoReturn, Protocol, TextIO

from tb_perfcompare._version import __version__
from tb_perfcompare.cli import baseline, cache, diff, history, pairs, record, runs, strict, trace, verdicts, view
from tb_perfcompare.cli.output import Console
from tb_perfcompare.errors import PerfCompareError

PROGRAM = "tb-perfcompare"

DONE = 0
BAD_INPUT = 2
INTERRUPTED = 130


class Command(Protocol):
    """What a command's module offers. Its docstring is the command's help."""

    NAME: str
    __doc__: str | None

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's own arguments."""
        ...

    def run(self, arguments: argparse.Namespace, console: Console) -> int:
        """Does it; returns the exit status."""
        ...


COMMANDS: tuple[Command, ...] = (runs, pairs, view, diff, verdicts, strict, trace, baseline, record, history, cache)


class _UsageError(Exception):
    """A command line that cannot be understood; the text is for the user."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _UsageError(f"{self.prog}: {message}; see {self.prog} --help")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _Parser(
        prog=PROGRAM, allow_abbrev=False,
        description="Compare two profiler runs: which is slower, by how much, is the difference real, and why.",
        epilog="exit status: 0 done (gate passed), 1 the gate tripped, 3 the gate cannot tell, 2 bad input or usage",
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    for command in COMMANDS:
        text = (command.__doc__ or "").strip()
        summary = text.partition("\n")[0]
        own = commands.add_parser(
            command.NAME, help=summary, description=text, allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        command.add_arguments(own)
        own.set_defaults(run=command.run)
    return parser


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; what no command knows is an error of the command, not of the program."""
    arguments, unknown = build_parser().parse_known_args(argv)
    if unknown:
        command = f"{PROGRAM} {arguments.command}"
        raise _UsageError(f"{command}: unrecognized arguments: {' '.join(unknown)}; see {command} --help")
    return arguments


def main(argv: Sequence[str] | None = None, stdout: TextIO | None = None, stderr: TextIO | None = None) -> int:
    """Runs one command and returns its exit status. The streams default to the process's own."""
    console = Console(stdout or sys.stdout, stderr or sys.stderr)
    logging.getLogger("tb_perfcompare").addHandler(logging.NullHandler())  # what matters is in the error's one line
    try:
        return _run(argv, console)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        console.finish()


def _run(argv: Sequence[str] | None, console: Console) -> int:
    try:
        arguments = _parsed(argv)
    except _UsageError as error:
        console.complain(str(error))
        return BAD_INPUT
    except SystemExit as request:  # --help and --version have printed what was asked for
        return int(request.code or DONE)
    try:
        status: int = arguments.run(arguments, console)
    except PerfCompareError as error:
        console.complain(f"{PROGRAM} {arguments.command}: {error}")
        return BAD_INPUT
    return status
