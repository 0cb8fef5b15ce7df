"""Compare two runs: BASELINE is the one to compare against, CANDIDATE the one to judge.

With --fail-if-slower the exit status is a gate: 0 passed, 1 tripped, 3 cannot tell.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace

from tb_perfcompare.cli import gate
from tb_perfcompare.cli.arguments import (
    add_all_steps,
    add_counters,
    add_launches,
    add_output,
    add_selection,
    add_side_selection,
    add_step_window,
    add_top,
    percent,
)
from tb_perfcompare.cli.output import Console, check_writable, write_file
from tb_perfcompare.cli.sources import new_workspace
from tb_perfcompare.comparison.options import CompareOptions
from tb_perfcompare.render.formats import FORMATS, render
from tb_perfcompare.workspace.index import side_from_path
from tb_perfcompare.workspace.jobs import Side
from tb_perfcompare.workspace.workspace import Question

NAME = "diff"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("baseline", metavar="BASELINE", help="directory of a run, or one trace file")
    parser.add_argument("candidate", metavar="CANDIDATE", help="directory of a run, or one trace file")
    add_selection(parser, " of both sides")
    add_side_selection(parser, "baseline")
    add_side_selection(parser, "candidate")
    add_all_steps(parser)
    add_launches(parser, "baseline")
    add_launches(parser, "candidate")
    add_counters(parser, "baseline")
    add_counters(parser, "candidate")
    add_step_window(parser)
    parser.add_argument("--format", choices=tuple(FORMATS), help="default: by the name of -o FILE, else text")
    add_output(parser)
    parser.add_argument("--table", metavar="NAME", help="only this table, e.g. operators; ledger is one too")
    add_top(parser, "20 in a report, all of a --table, all in csv and json")
    parser.add_argument(
        "--fail-if-slower", metavar="3%", type=percent,
        help="exit 1 if the candidate is surely slower by more than this, 3 if the runs cannot tell",
    )  # fmt: skip


def run(arguments: argparse.Namespace, console: Console) -> int:
    if arguments.output:
        check_writable(arguments.output)
    question = Question(
        _side(arguments, "baseline"), _side(arguments, "candidate"), CompareOptions(window=arguments.step_window)
    )
    with new_workspace() as workspace:
        comparison = workspace.compare(question, console.progress)
    data = render(comparison, _format(arguments), table=arguments.table, top=arguments.top)
    if arguments.output:
        write_file(arguments.output, data)
    else:
        console.answer(data)
    if arguments.fail_if_slower is None:
        return 0
    status, sentence = gate.decide(comparison.headline, arguments.fail_if_slower)
    console.complain(sentence)
    return status


def _side(arguments: argparse.Namespace, side: str) -> Side:
    """The side's own options win over those for both sides."""
    chosen = {
        name: getattr(arguments, name)
        if getattr(arguments, f"{side}_{name}") is None
        else getattr(arguments, f"{side}_{name}")
        for name in ("worker", "span", "steps")
    }
    found = side_from_path(getattr(arguments, side), **chosen, launches=getattr(arguments, f"{side}_launches"),
                           counters=getattr(arguments, f"{side}_counters"))  # fmt: skip
    return replace(found, all_steps=arguments.all_steps)


def _format(arguments: argparse.Namespace) -> str:
    if arguments.format:
        return str(arguments.format)
    extension = os.path.splitext(arguments.output or "")[1].lstrip(".").lower()
    return next((found.name for found in FORMATS.values() if found.extension == extension), "text")
