"""Show a series of runs over time: the level of the step time, where it changes, and each run's verdict.

Without --series, shows the only series, or lists them.
"""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace

from tb_perfcompare.cli.output import Console
from tb_perfcompare.cli.sources import new_workspace, strict_listing
from tb_perfcompare.render.formats import render_table
from tb_perfcompare.render.wire.json_encoding import json_document
from tb_perfcompare.workspace.listing.history import SeriesPoints, series_history, series_of
from tb_perfcompare.workspace.listing.history_responses import history_dict, history_table, series_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory with runs below it")
    parser.add_argument("--series", metavar="NAME", help="series to show (default: the only one)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace, console: Console) -> int:
    with new_workspace([arguments.logdir]) as workspace:
        listing = strict_listing(workspace, arguments.logdir)
    names = list(series_of(listing))
    series = arguments.series or (names[0] if len(names) == 1 else None)
    points = None if series is None else series_history(listing, series)
    if arguments.json:
        console.answer(json_document(history_dict(listing, points)))
    elif points is None:
        console.answer(render_table(series_table(listing, arguments.logdir), "text", terminal=console.screen))
    else:
        table = history_table(points)
        table = replace(table, notes=(*table.notes, *_next_step(arguments.logdir, points)))
        console.answer(render_table(table, "text", terminal=console.screen))
    return 0


def _next_step(logdir: str, points: SeriesPoints) -> tuple[str, ...]:
    """The command that explains the latest change of level: it compares the points on both sides of it."""
    if not points.history.changes:
        return ()
    at = points.history.changes[-1].point
    timed = [place for place in range(at) if points.history.standings[place].segment is not None]
    runs = points.runs[timed[-1]], points.runs[at]
    if None in runs:
        return ()
    paths = " ".join(shlex.quote(f"{logdir.rstrip('/')}/{run}") for run in runs)
    return (f"why the level changed at {points.history.points[at].label}: tb-perfcompare diff {paths}",)
