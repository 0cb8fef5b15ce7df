"""Entry point: parses arguments, runs one command, turns errors for users into one line and an exit status."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import NoReturn, Protocol, TextIO, cast

from tb_perfcompare._version import __version__
from tb_perfcompare.cli.output import Console, columns
from tb_perfcompare.errors import REFUSED_MEMORY, PerfCompareError, choices, out_of_memory
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.collector import paused_collector
from tb_perfcompare.workspace.workers.limits import check_address_space

PROGRAM = "tb-perfcompare"

DONE = 0
BAD_INPUT = 2
DEFECT = 70
INTERRUPTED = 130


class Command(Protocol):
    """Interface of a command's module, whose docstring is the command's help."""

    __doc__: str | None

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        ...

    def run(self, arguments: argparse.Namespace, console: Console) -> int:
        """Runs the command and returns the exit status."""
        ...


COMMANDS: dict[str, str] = {
    "runs": "List runs, workers and spans below a log directory, with device, steps, size and notes.",
    "pairs": "Suggest which runs to compare, by their names: best pair first, each with its reason.",
    "view": "Show one run: its overview, steps, operators, kernels and more.",
    "ab": "Run two commands alternately under the profiler until the verdict is settled.",
    "diff": "Compare CANDIDATE with BASELINE: which is slower, by how much, is the difference real, and why.",
    "verdicts": "Compare several runs with one BASELINE: a row per CANDIDATE, with p adjusted for their number.",
    "strict": (
        'Compare two recordings in the "Strict Performance Comparison" format: per-cycle tables '
        "(*_perf_data.csv), or traces."
    ),
    "trace": "Write chosen steps as a trace of their own, for a trace viewer such as Perfetto.",
    "baseline": "Save runs as baselines: small files, fit to commit, that replace the traces in comparisons.",
    "record": "Add a recorded run to a series: a TensorBoard event file, which history and TensorBoard show.",
    "history": (
        "Show a series of runs over time: the level of the step time, where it changes, and each run's verdict."
    ),
    "cache": "Show or empty the cache, which makes reopening large runs fast.",
}
"""Name of a command, also of its module -> first line of its help. Only the module of the command that is used is
imported, as importing all takes longer than most commands run."""


_ALGEBRA = "OPENBLAS_NUM_THREADS"


class _UsageError(Exception):
    """A command line that cannot be parsed, with a message for the user."""


_WRONG_CHOICE = regex(r"invalid choice: '(.*?)' \(choose from (.*)\)")
_QUOTED = regex(r"[\w-]+")
_OPTION = regex(r"--[\w-]+")


class _Help(argparse.HelpFormatter):
    """Keeps the paragraphs of a description. argparse creates a formatter for every argument added, so it must be
    cheap to create."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=columns() - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.split("\n\n")
        return "\n\n".join(super(_Help, self)._fill_text(paragraph, width, indent) for paragraph in paragraphs)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        wrong = _WRONG_CHOICE.search(message)
        if wrong and (near := _near(wrong[1], _QUOTED.findall(wrong[2]))):
            message = f"{message.partition(' (choose from')[0]}{near}"
        raise _usage_error(self.prog, message)


def _near(name: str, known: Iterable[str]) -> str:
    """Clause with the names spelled much like an unknown one; "" if there are none."""
    near = choices(name, known)
    return f"; {near}" if near.startswith("did you mean") else ""


def _usage_error(command: str, message: str) -> _UsageError:
    end = " See" if message.endswith("?") else "; see"
    return _UsageError(f"{command}: {message}{end} {command} --help")


def build_parser(used: Iterable[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """Builds the parser for the commands in `used`; if none of them exists, for all commands, without their
    arguments."""
    parser = _Parser(
        prog=PROGRAM, allow_abbrev=False, formatter_class=_Help,
        description="Compare two profiler runs: which is slower, by how much, is the difference real, and why.",
        epilog="exit status: 0 done (gate passed), 1 the gate tripped, 2 bad input or usage, 3 the gate cannot tell, "
        "70 a bug in this program, 130 interrupted",
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    selected = [name for name in COMMANDS if name in used]
    for name in selected or COMMANDS:
        summary = COMMANDS[name]
        if not selected:
            commands.add_parser(name, help=summary, formatter_class=_Help)
            continue
        check_address_space()
        with _single_threaded_algebra():
            command = cast(Command, import_module(f"tb_perfcompare.cli.{name}"))
        subparser = commands.add_parser(
            name, help=summary, description=(command.__doc__ or "").strip(), allow_abbrev=False,
            formatter_class=_Help,
        )  # fmt: skip
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run, usage=subparser.format_usage)
    return parser


@contextlib.contextmanager
def _single_threaded_algebra() -> Iterator[None]:
    """Limits numpy's linear algebra library to one thread during the `with` body, in which it is imported: it would
    start a thread per core, which takes longer than any use of it here. Programs started later do not inherit that."""
    if _ALGEBRA in os.environ:
        yield
        return
    os.environ[_ALGEBRA] = "1"
    try:
        yield
    finally:
        del os.environ[_ALGEBRA]


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses the command line. Errors about unknown arguments name the command, not just the program."""
    given = sys.argv[1:] if argv is None else argv
    arguments, unknown = build_parser(given[:1]).parse_known_args(given)
    if unknown:
        near = _near(unknown[0], _OPTION.findall(arguments.usage()))
        message = f"unrecognized arguments: {' '.join(unknown)}{near}"
        raise _usage_error(f"{PROGRAM} {arguments.command}", message)
    return arguments


def process() -> NoReturn:
    """Runs `main` as this process and exits. Collects no garbage and leaves freeing memory to the system: Python would
    take 5 to 12 ms for it. Profilers that report when Python ends have to run `main`."""
    with paused_collector():
        status = main()
        atexit._run_exitfuncs()
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
        except OSError:
            sys.exit(status)  # Python tries again and reports it
        os._exit(status)


def main(argv: Sequence[str] | None = None, stdout: TextIO | None = None, stderr: TextIO | None = None) -> int:
    """Runs one command and returns its exit status. The streams default to the process's own."""
    console = Console(stdout or sys.stdout, stderr or sys.stderr)
    logging.getLogger("tb_perfcompare").addHandler(logging.NullHandler())  # errors are reported in one line instead
    try:
        return _run(argv, console)
    except KeyboardInterrupt:
        return INTERRUPTED
    except REFUSED_MEMORY as error:
        refused = out_of_memory(error)
        if refused is None:
            console.fail(error)
            return DEFECT
        console.warn(f"{PROGRAM}: {refused}")
        return BAD_INPUT
    except Exception as error:  # Python would exit with 1, which means that a gate tripped
        console.fail(error)
        return DEFECT
    finally:
        console.clear()


def _run(argv: Sequence[str] | None, console: Console) -> int:
    try:
        arguments = _parsed(argv)
    except _UsageError as error:
        console.warn(str(error))
        return BAD_INPUT
    except PerfCompareError as error:
        console.warn(f"{PROGRAM}: {error}")
        return BAD_INPUT
    except SystemExit as request:  # from --help and --version, which have printed their text
        return int(request.code or DONE)
    try:
        status: int = arguments.run(arguments, console)
    except PerfCompareError as error:
        console.warn(f"{PROGRAM} {arguments.command}: {error}")
        return BAD_INPUT
    return status
