"""Show the runs of a series over time: levels of the step time, where they change, and each run's verdict.

Without --series the series below the log directory are listed, or the only one is shown.
"""

from __future__ import annotations

import argparse

from tb_perfcompare.cli.output import Console
from tb_perfcompare.cli.sources import new_workspace, strict_listing
from tb_perfcompare.render.formats import render_table
from tb_perfcompare.render.wire import json_encoding as wire
from tb_perfcompare.workspace.listing.history import series_history, series_of
from tb_perfcompare.workspace.listing.history_responses import history_dict, history_table, series_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory with runs below it")
    parser.add_argument("--series", metavar="NAME", help="the series to show (default: the only one)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace, console: Console) -> int:
    with new_workspace([arguments.logdir]) as workspace:
        listing = strict_listing(workspace, arguments.logdir)
    names = list(series_of(listing))
    series = arguments.series or (names[0] if len(names) == 1 else None)
    points = None if series is None else series_history(listing, series)
    if arguments.json:
        console.answer(wire.encode(history_dict(listing, points), indent=2) + b"\n")
    elif points is None:
        console.answer(render_table(series_table(listing, arguments.logdir), "text", terminal=console.screen))
    else:
        console.answer(render_table(history_table(points), "text", terminal=console.screen))
    return 0
