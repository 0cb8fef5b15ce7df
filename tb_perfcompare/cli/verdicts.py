"""Compare several runs with one BASELINE: a row per CANDIDATE, with p adjusted for their number.

If a candidate cannot be compared, its row says why, and the exit status is 2.
"""

from __future__ import annotations

import argparse

from tb_perfcompare.cli.arguments import SELECTION, add_options, add_output
from tb_perfcompare.cli.output import Console, check_writable
from tb_perfcompare.cli.sources import RUN, add_baselines, named_side, new_workspace
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.errors import PerfCompareError, SelectionError
from tb_perfcompare.render.formats import FORMATS, render_table
from tb_perfcompare.render.wire.json_encoding import json_document
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest, Side
from tb_perfcompare.workspace.queries.candidates import (
    MAX_CANDIDATES,
    CandidateRow,
    Selected,
    candidate_row,
    candidates_dict,
    candidates_table,
    left_out_of,
    with_adjusted_p,
)
from tb_perfcompare.workspace.workspace import Workspace

_FAILED = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("baseline", metavar="BASELINE", help=RUN)
    parser.add_argument("candidates", metavar="CANDIDATE", nargs="+", help=f"the same, up to {MAX_CANDIDATES} of them")
    add_baselines(parser)
    add_options(parser, *SELECTION, "all-steps", "step-window", "step-marker", "kind", of=" of all")
    parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="format of the table (default: text)")
    add_output(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    check_writable(arguments.output)
    paths: list[str] = arguments.candidates
    if len(paths) > MAX_CANDIDATES:
        raise SelectionError(f"{len(paths)} candidates", hint=f"at most {MAX_CANDIDATES} are compared at a time")
    baseline = named_side(arguments, arguments.baseline)
    options = CompareOptions(window=arguments.step_window)
    with new_workspace() as workspace:
        rows = tuple(_row(workspace, arguments, baseline, path, options, console) for path in paths)
    verdicts = with_adjusted_p(rows, options.alpha)
    if arguments.format == "json":
        data = json_document(candidates_dict(verdicts))
    else:
        if arguments.format == "csv":
            for sentence in left_out_of(verdicts):
                console.warn(f"note: {sentence}")
        data = render_table(
            candidates_table(verdicts, arguments.baseline), arguments.format,
            terminal=None if arguments.output else console.screen,
        )  # fmt: skip
    console.write_result(data, arguments.output)
    return _FAILED if any(row.error is not None for row in rows) else 0


def _row(
    workspace: Workspace, arguments: argparse.Namespace, baseline: Side, path: str, options: CompareOptions,
    console: Console,
) -> CandidateRow:  # fmt: skip
    candidate = Selected(path)
    try:
        side = named_side(arguments, path)
    except PerfCompareError as error:
        return CandidateRow(candidate, None, error)
    return candidate_row(workspace, candidate, ComparisonRequest(baseline, side, options), console.progress)
