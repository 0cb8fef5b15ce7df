"""What the two arguments of `strict` mean: files or folders of per-cycle tables, or runs of traces."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import replace

from tb_perfcompare.cli.output import Console
from tb_perfcompare.cli.sources import given
from tb_perfcompare.comparison.strict.processes import ProcessPair, alone
from tb_perfcompare.errors import PerfCompareError, SelectionError
from tb_perfcompare.model.formats import CYCLES
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources import registry
from tb_perfcompare.sources.discover import without_part
from tb_perfcompare.sources.perf_data.csv_tables import counters_beside, read_perf_data
from tb_perfcompare.sources.perf_data.table_pairs import find_pairs, holds_perf_data
from tb_perfcompare.sources.recognition.format_sniffers import BASELINE_ENDING
from tb_perfcompare.sources.saved.baseline_file import read_facts
from tb_perfcompare.workspace.baselines import Baselines
from tb_perfcompare.workspace.inputs.sides import Side, of_one_kind
from tb_perfcompare.workspace.jobs.strict_jobs import in_cycles
from tb_perfcompare.workspace.jobs.strict_sides import StrictSides, check_same_kind, sides_of_tables, sides_of_traces
from tb_perfcompare.workspace.listing.index import side_from_path
from tb_perfcompare.workspace.workspace import Workspace

SIDES = ("normal", "abnormal")
PUBLISHED, CORRECTED = "published", "corrected"
"""Values of --method."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One report to write. `sources` are the two sides as `diff` would take them."""

    sides: StrictSides
    processes: ProcessPair
    sources: tuple[Side, Side]

    @property
    def described(self) -> str:
        """The pair in a few words."""
        return f"{self.sides.case}{self.sides.phase} {self.processes.described}"


def find_jobs(arguments: argparse.Namespace, workspace: Workspace, console: Console) -> list[Job]:
    """The reports that are asked for, at least one. Raises InputError, SelectionError, NotComparable."""
    located = {side: _located(getattr(arguments, side), arguments.baselines) for side in SIDES}
    arguments = argparse.Namespace(**{**vars(arguments), **located})
    kinds = [_is_table(getattr(arguments, side)) for side in SIDES]
    check_same_kind(*kinds)
    found = _tables(arguments, console) if kinds[0] else iter([_traces(arguments, workspace, console)])
    jobs = []
    for sides, sources in found:
        jobs += [Job(sides, pair, sources) for pair in _processes(sides, arguments)]
        if arguments.pid is None and arguments.normal_pid is None:
            _complain_of_the_left(sides, console)
    if not jobs:
        raise SelectionError("there are no two processes to compare", hint="see the pid columns, or the workers")
    return jobs


def _located(given: str, baselines: str) -> str:
    """The path of what the user names; a saved baseline has no single rows of a per-cycle table."""
    path = Baselines(baselines).located(given)
    if path.endswith(BASELINE_ENDING) and os.path.isfile(path) and read_facts(path).format == CYCLES:
        hint = "give the table itself, or compare with tb-perfcompare diff"
        raise SelectionError(f"{given} is a saved baseline of a per-cycle table, without its rows", hint=hint)
    return path


def check_options(arguments: argparse.Namespace) -> None:
    """Options that contradict each other. Raises PerfCompareError."""
    one_side = [arguments.normal_pid, arguments.abnormal_pid]
    if arguments.pid is not None and one_side != [None, None]:
        raise PerfCompareError("--pid is for both sides", hint="give it alone, or --normal-pid and --abnormal-pid")
    if (one_side[0] is None) != (one_side[1] is None):
        raise PerfCompareError("--normal-pid and --abnormal-pid go together", hint="give both, or --pid")
    if arguments.table is not None and arguments.method != CORRECTED:
        raise PerfCompareError("--table is for --method corrected", hint="the published report has one table")
    if arguments.banner and arguments.method == CORRECTED:
        raise PerfCompareError("--banner is about the published method", hint="leave it out")


def _is_table(path: str) -> bool:
    """Per-cycle tables rather than a run that `diff` compares by steps. What is absent counts as a table."""
    if os.path.isdir(path):
        return holds_perf_data(path)
    place, part = without_part(path)
    if part is not None and os.path.exists(place):
        return False
    if not os.path.exists(path) or path.removesuffix(".gz").endswith(".csv"):
        return True
    return registry.recognise(path).format == CYCLES


def _tables(arguments: argparse.Namespace, console: Console) -> Iterator[tuple[StrictSides, tuple[Side, Side]]]:
    for name in ("worker", "span"):
        if any(given(arguments, name, side) is not None for side in SIDES):
            raise PerfCompareError(f"--{name} is for traces", hint="choose a process of a table with --pid")
    for side in SIDES:
        if getattr(arguments, f"{side}_counters") is not None:
            raise PerfCompareError(
                f"--{side}-counters is for traces",
                hint="a table has its own counters; a *_counters_data.csv next to it is found by its name",
            )
    if arguments.kind:
        raise PerfCompareError("--kind is for traces", hint="choose cycles of a table with --steps")
    found = find_pairs(arguments.normal, arguments.abnormal)
    if arguments.name is not None and len(found.pairs) > 1:
        raise SelectionError(f"--name is for one case, but {len(found.pairs)} pairs of tables were found",
                             hint="give one case, or no --name")  # fmt: skip
    if found.unpaired:
        console.complain(f"note: no partner for {', '.join(found.unpaired)}")
    for pair in found.pairs:
        paths = pair.normal, pair.abnormal
        tables = [
            in_cycles(read_perf_data(path), given(arguments, "steps", side), path)
            for side, path in zip(SIDES, paths, strict=True)
        ]
        counters = counters_beside(pair.abnormal) if arguments.banner else None
        case = pair.case if arguments.name is None else str(arguments.name)
        sources = [
            side_from_path(path, None, None, given(arguments, "steps", side))
            for side, path in zip(SIDES, paths, strict=True)
        ]
        yield (
            sides_of_tables(tables[0], tables[1], case=case, phase=pair.phase, counters=counters),
            (sources[0], sources[1]),
        )


def _traces(
    arguments: argparse.Namespace, workspace: Workspace, console: Console
) -> tuple[StrictSides, tuple[Side, Side]]:
    sources = [
        side_from_path(
            getattr(arguments, side), given(arguments, "worker", side), given(arguments, "span", side),
            given(arguments, "steps", side), counters=getattr(arguments, f"{side}_counters"),
        )
        for side in SIDES
    ]  # fmt: skip
    sources = [
        replace(
            source,
            all_steps=source.all_steps or arguments.all_steps,
            marker=arguments.step_marker,
            kind=arguments.kind or source.kind,
        )
        for source in sources
    ]
    sources = list(workspace.agreed(of_one_kind(*sources), arguments.step_window, console.progress))
    summaries = [workspace.load(source, arguments.step_window, console.progress) for source in sources]
    sides = sides_of_traces(summaries[0], summaries[1], arguments.beta, case=arguments.name)
    for note in sides.notes:
        console.complain(f"note: {note}")
    return sides, (sources[0], sources[1])


def _processes(sides: StrictSides, arguments: argparse.Namespace) -> tuple[ProcessPair, ...]:
    if arguments.pid is not None:
        return (sides.pair(arguments.pid, arguments.pid),)
    if arguments.normal_pid is not None:
        return (sides.pair(arguments.normal_pid, arguments.abnormal_pid),)
    return sides.processes


def _complain_of_the_left(sides: StrictSides, console: Console) -> None:
    for side, pids in zip(SIDES, alone(sides.tables[0].pids(), sides.tables[1].pids()), strict=True):
        if pids:
            word = sides.processes[0].word if sides.processes else "pid"
            left = f"{word} {', '.join(map(str, pids))}"
            console.complain(f"note: {sides.case}{sides.phase}: only on the {side} side, in no report: {left}")
