"""Computes and renders the strict report of two sides, for the command line and for the server."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.analysis.cycles.summarize_cycles import summarize_cycles
from tb_perfcompare.analysis.cycles.trace_cycles import TOTAL
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import SIDES, WINDOWS, CompareOptions
from tb_perfcompare.comparison.strict.answer import StrictAnswer, Weakness, weaknesses
from tb_perfcompare.comparison.strict.corrected import corrected
from tb_perfcompare.comparison.strict.processes import ProcessPair
from tb_perfcompare.comparison.strict.report import StrictReport, strict_report
from tb_perfcompare.comparison.strict.tables import strict_tables
from tb_perfcompare.errors import InputError, NotComparable, SelectionError
from tb_perfcompare.model.arrays import unique
from tb_perfcompare.model.formats import CYCLES
from tb_perfcompare.model.progress import Progress, Reporter
from tb_perfcompare.model.recordings.cycles import CycleRecording, CycleTable
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.strict.report import (
    banner_lines,
    banner_markdown,
    report_title,
    strict_markdown,
    strict_text,
)
from tb_perfcompare.render.strict.tables import strict_csv
from tb_perfcompare.render.strict.wire import strict_dict
from tb_perfcompare.render.widths import Terminal
from tb_perfcompare.render.wire import json_encoding as wire
from tb_perfcompare.sources import registry
from tb_perfcompare.sources.perf_data.table_pairs import find_pairs
from tb_perfcompare.workspace.inputs.sides import CaptureFile, Side, Steps, files_of, of_one_kind
from tb_perfcompare.workspace.jobs.strict_sides import (
    StrictSides,
    check_same_kind,
    missing_data_notes,
    named_process,
    sides_of_tables,
    sides_of_traces,
)
from tb_perfcompare.workspace.jobs.summary_jobs import (
    LoadedSide,
    origin_of,
    pooled,
    read_recording,
    with_shown_name,
    with_step_range,
)

JSON, MARKDOWN, CSV, TEXT = "json", "md", "csv", "text"
FORMS = (JSON, MARKDOWN, CSV)


@dataclass(frozen=True, slots=True)
class StrictRequest:
    """Everything a strict report depends on: equal requests have equal reports.

    processes  the two pids (for traces: worker numbers) to compare; None: the first pair
    beta       the time of a trace that beta, a function's share, is of: "total" or "exclusive"
    window     where a trace's steps end: "device" or "marker"
    form       one of FORMS
    """

    baseline: Side
    candidate: Side
    processes: tuple[int, int] | None = None
    beta: str = TOTAL
    window: str = WINDOWS[0]
    form: str = JSON

    def __post_init__(self) -> None:
        for name, side in zip(SIDES, of_one_kind(*self.sides), strict=True):
            object.__setattr__(self, name, side)

    @property
    def sides(self) -> tuple[Side, Side]:
        """The normal side and the abnormal side."""
        return self.baseline, self.candidate


def holds_tables(side: Side) -> bool:
    """Whether the side's files are per-cycle tables. Ignores unreadable files, which fail when they are read. Raises
    SelectionError for a mixture."""
    are_tables = set()
    for file in side.files:
        try:
            are_tables.add(registry.recognize(file.path, files_of(file)) == CYCLES)
        except InputError:
            continue
    if len(are_tables) > 1:
        raise SelectionError(
            f"{side.source} holds per-cycle tables and other recordings", hint="choose one with its worker"
        )
    return are_tables == {True}


def strict_of_tables(request: StrictRequest, report: Reporter) -> bytes:
    """Reads two recorded per-cycle tables and returns the report about them in the requested form."""
    files = [_one_table(side) for side in request.sides]
    recordings = [_read_table(file, report) for file in files]
    pair = find_pairs(files[0].path, files[1].path).pairs[0]
    tables = [
        in_cycles(recording.table, side.steps, side.source)
        for recording, side in zip(recordings, request.sides, strict=True)
    ]
    sides = sides_of_tables(
        *tables, case=pair.case, phase=pair.phase, counters=recordings[1].counters,
        notes=(
            *missing_data_notes("normal", recordings[0].notes), *missing_data_notes("abnormal", recordings[1].notes),
        ),
    )  # fmt: skip
    return _answered(sides, request)


def strict_of_traces(baseline: LoadedSide, candidate: LoadedSide, request: StrictRequest, report: Reporter) -> bytes:
    """Returns the report about two traces in the requested form. Traces that cannot be compared give a JSON report
    with the reason; in other forms NotComparable is raised."""
    report(Progress("comparing"))
    try:
        sides = sides_of_traces(pooled(baseline), pooled(candidate), request.beta)
    except NotComparable as error:
        return not_comparable_report(error, request)
    return _answered(sides, request)


def not_comparable_report(error: NotComparable, request: StrictRequest) -> bytes:
    """Returns a JSON report that says why nothing can be compared; raises the error again for other forms."""
    if request.form != JSON:
        raise error
    return wire.encode(strict_dict(StrictAnswer("", (), 0, None, absent=str(error))))


def check_kinds(request: StrictRequest) -> bool:
    """Whether both sides are per-cycle tables. Raises NotComparable if only one is."""
    kinds = [holds_tables(side) for side in request.sides]
    check_same_kind(*kinds)
    return kinds[0]


def strict_file(sides: StrictSides, pair: ProcessPair, form: str, *, banner: bool = False) -> tuple[bytes, list[str]]:
    """Returns (the report in "md" or "csv", the banner's lines). In Markdown the banner also precedes the report."""
    report = _report(sides, pair)
    lines = banner_lines(_weaknesses(sides, pair, report), sides.units(pair)) if banner else []
    if form == CSV:
        return strict_csv(report).encode("utf-8"), lines
    text = strict_markdown(report, report_title(sides.case, pair))
    return ((banner_markdown(lines) if lines else "") + text).encode("utf-8"), lines


def strict_text_bytes(
    sides: StrictSides, pair: ProcessPair, terminal: Terminal | None, *, banner: bool = False
) -> bytes:
    """Returns the report as text, fitted to the terminal's width."""
    answer = _answer(sides, (pair,), 0)
    lines = banner_lines(answer.weaknesses, answer.units) if banner else []
    return strict_text(answer, lines, terminal).encode("utf-8", "backslashreplace")


def strict_answer(sides: StrictSides, processes: tuple[int, int] | None) -> StrictAnswer:
    """Returns the report with its weaknesses, units and tables; see named_process for `processes`."""
    return _answer(sides, *named_process(sides, processes))


def _answer(sides: StrictSides, pairs: tuple[ProcessPair, ...], chosen: int) -> StrictAnswer:
    pair = pairs[chosen]
    report = _report(sides, pair)
    return StrictAnswer(
        case=sides.case,
        processes=pairs,
        chosen=chosen,
        report=report,
        weaknesses=_weaknesses(sides, pair, report),
        units=sides.units(pair),
        tables=strict_tables(report, corrected(*sides.tables_of(pair), report), sides.mu_units(pair), sides.notes),
    )


def _answered(sides: StrictSides, request: StrictRequest) -> bytes:
    if request.form == JSON:
        return wire.encode(strict_dict(strict_answer(sides, request.processes)))
    pairs, chosen = named_process(sides, request.processes)
    return strict_file(sides, pairs[chosen], request.form)[0]


def _report(sides: StrictSides, pair: ProcessPair) -> StrictReport:
    return strict_report(*sides.tables_of(pair), pair.labels)


def _weaknesses(sides: StrictSides, pair: ProcessPair, report: StrictReport) -> tuple[Weakness, ...]:
    return weaknesses(*sides.tables_of(pair), report, files=sides.tables, recordings=sides.recordings)


def _one_table(side: Side) -> CaptureFile:
    if len(side.files) != 1:
        names = ", ".join(file.worker for file in side.files[:6])
        raise SelectionError(f"{side.source} holds {len(side.files)} tables: {names}", hint="choose one as the worker")
    return side.files[0]


def in_cycles(table: CycleTable, steps: Steps | None, source: str) -> CycleTable:
    """Returns the rows of the cycles with these numbers (None: all). Raises SelectionError if there are none."""
    if steps is None:
        return table
    inside = (table.cycle >= steps[0]) & (table.cycle <= steps[1])
    if not inside.any():
        cycles = ", ".join(str(cycle) for cycle in unique(table.cycle)[:20].tolist())
        raise SelectionError(f"{source} has no cycle between {steps[0]} and {steps[1]}", hint=f"there are: {cycles}")
    return table.rows(inside)


def compare_tables(
    sides: tuple[Side, Side], pair: ProcessPair, options: CompareOptions, report: Reporter
) -> Comparison:
    """Compares two recorded per-cycle tables, each narrowed to the rows of one process. Raises InputError."""
    first, second = (
        _of_process(side, pid, options, report) for side, pid in zip(sides, (pair.normal, pair.abnormal), strict=True)
    )
    return compare_summaries(first, second, options)


def with_worker_only(side: Side, worker: str) -> Side:
    return replace(side, files=tuple(file for file in side.files if file.worker == worker))


def _read_table(file: CaptureFile, report: Reporter) -> CycleRecording:
    """Reads one per-cycle table with its counters file. Raises InputError, naming the file as it is shown."""
    recording = read_recording(file, report)
    assert isinstance(recording, CycleRecording)
    return recording


def _of_process(side: Side, pid: int, options: CompareOptions, report: Reporter) -> Summary:
    (file,) = side.files
    recording = _read_table(file, report)
    table = recording.table
    with with_shown_name(file):
        summary = summarize_cycles(replace(recording, table=table.of_pid(pid)), origin_of(file), options.window)
    return with_step_range(summary, side.steps)
