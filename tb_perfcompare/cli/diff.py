"""Compare CANDIDATE with BASELINE: which is slower, by how much, is the difference real, and why."""

from __future__ import annotations

import argparse
import os

from tb_perfcompare.cli.arguments import SELECTION, add_options, add_output, add_side_options
from tb_perfcompare.cli.gate import add_gate, check_gate, run_gate
from tb_perfcompare.cli.output import Console, check_writable
from tb_perfcompare.cli.sources import RUN, add_baselines, named_side, new_workspace
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.render.formats import FORMATS, render
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("baseline", metavar="BASELINE", help=RUN)
    parser.add_argument("candidate", metavar="CANDIDATE", help=RUN)
    add_baselines(parser)
    add_options(parser, *SELECTION, of=" of both sides")
    for names in (SELECTION, ("launches",), ("counters",)):
        for side in ("baseline", "candidate"):
            add_side_options(parser, side, *names)
        if names is SELECTION:
            add_options(parser, "all-steps")
    add_options(parser, "step-window", "step-marker", "kind")
    add_options(parser, "peak", of="; candidate:bf16=989 applies to one side")
    parser.add_argument("--format", choices=tuple(FORMATS), help="default: by the extension of -o FILE, else text")
    add_output(parser)
    parser.add_argument("--table", metavar="NAME", help="only this table, such as operators or ledger")
    add_options(parser, "scheduler")
    add_options(parser, "top", of="20 in a report, all of a --table, all in csv and json")
    add_gate(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    check_writable(arguments.output)
    check_gate(arguments)
    baseline, candidate = (named_side(arguments, getattr(arguments, side), side) for side in ("baseline", "candidate"))
    options = CompareOptions(window=arguments.step_window, peaks=tuple(arguments.peaks))
    question = ComparisonRequest(baseline, candidate, options)
    with new_workspace(scheduler=arguments.scheduler) as workspace:
        comparison = workspace.compare(question, console.progress)
        if _format(arguments) == "csv":
            console.warn_of_lost_data(comparison.notes)
        data = render(
            comparison,
            _format(arguments),
            table=arguments.table,
            top=arguments.top,
            terminal=None if arguments.output else console.screen,
        )
        console.write_result(data, arguments.output)
        return run_gate(comparison, question, workspace, arguments, console)


def _format(arguments: argparse.Namespace) -> str:
    if arguments.format:
        return str(arguments.format)
    extension = os.path.splitext(arguments.output or "")[1].lstrip(".").lower()
    return next((fmt.name for fmt in FORMATS.values() if fmt.extension == extension), "text")
