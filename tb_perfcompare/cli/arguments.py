"""Arguments that several commands share, and parsers of their values."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeVar

from tb_perfcompare.comparison.result.options import WINDOWS
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.model.device_peaks import parse_peak
from tb_perfcompare.model.summary.iterations import ORIGINS
from tb_perfcompare.workspace.inputs.sides import parse_steps

T = TypeVar("T")

_LONGEST_MARKER = 1_000


def as_argument(parse: Callable[[str], T]) -> Callable[[str], T]:
    """Wraps a parser so that it raises argparse's ArgumentTypeError for a PerfCompareError."""

    def parsed(text: str) -> T:
        try:
            return parse(text)
        except PerfCompareError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return parsed


steps = as_argument(parse_steps)


def add_selection(parser: argparse.ArgumentParser, what: str = "") -> None:
    """Adds --worker, --span and --steps."""
    parser.add_argument("--worker", metavar="NAME", help=f"only this worker{what} (default: all)")
    parser.add_argument("--span", metavar="LABEL", help=f"only this span{what} (default: all)")
    parser.add_argument(
        "--steps", metavar="3-10", type=steps, help=f"only the steps with these numbers{what}, both ends included"
    )


def add_all_steps(parser: argparse.ArgumentParser) -> None:
    """Adds --all-steps."""
    parser.add_argument("--all-steps", action="store_true", help="include incomplete and warm-up steps")


def add_side_selection(parser: argparse.ArgumentParser, side: str) -> None:
    """Adds --baseline-worker, --baseline-span and --baseline-steps (for side "baseline"), which take precedence over
    the options for both sides."""
    parser.add_argument(f"--{side}-worker", metavar="NAME", help=f"--worker for the {side} side only")
    parser.add_argument(f"--{side}-span", metavar="LABEL", help=f"--span for the {side} side only")
    parser.add_argument(f"--{side}-steps", metavar="3-10", type=steps, help=f"--steps for the {side} side only")


def add_launches(parser: argparse.ArgumentParser, side: str = "") -> None:
    """Adds --launches, or --baseline-launches for side "baseline"."""
    whose = f" of the {side}" if side else ""
    parser.add_argument(
        f"--{side}-launches" if side else "--launches", metavar="FILE",
        help=f"add utilisation to the kernels{whose} from a kernel listing or ncu --csv export of the same program",
    )  # fmt: skip


def add_counters(parser: argparse.ArgumentParser, side: str = "") -> None:
    """Adds --counters, or --baseline-counters for side "baseline"."""
    whose = f"the {side} side" if side else "the run"
    parser.add_argument(
        f"--{side}-counters" if side else "--counters", metavar="FILE",
        help=f"*_counters_data.csv with counters sampled while {whose} was recorded",
    )  # fmt: skip


def add_step_window(parser: argparse.ArgumentParser) -> None:
    """Adds --step-window."""
    parser.add_argument(
        "--step-window", choices=WINDOWS, default=WINDOWS[0],
        help="where a step ends: when its device work ends (device, the default) or at the next marker (marker)",
    )  # fmt: skip


def add_step_marker(parser: argparse.ArgumentParser) -> None:
    """Adds --step-marker."""
    parser.add_argument(
        "--step-marker", metavar="NAME", type=_marker, default="",
        help="what delimits the steps of a trace: a name with * for its numbers ('execute_*'), or "
        f"{', '.join(ORIGINS[:-1])} or {ORIGINS[-1]} (default: profiler.step(), else whatever repeats)",
    )  # fmt: skip


def add_kind(parser: argparse.ArgumentParser) -> None:
    """Adds --kind."""
    parser.add_argument(
        "--kind", metavar="NAME", type=_marker, default="",
        help="only iterations of this kind: the name of their markers ('step[DECODE*', * matches anything), "
        "or a row of the table iteration_kinds",
    )  # fmt: skip


def add_peaks(parser: argparse.ArgumentParser, sides: bool = False) -> None:
    """Adds --peak; with `sides` its help mentions peaks for one side."""
    parser.add_argument(
        "--peak", metavar="TYPE=TFLOP/S", type=as_argument(parse_peak), action="append", default=[], dest="peaks",
        help="use this peak instead of the data sheet's: bf16=989 (TFLOP/s), memory=3350 (GB/s); repeatable"
        + ("; candidate:bf16=989 applies to one side" if sides else ""),
    )  # fmt: skip


def add_scheduler(parser: argparse.ArgumentParser) -> None:
    """Adds --scheduler."""
    parser.add_argument("--scheduler", metavar="ADDRESS", help="read the files on the Dask cluster with this scheduler")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Adds -o."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")


def add_top(parser: argparse.ArgumentParser, default: str) -> None:
    """Adds --top."""
    parser.add_argument("--top", metavar="N", type=positive, help=f"rows per table (default: {default})")


def _marker(text: str) -> str:
    if len(text) > _LONGEST_MARKER:
        raise argparse.ArgumentTypeError(f"use at most {_LONGEST_MARKER:,} characters")
    return text


def positive(text: str) -> int:
    """Parses a whole number of at least 1. Raises ArgumentTypeError."""
    if not text.isdecimal() or not 1 <= int(text) <= 10**9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)
