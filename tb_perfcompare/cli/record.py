"""Add a recorded run to a series: a TensorBoard event file, which history and TensorBoard show.

The point is a run: it can be compared without its trace. To record a program, use ab.
"""

from __future__ import annotations

import argparse
import socket
import time
from datetime import datetime, timezone

from tb_perfcompare.cli.arguments import SELECTION, add_options
from tb_perfcompare.cli.output import Console
from tb_perfcompare.cli.sources import RUN, add_baselines, named_side, new_workspace
from tb_perfcompare.number_text import many
from tb_perfcompare.workspace.baselines import saved_content
from tb_perfcompare.workspace.record_point import record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="RUN", help=RUN)
    parser.add_argument(
        "--into", metavar="LOGDIR", required=True, help="log directory to write into; created if missing"
    )
    parser.add_argument(
        "--series", metavar="NAME", required=True, help="the series: a directory in LOGDIR, such as nightly/a100"
    )
    parser.add_argument(
        "--at", metavar="TIME", type=_seconds, help="when the run was made: 2026-01-31T04:00, in UTC (default: now)"
    )
    parser.add_argument(
        "--label", metavar="TEXT", help="label of the point, such as a commit (default: the name of this machine)"
    )
    parser.add_argument("--replace", action="store_true", help="overwrite a point of the same time and label")
    add_options(parser, *SELECTION, "all-steps", "step-window", "step-marker", "kind")
    add_baselines(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    side = named_side(arguments, arguments.source)
    with new_workspace() as workspace:
        content = saved_content(side, arguments.step_window, workspace, console.progress)
    console.warn_of_lost_data(content.whole.notes)
    at_s = int(time.time()) if arguments.at is None else arguments.at
    label = arguments.label if arguments.label is not None else socket.gethostname() or "point"
    path, point = record(
        content, arguments.into, arguments.series, at_s=at_s, label=label, replacing=arguments.replace
    )  # fmt: skip
    console.answer(f"recorded {point.run}, {point.admitted:,} of {many(point.count, 'step')}: {path}\n".encode())
    return 0


def _seconds(text: str) -> int:
    """Parses an ISO 8601 time into seconds since 1970; without a time zone it is UTC, to mean the same on every
    machine."""
    try:
        moment = datetime.fromisoformat(text.removesuffix("Z"))
        if text.endswith("Z") and moment.tzinfo is not None:
            raise ValueError
        return int((moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp())
    except (ValueError, OverflowError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; write it as 2026-01-31T04:00") from error
