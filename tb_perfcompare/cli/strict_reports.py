"""Finds the reports that `strict` is asked for: pairs of tables or of traces, and of their processes."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator

from tb_perfcompare.cli.output import Console
from tb_perfcompare.cli.sources import named_side, option_value
from tb_perfcompare.comparison.strict.processes import ProcessPair, alone
from tb_perfcompare.errors import PerfCompareError, SelectionError
from tb_perfcompare.model.arrays import each_side
from tb_perfcompare.model.formats import CYCLES
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources import registry
from tb_perfcompare.sources.discover import without_part
from tb_perfcompare.sources.perf_data.csv_tables import companion_counters, read_perf_data
from tb_perfcompare.sources.perf_data.table_pairs import find_pairs, holds_perf_data
from tb_perfcompare.sources.recognition.format_sniffers import BASELINE_ENDING
from tb_perfcompare.sources.saved.baseline_file import read_facts
from tb_perfcompare.workspace.baselines import Baselines
from tb_perfcompare.workspace.inputs.run_files import side_from_path
from tb_perfcompare.workspace.inputs.sides import Side, of_one_kind
from tb_perfcompare.workspace.jobs.strict_jobs import in_cycles
from tb_perfcompare.workspace.jobs.strict_sides import StrictSides, check_same_kind, sides_of_tables, sides_of_traces
from tb_perfcompare.workspace.workspace import Workspace

STRICT_SIDES = ("normal", "abnormal")


@dataclass(frozen=True, slots=True, eq=False)
class StrictJob:
    """One report to write. `sources` are the two sides as `diff` would compare them."""

    sides: StrictSides
    processes: ProcessPair
    sources: tuple[Side, Side]

    @property
    def described(self) -> str:
        """Names the pair, for messages."""
        return f"{self.sides.case}{self.sides.phase} {self.processes.described}"


def find_jobs(arguments: argparse.Namespace, workspace: Workspace, console: Console) -> list[StrictJob]:
    """Returns the requested reports, at least one. Raises InputError, SelectionError, NotComparable."""
    located = {side: _located(getattr(arguments, side), arguments.baselines) for side in STRICT_SIDES}
    arguments = argparse.Namespace(**{**vars(arguments), **located})
    of_tables = _are_tables(located.values())
    comparisons = _tables(arguments, console) if of_tables else iter([_traces(arguments, workspace, console)])
    jobs = []
    for sides, sources in comparisons:
        jobs += [StrictJob(sides, pair, sources) for pair in _processes(sides, arguments)]
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
        if any(option_value(arguments, name, side) is not None for side in STRICT_SIDES):
            raise PerfCompareError(f"--{name} is for traces", hint="choose a process of a table with --pid")
    for side in STRICT_SIDES:
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
        steps = [option_value(arguments, "steps", side) for side in STRICT_SIDES]
        tables = each_side(lambda path, chosen: in_cycles(read_perf_data(path), chosen, path), paths, steps)
        sources = each_side(lambda path, chosen: side_from_path(path, None, None, chosen), paths, steps)
        counters = companion_counters(pair.abnormal) if arguments.banner else None
        case = pair.case if arguments.name is None else str(arguments.name)
        yield sides_of_tables(*tables, case=case, phase=pair.phase, counters=counters), sources


def _traces(
    arguments: argparse.Namespace, workspace: Workspace, console: Console
) -> tuple[StrictSides, tuple[Side, Side]]:
    baseline, candidate = (named_side(arguments, getattr(arguments, side), side) for side in STRICT_SIDES)
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
    for side, pids in zip(STRICT_SIDES, alone(sides.tables[0].pids(), sides.tables[1].pids()), strict=True):
        if pids:
            word = sides.processes[0].word if sides.processes else "pid"
            unpaired = f"{word} {', '.join(map(str, pids))}"
            console.warn(f"note: {sides.case}{sides.phase}: only on the {side} side, in no report: {unpaired}")
