"""Compare two runs: BASELINE is the one to compare against, CANDIDATE the one to judge.

With --fail-if-slower, --budget or --fail-on the exit status is a gate: 0 passed, 1 tripped, 3 cannot tell.
"""

from __future__ import annotations

import argparse
import os

from tb_perfcompare.cli.arguments import (
    add_all_steps,
    add_counters,
    add_kind,
    add_launches,
    add_output,
    add_peaks,
    add_scheduler,
    add_selection,
    add_side_selection,
    add_step_marker,
    add_step_window,
    add_top,
)
from tb_perfcompare.cli.gate import add_gate, check_gate, run_gate
from tb_perfcompare.cli.output import Console, check_writable, write_file
from tb_perfcompare.cli.sources import RUN, add_baselines, named_side, new_workspace
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.render.formats import FORMATS, render
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest, Side


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("baseline", metavar="BASELINE", help=RUN)
    parser.add_argument("candidate", metavar="CANDIDATE", help=RUN)
    add_baselines(parser)
    add_selection(parser, " of both sides")
    add_side_selection(parser, "baseline")
    add_side_selection(parser, "candidate")
    add_all_steps(parser)
    add_launches(parser, "baseline")
    add_launches(parser, "candidate")
    add_counters(parser, "baseline")
    add_counters(parser, "candidate")
    add_step_window(parser)
    add_step_marker(parser)
    add_kind(parser)
    add_peaks(parser, sides=True)
    parser.add_argument("--format", choices=tuple(FORMATS), help="default: by the name of -o FILE, else text")
    add_output(parser)
    parser.add_argument("--table", metavar="NAME", help="only this table, such as operators or ledger")
    add_scheduler(parser)
    add_top(parser, "20 in a report, all of a --table, all in csv and json")
    add_gate(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    if arguments.output:
        check_writable(arguments.output)
    check_gate(arguments)
    question = ComparisonRequest(
        _side(arguments, "baseline"), _side(arguments, "candidate"),
        CompareOptions(window=arguments.step_window, peaks=tuple(arguments.peaks)),
    )  # fmt: skip
    with new_workspace(scheduler=arguments.scheduler) as workspace:
        comparison = workspace.compare(question, console.progress)
        if _format(arguments) == "csv":
            console.say_lost(comparison.notes)
        data = render(
            comparison,
            _format(arguments),
            table=arguments.table,
            top=arguments.top,
            terminal=None if arguments.output else console.screen,
        )
        if arguments.output:
            write_file(arguments.output, data)
        else:
            console.answer(data)
        return run_gate(comparison, question, workspace, arguments, console)


def _side(arguments: argparse.Namespace, side: str) -> Side:
    """Returns one side; its own options take precedence over those for both sides."""
    chosen = {
        name: getattr(arguments, name)
        if getattr(arguments, f"{side}_{name}") is None
        else getattr(arguments, f"{side}_{name}")
        for name in ("worker", "span", "steps")
    }
    return named_side(
        getattr(arguments, side), arguments.baselines, **chosen, all_steps=arguments.all_steps,
        launches=getattr(arguments, f"{side}_launches"), counters=getattr(arguments, f"{side}_counters"),
        marker=arguments.step_marker, kind=arguments.kind,
    )  # fmt: skip


def _format(arguments: argparse.Namespace) -> str:
    if arguments.format:
        return str(arguments.format)
    extension = os.path.splitext(arguments.output or "")[1].lstrip(".").lower()
    return next((fmt.name for fmt in FORMATS.values() if fmt.extension == extension), "text")
