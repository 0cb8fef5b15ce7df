"""Compare two recordings in the "Strict Performance Comparison" format: per-cycle tables (*_perf_data.csv), or traces.

Without a pid option, each process found on both sides gets a report, then each pair of the remaining processes. Steps
of traces serve as cycles, workers as processes. Formulas and limits: docs/method/strict.md.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator

from tb_perfcompare.analysis.cycles.trace_cycles import BETAS
from tb_perfcompare.cli.arguments import SELECTION, add_options, add_side_options
from tb_perfcompare.cli.output import Console, check_writable, write_file
from tb_perfcompare.cli.sources import add_baselines, named_side, new_workspace, option_value
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.strict.processes import ProcessPair, alone
from tb_perfcompare.comparison.strict.weaknesses import different_anchors
from tb_perfcompare.errors import InputError, PerfCompareError, SelectionError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.arrays import each_side
from tb_perfcompare.model.formats import CYCLES
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.formats import render
from tb_perfcompare.sources import registry
from tb_perfcompare.sources.discover import without_part
from tb_perfcompare.sources.perf_data.csv_tables import companion_counters, read_perf_data
from tb_perfcompare.sources.perf_data.table_pairs import find_pairs, holds_perf_data
from tb_perfcompare.sources.recognition.format_sniffers import BASELINE_ENDING
from tb_perfcompare.sources.saved.baseline_file import read_facts
from tb_perfcompare.workspace.baselines import Baselines
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import ComparisonRequest, Side, of_one_kind
from tb_perfcompare.workspace.jobs.strict_jobs import (
    CSV,
    MARKDOWN,
    TEXT,
    compare_tables,
    in_cycles,
    strict_file,
    strict_text_bytes,
    with_worker_only,
)
from tb_perfcompare.workspace.jobs.strict_sides import StrictSides, check_same_kind, sides_of_tables, sides_of_traces
from tb_perfcompare.workspace.workspace import Workspace

FORMATS = (MARKDOWN, CSV, TEXT)

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
    for side in _SIDES:
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
        jobs = _find_jobs(arguments, workspace, console)
        _write(jobs, arguments, workspace, console)
    return 0


def _write(jobs: list[_Job], arguments: argparse.Namespace, workspace: Workspace, console: Console) -> None:
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


def _rendered(job: _Job, form: str, arguments: argparse.Namespace, workspace: Workspace, console: Console) -> bytes:
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


def _corrected(job: _Job, arguments: argparse.Namespace, workspace: Workspace, console: Console) -> Comparison:
    options = CompareOptions(window=arguments.step_window)
    if job.sides.of_traces is None:
        return compare_tables(job.sources, job.processes, options, console.progress)
    baseline, candidate = map(with_worker_only, job.sources, job.processes.names)
    return workspace.compare(ComparisonRequest(baseline, candidate, options), console.progress)


def _write_all(
    jobs: list[_Job], form: str, arguments: argparse.Namespace, workspace: Workspace, console: Console
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


def _file_stem(job: _Job, method: str) -> str:
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


_SIDES = ("normal", "abnormal")
PUBLISHED, CORRECTED = "published", "corrected"
"""Values of --method."""


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """One report to write. `sources` are the two sides as `diff` would compare them."""

    sides: StrictSides
    processes: ProcessPair
    sources: tuple[Side, Side]

    @property
    def described(self) -> str:
        """Names the pair, for messages."""
        return f"{self.sides.case}{self.sides.phase} {self.processes.described}"


def _find_jobs(arguments: argparse.Namespace, workspace: Workspace, console: Console) -> list[_Job]:
    """Returns the requested reports, at least one. Raises InputError, SelectionError, NotComparable."""
    located = {side: _located(getattr(arguments, side), arguments.baselines) for side in _SIDES}
    arguments = argparse.Namespace(**{**vars(arguments), **located})
    of_tables = _are_tables(located.values())
    comparisons = _tables(arguments, console) if of_tables else iter([_traces(arguments, workspace, console)])
    jobs = []
    for sides, sources in comparisons:
        jobs += [_Job(sides, pair, sources) for pair in _processes(sides, arguments)]
        if arguments.pid is None and arguments.normal_pid is None:
            _report_unpaired(sides, console)
    if not jobs:
        raise SelectionError("there are no two processes to compare", hint="see the pid columns, or the workers")
    return jobs


def _located(given: str, baselines: str) -> str:
    """Returns the path that the user's argument means. Raises SelectionError for a saved baseline of a per-cycle table,
    as it lacks the table's rows."""
    path = Baselines(baselines).located(given)
    if path.endswith(BASELINE_ENDING) and os.path.isfile(path) and read_facts(path).format == CYCLES:
        hint = "give the table itself, or compare with tb-perfcompare diff"
        raise SelectionError(f"{given} is a saved baseline of a per-cycle table, without its rows", hint=hint)
    return path


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


def _are_tables(paths: Iterable[str]) -> bool:
    """Whether the sides are per-cycle tables, else runs with steps. A path that does not exist is of the other's kind.
    Raises NotComparable."""
    kinds = [_is_table(path) for path in paths if any(map(os.path.exists, (path, without_part(path)[0])))] or [True]
    check_same_kind(kinds[0], kinds[-1])
    return kinds[0]


def _is_table(path: str) -> bool:
    if os.path.isdir(path):
        return holds_perf_data(path)
    if without_part(path)[1] is not None:
        return False
    return path.removesuffix(".gz").endswith(".csv") or registry.recognize(path) == CYCLES


def _tables(arguments: argparse.Namespace, console: Console) -> Iterator[tuple[StrictSides, tuple[Side, Side]]]:
    for name in ("worker", "span"):
        if any(option_value(arguments, name, side) is not None for side in _SIDES):
            raise PerfCompareError(f"--{name} is for traces", hint="choose a process of a table with --pid")
    for side in _SIDES:
        if getattr(arguments, f"{side}_counters") is not None:
            raise PerfCompareError(
                f"--{side}-counters is for traces",
                hint="a table has its own counters; a *_counters_data.csv next to it is found by its name",
            )
    if arguments.kind:
        raise PerfCompareError("--kind is for traces", hint="choose cycles of a table with --steps")
    table_pairs = find_pairs(arguments.normal, arguments.abnormal)
    if arguments.name is not None and len(table_pairs.pairs) > 1:
        raise SelectionError(f"--name is for one case, but {len(table_pairs.pairs)} pairs of tables were found",
                             hint="give one case, or no --name")  # fmt: skip
    if table_pairs.unpaired:
        console.warn(f"note: no partner for {', '.join(table_pairs.unpaired)}")
    for pair in table_pairs.pairs:
        paths = pair.normal, pair.abnormal
        steps = [option_value(arguments, "steps", side) for side in _SIDES]
        tables = each_side(lambda path, chosen: in_cycles(read_perf_data(path), chosen, path), paths, steps)
        sources = each_side(lambda path, chosen: side_from_path(path, None, None, chosen), paths, steps)
        counters = companion_counters(pair.abnormal) if arguments.banner else None
        case = pair.case if arguments.name is None else str(arguments.name)
        yield sides_of_tables(*tables, case=case, phase=pair.phase, counters=counters), sources


def _traces(
    arguments: argparse.Namespace, workspace: Workspace, console: Console
) -> tuple[StrictSides, tuple[Side, Side]]:
    baseline, candidate = (named_side(arguments, getattr(arguments, side), side) for side in _SIDES)
    sources = workspace.agreed(of_one_kind(baseline, candidate), arguments.step_window, console.progress)
    summaries = [workspace.load(source, arguments.step_window, console.progress) for source in sources]
    sides = sides_of_traces(summaries[0], summaries[1], arguments.beta, case=arguments.name)
    for note in sides.notes:
        console.warn(f"note: {note}")
    return sides, sources


def _processes(sides: StrictSides, arguments: argparse.Namespace) -> tuple[ProcessPair, ...]:
    if arguments.pid is not None:
        return (sides.pair(arguments.pid, arguments.pid),)
    if arguments.normal_pid is not None:
        return (sides.pair(arguments.normal_pid, arguments.abnormal_pid),)
    return sides.processes


def _report_unpaired(sides: StrictSides, console: Console) -> None:
    for side, pids in zip(_SIDES, alone(sides.tables[0].pids(), sides.tables[1].pids()), strict=True):
        if pids:
            word = sides.processes[0].word if sides.processes else "pid"
            unpaired = f"{word} {', '.join(map(str, pids))}"
            console.warn(f"note: {sides.case}{sides.phase}: only on the {side} side, in no report: {unpaired}")
