"""Compare two per-cycle tables (*_perf_data.csv) in the "Strict Performance Comparison" format.

Without a pid option there is one report per process found on both sides, then one per pair of the remaining processes.
docs/strict.md has the formulas and what they cannot tell.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tb_perfcompare.cli.output import Console, check_writable, write_file
from tb_perfcompare.compare.strict.processes import ProcessPair, all_pairs, chosen_pair
from tb_perfcompare.compare.strict.report import strict_report
from tb_perfcompare.compare.strict.weak_recordings import different_anchors
from tb_perfcompare.compare.strict.weaknesses import weaknesses
from tb_perfcompare.errors import InputError, PerfCompareError, SelectionError
from tb_perfcompare.model.counter_units import unit_notes
from tb_perfcompare.model.cycles import CycleTable
from tb_perfcompare.render.strict import report_title, strict_markdown
from tb_perfcompare.render.strict_banner import banner_lines, banner_markdown
from tb_perfcompare.render.strict_tables import strict_csv
from tb_perfcompare.sources.perf_data_csv import counters_beside, read_perf_data
from tb_perfcompare.sources.perf_data_pairs import FoundPairs, TablePair, find_pairs

NAME = "strict"

FORMATS = ("md", "csv")

_NOT_IN_FILE_NAMES = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True, slots=True)
class _Job:
    """One report to write."""

    tables: TablePair
    normal: CycleTable
    abnormal: CycleTable
    processes: ProcessPair


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("normal", metavar="NORMAL", help="a *_perf_data.csv file, or a directory with such files")
    parser.add_argument("abnormal", metavar="ABNORMAL", help="the same of the other side")
    parser.add_argument("--pid", metavar="P", type=_pid, help="only this process, on both sides")
    parser.add_argument("--normal-pid", metavar="P", type=_pid, help="this process of the normal side")
    parser.add_argument("--abnormal-pid", metavar="Q", type=_pid, help="with this process of the abnormal side")
    parser.add_argument("--format", choices=FORMATS, help="default: csv if -o names a .csv file, else md")
    parser.add_argument("--name", metavar="TEXT", help="what titles and file names call the case (default: its folder)")
    parser.add_argument(
        "--banner", action="store_true",
        help="first say which known weaknesses of the method touch this pair, and the counters' units",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write there; a directory where there are several reports"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    _check_pid_options(arguments)
    found = find_pairs(arguments.normal, arguments.abnormal)
    if arguments.name is not None and len(found.pairs) > 1:
        raise SelectionError(f"--name is for one case, and {len(found.pairs)} pairs of tables were found",
                             hint="give one case, or no --name")  # fmt: skip
    if found.unpaired:
        console.complain(f"note: no partner for {', '.join(found.unpaired)}")
    jobs = list(_jobs(found, arguments))
    if not jobs:
        raise SelectionError("no table has a process to compare", hint="see the pid columns")
    form = arguments.format or ("csv" if str(arguments.output or "").endswith(".csv") else "md")
    if arguments.output and (len(jobs) > 1 or _is_directory(arguments.output)):
        _write_all(jobs, form, arguments, console)
    elif arguments.output:
        check_writable(arguments.output)
        write_file(arguments.output, _drawn(jobs[0], form, arguments, console))
    elif form == "csv" and len(jobs) > 1:
        raise SelectionError(f"there are {len(jobs)} reports: {'; '.join(map(_described, jobs[:6]))}",
                             hint="choose one with --pid, or write all to a directory with -o")  # fmt: skip
    else:
        for job in jobs:
            console.answer(_drawn(job, form, arguments, console))
    return 0


def _check_pid_options(arguments: argparse.Namespace) -> None:
    one_side = [arguments.normal_pid, arguments.abnormal_pid]
    if arguments.pid is not None and one_side != [None, None]:
        raise PerfCompareError("--pid is for both sides", hint="give it alone, or --normal-pid and --abnormal-pid")
    if (one_side[0] is None) != (one_side[1] is None):
        raise PerfCompareError("--normal-pid and --abnormal-pid go together", hint="give both, or --pid")


def _jobs(found: FoundPairs, arguments: argparse.Namespace) -> Iterator[_Job]:
    for tables in found.pairs:
        normal, abnormal = read_perf_data(tables.normal), read_perf_data(tables.abnormal)
        for pair in _processes(normal, abnormal, arguments):
            yield _Job(tables, normal, abnormal, pair)


def _processes(normal: CycleTable, abnormal: CycleTable, arguments: argparse.Namespace) -> tuple[ProcessPair, ...]:
    ours, theirs = normal.pids(), abnormal.pids()
    if arguments.pid is not None:
        return (chosen_pair(ours, theirs, arguments.pid, arguments.pid),)
    if arguments.normal_pid is not None:
        return (chosen_pair(ours, theirs, arguments.normal_pid, arguments.abnormal_pid),)
    return all_pairs(ours, theirs)


def _drawn(job: _Job, form: str, arguments: argparse.Namespace, console: Console) -> bytes:
    normal, abnormal = job.normal.of_pid(job.processes.normal), job.abnormal.of_pid(job.processes.abnormal)
    report = strict_report(normal, abnormal, job.processes.labels)
    lines: list[str] = []
    if arguments.banner:
        counts = len(job.normal.pids()), len(job.abnormal.pids())
        units = unit_notes(abnormal, counters_beside(job.tables.abnormal))
        lines = banner_lines(weaknesses(normal, abnormal, report, processes=counts), units)
    elif anchors := different_anchors(normal, abnormal):
        console.complain(f"note: {_described(job)}: {anchors}")
    if form == "csv":
        for line in lines:
            console.complain(line)
        return strict_csv(report).encode("utf-8")
    text = strict_markdown(report, report_title(_case(job, arguments), job.processes))
    return ((banner_markdown(lines) if lines else "") + text).encode("utf-8")


def _write_all(jobs: list[_Job], form: str, arguments: argparse.Namespace, console: Console) -> None:
    folder = arguments.output
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(folder, f"cannot be a directory for {len(jobs)} reports: {error.strerror or error}",
                         hint="give the name of a new or existing directory") from error  # fmt: skip
    used = set[str]()
    for job in jobs:
        stem = name = _file_stem(job, arguments)
        again = 2
        while name in used:
            name, again = f"{stem}_{again}", again + 1
        used.add(name)
        write_file(os.path.join(folder, f"{name}.{form}"), _drawn(job, form, arguments, console))


def _file_stem(job: _Job, arguments: argparse.Namespace) -> str:
    pair = job.processes
    kind = (
        f"pid{pair.normal}_strict_comparison"
        if pair.strict
        else f"n_pid{pair.normal}_vs_a_pid{pair.abnormal}_cross_comparison"
    )
    return _NOT_IN_FILE_NAMES.sub("_", f"{_case(job, arguments)}{job.tables.phase}_{kind}")


def _case(job: _Job, arguments: argparse.Namespace) -> str:
    return job.tables.case if arguments.name is None else str(arguments.name)


def _is_directory(path: str) -> bool:
    return os.path.isdir(path) or path.endswith(("/", os.sep))


def _described(job: _Job) -> str:
    pair = job.processes
    other = "" if pair.strict else f" against {pair.abnormal}"
    return f"{job.tables.case}{job.tables.phase} pid {pair.normal}{other}"


def _pid(text: str) -> int:
    """A process id."""
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"{text!r} is no process id")
    return int(text)
