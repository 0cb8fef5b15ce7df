"""Suggest which runs to compare, by their names: best pair first, each with its reason."""

from __future__ import annotations

import argparse

from tb_perfcompare.cli.output import Console
from tb_perfcompare.cli.sources import strict_listing
from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.render.formats import render_table
from tb_perfcompare.render.wire.json_encoding import json_document
from tb_perfcompare.workspace.listing.describe import pairs_dict
from tb_perfcompare.workspace.listing.index import Index, Root

_COLUMNS = (
    columns.key("baseline", "Baseline", "run to compare against"),
    columns.key("candidate", "Candidate", "run to judge"),
    columns.text("reason", "Reason", "reason for pairing the two"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory with runs below it")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace, console: Console) -> int:
    listing = strict_listing(Index([Root(arguments.logdir)]), arguments.logdir)
    if arguments.json:
        console.answer(json_document(pairs_dict(listing)))
        return 0
    rows = tuple((_text(pair.baseline), _text(pair.candidate), pair.reason) for pair in listing.pairs)
    none = () if rows else ("no two runs have names that suggest a pair; diff compares any two",)
    notes = (*none, *(note.sentence for note in listing.problems))
    table = Table("pairs", f"Suggested pairs below {arguments.logdir}", _COLUMNS, rows, notes)
    console.answer(render_table(table, "text", terminal=console.screen))
    return 0


def _text(selection: Selection) -> str:
    worker = f" worker {selection.worker}" if selection.worker else ""
    span = f" span {selection.span}" if selection.span else ""
    return f"{selection.run}{worker}{span}"
