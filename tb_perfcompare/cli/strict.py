"""Compare two recordings in the "Strict Performance Comparison" format: per-cycle tables (*_perf_data.csv), or traces.

Without a pid option, each process found on both sides gets a report, then each pair of the remaining processes. Steps
of traces serve as cycles, workers as processes. Formulas and limits: docs/method/strict.md.
"""

from __future__ import annotations

import argparse
import os

from tb_perfcompare.analysis.cycles.trace_cycles import BETAS
from tb_perfcompare.cli.arguments import SELECTION, add_options, add_side_options
from tb_perfcompare.cli.output import Console, check_writable, write_file
from tb_perfcompare.cli.sources import add_baselines, new_workspace
from tb_perfcompare.cli.strict_reports import STRICT_SIDES, StrictJob, find_jobs
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.strict.weaknesses import different_anchors
from tb_perfcompare.errors import InputError, PerfCompareError, SelectionError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.render.formats import render
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
from tb_perfcompare.workspace.jobs.strict_jobs import (
    CSV,
    MARKDOWN,
    TEXT,
    compare_tables,
    strict_file,
    strict_text_bytes,
    with_worker_only,
)
from tb_perfcompare.workspace.workspace import Workspace

FORMATS = (MARKDOWN, CSV, TEXT)
PUBLISHED, CORRECTED = "published", "corrected"
"""Values of --method."""

_NOT_IN_FILE_NAMES = regex(r"[^A-Za-z0-9_.-]")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "normal",
        metavar="NORMAL",
        help="a *_perf_data.csv file, a directory of such files, a run of traces, or a saved baseline",
    )
    parser.add_argument("abnormal", metavar="ABNORMAL", help="the same for the other side")
    add_baselines(parser)
    parser.add_argument(
        "--method", choices=(PUBLISHED, CORRECTED), default=PUBLISHED,
        help="the report as published (default), or the comparison of diff for the same two processes",
    )  # fmt: skip
    parser.add_argument("--pid", metavar="P", type=_pid, help="only this process, on both sides; for traces: the rank")
    parser.add_argument("--normal-pid", metavar="P", type=_pid, help="compare this process of the normal side")
    parser.add_argument("--abnormal-pid", metavar="Q", type=_pid, help="with this process of the abnormal side")
    add_options(parser, *SELECTION, "all-steps", of=" of both sides")
    for side in STRICT_SIDES:
        add_side_options(parser, side, *SELECTION, "counters")
    add_options(parser, "step-window", "step-marker", "kind")
    parser.add_argument(
        "--beta", choices=BETAS, default=BETAS[0],
        help="traces: shares of summed durations (total, the default), or of exposed time (exclusive)",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=FORMATS, help="default: csv if -o names a .csv file, text on a terminal, else md"
    )
    parser.add_argument(
        "--table", metavar="NAME", help="with --method corrected: only this table, such as functions or ledger"
    )
    parser.add_argument(
        "--name", metavar="TEXT", help="case name in titles and file names (default: the folder of the tables)"
    )
    parser.add_argument(
        "--banner", action="store_true",
        help="start with known weaknesses of the method that affect this pair, and units of the counters",
    )  # fmt: skip
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write to FILE instead of standard output; a directory if there are several reports",
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    _check_options(arguments)
    with new_workspace() as workspace:
        jobs = find_jobs(arguments, workspace, console)
        _write(jobs, arguments, workspace, console)
    return 0


def _write(jobs: list[StrictJob], arguments: argparse.Namespace, workspace: Workspace, console: Console) -> None:
    form = arguments.format or _default_format(arguments, console)
    if arguments.output and (len(jobs) > 1 or _is_directory(arguments.output)):
        _write_all(jobs, form, arguments, workspace, console)
    elif arguments.output:
        check_writable(arguments.output)
        write_file(arguments.output, _rendered(jobs[0], form, arguments, workspace, console))
    elif form == CSV and len(jobs) > 1:
        raise SelectionError(f"there are {len(jobs)} reports: {'; '.join(job.described for job in jobs[:6])}",
                             hint="choose one with --pid, or write all to a directory with -o")  # fmt: skip
    else:
        for job in jobs:
            console.answer(_rendered(job, form, arguments, workspace, console))


def _default_format(arguments: argparse.Namespace, console: Console) -> str:
    if arguments.output is None:
        return MARKDOWN if console.screen is None else TEXT
    return CSV if arguments.output.endswith(".csv") else MARKDOWN


def _rendered(
    job: StrictJob, form: str, arguments: argparse.Namespace, workspace: Workspace, console: Console
) -> bytes:
    screen = console.screen if arguments.output is None else None
    if arguments.method == CORRECTED:
        comparison = _corrected(job, arguments, workspace, console)
        return render(comparison, form, table=arguments.table, terminal=screen)
    if not arguments.banner and (anchors := different_anchors(*job.sides.tables_of(job.processes))):
        console.warn(f"note: {job.described}: {anchors}")
    if form == TEXT:
        return strict_text_bytes(job.sides, job.processes, screen, banner=arguments.banner)
    data, banner = strict_file(job.sides, job.processes, form, banner=arguments.banner)
    if form == CSV:
        for line in banner:
            console.warn(line)
    return data


def _corrected(job: StrictJob, arguments: argparse.Namespace, workspace: Workspace, console: Console) -> Comparison:
    options = CompareOptions(window=arguments.step_window)
    if job.sides.of_traces is None:
        return compare_tables(job.sources, job.processes, options, console.progress)
    baseline, candidate = map(with_worker_only, job.sources, job.processes.names)
    return workspace.compare(ComparisonRequest(baseline, candidate, options), console.progress)


def _write_all(
    jobs: list[StrictJob], form: str, arguments: argparse.Namespace, workspace: Workspace, console: Console
) -> None:
    folder = arguments.output
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(folder, f"cannot be a directory for {len(jobs)} reports: {error.strerror or error}",
                         hint="give the name of a new or existing directory") from error  # fmt: skip
    used = set[str]()
    for job in jobs:
        stem = name = _file_stem(job, arguments.method)
        number = 2
        while name in used:
            name, number = f"{stem}_{number}", number + 1
        used.add(name)
        data = _rendered(job, form, arguments, workspace, console)
        write_file(os.path.join(folder, f"{name}.{'txt' if form == TEXT else form}"), data)


def _file_stem(job: StrictJob, method: str) -> str:
    pair = job.processes
    kind = f"{pair.word}{pair.normal}" if pair.strict else f"n_{pair.word}{pair.normal}_vs_a_{pair.word}{pair.abnormal}"
    if method != CORRECTED:
        method = "strict" if pair.strict else "cross"
    return _NOT_IN_FILE_NAMES.sub("_", f"{job.sides.case}{job.sides.phase}_{kind}_{method}_comparison")


def _is_directory(path: str) -> bool:
    return os.path.isdir(path) or path.endswith(("/", os.sep))


def _pid(text: str) -> int:
    """Parses a process id. Raises ArgumentTypeError."""
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"{text!r} is not a process ID")
    return int(text)


def _check_options(arguments: argparse.Namespace) -> None:
    """Raises PerfCompareError for options that contradict each other."""
    one_side = [arguments.normal_pid, arguments.abnormal_pid]
    if arguments.pid is not None and one_side != [None, None]:
        raise PerfCompareError("--pid is for both sides", hint="give it alone, or --normal-pid and --abnormal-pid")
    if (one_side[0] is None) != (one_side[1] is None):
        raise PerfCompareError("--normal-pid and --abnormal-pid go together", hint="give both, or --pid")
    if arguments.table is not None and arguments.method != CORRECTED:
        raise PerfCompareError("--table is for --method corrected", hint="the published report has one table")
    if arguments.banner and arguments.method == CORRECTED:
        raise PerfCompareError("--banner is about the published method", hint="leave it out")
