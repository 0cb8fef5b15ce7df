"""Compare several runs with one BASELINE: a row for each CANDIDATE; verdicts are adjusted for their number.

A candidate that cannot be compared says why in its row; the exit status is then 2.
"""

from __future__ import annotations

import argparse

from tb_perfcompare.cli.arguments import (
    add_all_steps,
    add_kind,
    add_output,
    add_selection,
    add_step_marker,
    add_step_window,
)
from tb_perfcompare.cli.output import Console, check_writable, write_file
from tb_perfcompare.cli.sources import RUN, add_baselines, named_side, new_workspace
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.errors import PerfCompareError, SelectionError
from tb_perfcompare.render.formats import FORMATS, render_table
from tb_perfcompare.render.wire import json_encoding as wire
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest, Side
from tb_perfcompare.workspace.queries.candidate_responses import candidates_dict, candidates_table, left_out_of
from tb_perfcompare.workspace.queries.candidates import MOST_CANDIDATES, Candidate, CandidateRow, with_adjusted_p
from tb_perfcompare.workspace.workspace import Workspace

_FAILED = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("baseline", metavar="BASELINE", help=RUN)
    parser.add_argument("candidates", metavar="CANDIDATE", nargs="+", help=f"the same, up to {MOST_CANDIDATES} of them")
    add_baselines(parser)
    add_selection(parser, " of all")
    add_all_steps(parser)
    add_step_window(parser)
    add_step_marker(parser)
    add_kind(parser)
    parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="default: text")
    add_output(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    if arguments.output:
        check_writable(arguments.output)
    paths: list[str] = arguments.candidates
    if len(paths) > MOST_CANDIDATES:
        raise SelectionError(f"{len(paths)} candidates", hint=f"at most {MOST_CANDIDATES} are compared at a time")
    baseline = _side(arguments, arguments.baseline)
    options = CompareOptions(window=arguments.step_window)
    with new_workspace() as workspace:
        rows = tuple(_row(workspace, arguments, baseline, path, options, console) for path in paths)
    verdicts = with_adjusted_p(rows, options.alpha)
    if arguments.format == "json":
        data = wire.encode(candidates_dict(verdicts), indent=2) + b"\n"
    else:
        if arguments.format == "csv":
            for sentence in left_out_of(verdicts):
                console.complain(f"note: {sentence}")
        data = render_table(
            candidates_table(verdicts, arguments.baseline), arguments.format,
            terminal=None if arguments.output else console.screen,
        )  # fmt: skip
    if arguments.output:
        write_file(arguments.output, data)
    else:
        console.answer(data)
    return _FAILED if any(row.error is not None for row in rows) else 0


def _row(
    workspace: Workspace, arguments: argparse.Namespace, baseline: Side, path: str, options: CompareOptions,
    console: Console,
) -> CandidateRow:  # fmt: skip
    candidate = Candidate(path)
    try:
        side = _side(arguments, path)
    except PerfCompareError as error:
        return CandidateRow(candidate, None, error)
    return workspace.candidates.row(candidate, ComparisonRequest(baseline, side, options), console.progress)


def _side(arguments: argparse.Namespace, path: str) -> Side:
    return named_side(
        path, arguments.baselines, worker=arguments.worker, span=arguments.span, steps=arguments.steps,
        all_steps=arguments.all_steps, marker=arguments.step_marker, kind=arguments.kind,
    )  # fmt: skip
