"""The launcher's command line."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

OUT_VARIABLE = "TB_PERFCOMPARE_OUT"
"""Environment variable with the directory for traces."""

DEFAULT_OUT = "tb_perfcompare_traces"

_LOCAL_RANK = re.compile(r"--local[-_]rank=\d+")
"""First argument that deepspeed and torch.distributed.launch pass to the script that they start."""


@dataclass(frozen=True)
class Schedule:
    """Numbers of steps to wait, to warm up and to record, and number of recordings."""

    wait: int = 5
    warmup: int = 3
    active: int = 10
    repeat: int = 1


@dataclass(frozen=True)
class CaptureOptions:
    """Options of a recording.

    step   function whose calls are steps, "" for the optimizer's
    whole  record from `import torch` to the end
    stop   end the program after the recording
    """

    out: str
    schedule: Schedule = Schedule()
    step: str = ""
    whole: bool = False
    shapes: bool = True
    stacks: bool = False
    memory: bool = False
    stop: bool = False


@dataclass(frozen=True)
class Program:
    """A script (a module with `is_module`) and its arguments."""

    name: str
    arguments: tuple[str, ...]
    is_module: bool = False


def add_capture(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Adds the options of a recording."""
    usual = Schedule()
    for name, kind, text in (
        ("wait", _count, "steps before the profiler starts"),
        ("warmup", _count, "steps that the profiler discards"),
        ("active", _positive, "steps to record"),
    ):
        default = getattr(usual, name)
        parser.add_argument(
            f"--{name}", metavar="N", type=kind, default=default, help=f"{text} (default: {default})"
        )
    parser.add_argument(
        "--step", metavar="MODULE:FUNCTION", type=_function,
        help="a step ends when this function returns, such as __main__:train_step (default: optimizer.step)",
    )  # fmt: skip
    parser.add_argument("--whole", action="store_true", help="record everything from `import torch` on, without steps")
    parser.add_argument("--no-shapes", action="store_true", help="do not record input shapes")
    parser.add_argument("--stacks", action="store_true", help="record Python stacks")
    parser.add_argument("--memory", action="store_true", help="record memory")
    parser.add_argument("--stop-after-capture", action="store_true", help="end the program after the recording")


def capture_words(arguments: argparse.Namespace) -> list[str]:
    """Formats the options as words of the launcher's command line."""
    words = []
    for name in ("wait", "warmup", "active", "step"):
        value = getattr(arguments, name)
        if value is not None:
            words += [f"--{name}", str(value)]
    return words + [
        f"--{name.replace('_', '-')}"
        for name in ("whole", "no_shapes", "stacks", "memory", "stop_after_capture")
        if getattr(arguments, name)
    ]


def parse(argv: Sequence[str]) -> tuple[CaptureOptions, Program]:
    """Parses the launcher's options and the program. Exits with status 2 if they are invalid."""
    parser = argparse.ArgumentParser(
        prog="python -m tb_perfcompare.capture", allow_abbrev=False,
        usage="python -m tb_perfcompare.capture [options] (SCRIPT | -m MODULE) [arguments]",
        description="Run a script under torch.profiler. The script needs no change, no step marks and no profiler.",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="DIR", help=f"where traces go (default: ${OUT_VARIABLE}, else {DEFAULT_OUT})"
    )
    add_capture(parser)
    parser.add_argument("--repeat", metavar="N", type=_positive, default=1, help="number of recordings (default: 1)")
    parser.add_argument("-m", dest="module", action="store_true", help="SCRIPT is a module")
    parser.add_argument("program", metavar="SCRIPT", nargs=argparse.REMAINDER, help="the script and its arguments")
    to_program = tuple(argv[:1]) if argv and _LOCAL_RANK.fullmatch(argv[0]) else ()
    given = parser.parse_args(argv[len(to_program) :])
    words = given.program[1:] if given.program[:1] == ["--"] else given.program
    if not words:
        parser.error("no script to run")
    options = CaptureOptions(
        os.path.abspath(given.out or os.environ.get(OUT_VARIABLE) or DEFAULT_OUT),  # the program may change directory
        Schedule(given.wait, given.warmup, given.active, given.repeat), given.step or "", given.whole,
        not given.no_shapes, given.stacks, given.memory, given.stop_after_capture,
    )  # fmt: skip
    return options, Program(words[0], (*to_program, *words[1:]), given.module)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _positive(text: str) -> int:
    if not _count(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _function(text: str) -> str:
    module, colon, function = text.partition(":")
    if not (colon and module and function):
        raise argparse.ArgumentTypeError(f"{text!r} is not MODULE:FUNCTION, such as __main__:train_step")
    return text
