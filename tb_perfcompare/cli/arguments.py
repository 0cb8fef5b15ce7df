"""Arguments that several commands share, and parsers of their values."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, TypeVar

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


def _marker(text: str) -> str:
    if len(text) > _LONGEST_MARKER:
        raise argparse.ArgumentTypeError(f"use at most {_LONGEST_MARKER:,} characters")
    return text


def positive(text: str) -> int:
    """Parses a whole number of at least 1. Raises ArgumentTypeError."""
    if not text.isdecimal() or not 1 <= int(text) <= 10**9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


_STEPS = as_argument(parse_steps)
_OPTIONS: dict[str, dict[str, Any]] = {
    "worker": {"metavar": "NAME", "help": "only this worker{of} (default: all)"},
    "span": {"metavar": "LABEL", "help": "only this span{of} (default: all)"},
    "steps": {
        "metavar": "3-10", "type": _STEPS, "help": "only these steps{of}, both ends included",
    },
    "all-steps": {"action": "store_true", "help": "include incomplete and warm-up steps"},
    "launches": {
        "metavar": "FILE", "help": "kernel listing or ncu --csv export with the utilization of the kernels{of}",
    },
    "counters": {
        "metavar": "FILE", "help": "*_counters_data.csv, sampled while {whole} was recorded",
    },
    "step-window": {
        "choices": WINDOWS, "default": WINDOWS[0],
        "help": "a step ends with its device work (device, the default) or at the next marker (marker)",
    },
    "step-marker": {
        "metavar": "NAME", "type": _marker, "default": "",
        "help": "what delimits steps: a marker name with * for its numbers ('execute_*'), or "
        f"{', '.join(ORIGINS[:-1])} or {ORIGINS[-1]} (default: profiler.step(), else what repeats)",
    },
    "kind": {
        "metavar": "NAME", "type": _marker, "default": "",
        "help": "only this kind of iteration: its markers ('step[DECODE*') or a row of the table iteration_kinds",
    },
    "peak": {
        "metavar": "TYPE=TFLOP/S", "type": as_argument(parse_peak), "action": "append", "default": [], "dest": "peaks",
        "help": "peak of the device: bf16=989 (TFLOP/s), memory=3350 (GB/s); repeatable{of}",
    },
    "scheduler": {"metavar": "ADDRESS", "help": "read files on the Dask cluster of this scheduler"},
    "top": {"metavar": "N", "type": positive, "help": "rows per table (default: {of})"},
}  # fmt: skip
"""Option -> arguments of add_argument. In a help text {of} says what the option applies to, {whole} the run or side."""

SELECTION = ("worker", "span", "steps")


def add_options(parser: argparse.ArgumentParser, *names: str, of: str = "") -> None:
    """Adds the named options; `of` completes their help texts."""
    for name in names:
        option = _OPTIONS[name]
        parser.add_argument(f"--{name}", **{**option, "help": option["help"].format(of=of, whole="the run")})


def add_side_options(parser: argparse.ArgumentParser, side: str, *names: str) -> None:
    """Adds options for one side: --baseline-launches and the like. Those of SELECTION override those for both sides."""
    for name in names:
        option = _OPTIONS[name]
        text = f"--{name} for the {side} side only" if name in SELECTION else option["help"]
        about = text.format(of=f" of the {side}", whole=f"the {side} side")
        parser.add_argument(f"--{side}-{name}", **{**option, "help": about})


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
