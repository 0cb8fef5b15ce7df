"""Tables of a single run, for `view` and the API: the same catalogue, one side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.launches.table import own_launches
from tb_perfcompare.comparison.ledger.modules import own_module_ledger
from tb_perfcompare.comparison.ranks.table import own_ranks
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.caveats import merged
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table, by_name, table_of
from tb_perfcompare.comparison.result.wording import many, noun_of, setting_words
from tb_perfcompare.comparison.tables import bandwidths
from tb_perfcompare.comparison.tables.counters import counters_view
from tb_perfcompare.comparison.tables.fixed_tables import BOUND_WHAT, SETTING_NAMES, mean_us, steps_table
from tb_perfcompare.comparison.tables.memory import memory_views
from tb_perfcompare.comparison.tables.table_specs import KEY_COLUMNS, TABLE_SPECS, TableSpec
from tb_perfcompare.comparison.work.by_family import BY_FAMILY, NO_WORK, work_by_family
from tb_perfcompare.comparison.work.measured import (
    MEASURED_WORK,
    NO_METRICS,
    NO_OPERATORS,
    NO_TIMES,
    kernel_metrics_table,
    measured_work,
)
from tb_perfcompare.comparison.work.row_work import OF_TABLES, has_work, table_work
from tb_perfcompare.comparison.work.work_columns import SHOWN_WORK, Made, notes_of, own_columns
from tb_perfcompare.model.arrays import divided, median
from tb_perfcompare.model.device_peaks import DevicePeaks, GivenPeak, device_peaks
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.groups import KERNEL_METRICS
from tb_perfcompare.model.summary.job_workers import job_workers
from tb_perfcompare.model.summary.summary import CYCLE_TIME, KERNEL_TIME, Summary
from tb_perfcompare.model.summary.tables import GroupTable

_CORRECTED = "Corrected reading"
"""Prefix of the note under tables made from traces."""

_AS_ANSWERED = "Saved answers are in torch-tb-profiler's own reading (docs/inputs/answers.md)."
_READING_NOTES = {
    "as listed": "Figures are those of the listing (docs/inputs/kernel_listings.md).",
    "as recorded": "Figures are those of the table (docs/inputs/perf_data.md).",
}
"""Reading -> note, if all sides have that reading."""


def with_reading_notes(tables: dict[str, Table], *sides: Summary) -> dict[str, Table]:
    """Returns the tables, with the note "corrected reading" replaced if a side was not read that way."""
    readings = {side.reading for side in sides}
    if readings == {"corrected"}:
        return tables
    reading = _READING_NOTES.get(readings.pop(), _AS_ANSWERED) if len(readings) == 1 else _AS_ANSWERED
    return {
        name: replace(table, notes=tuple(reading if note.startswith(_CORRECTED) else note for note in table.notes))
        for name, table in tables.items()
    }


VIEWS = (
    "overview", "steps", "categories", "ranks", *TABLE_SPECS, "modules_ledger", "counters", "memory",
    "memory_operators", "memory_curves", "bound", BY_FAMILY, KERNEL_METRICS, MEASURED_WORK, "launches", "device",
    "environment", "recommendations",
)  # fmt: skip
"""Every view a run may have; if a source cannot provide one, Summary.absent has the reason."""

ONE_WORKER = "one worker recorded this run; comparing ranks takes several"

_READING = "Corrected reading (docs/method/corrected_reading.md); `--compat` shows torch-tb-profiler's."


def view_tables(summary: Summary, given: Sequence[GivenPeak] = ()) -> dict[str, Table]:
    """View name -> table, per step; `given` peaks replace those of the device. Views that the source cannot provide
    are left out."""
    peaks = device_peaks(summary.device.name, given)
    tables = {
        "overview": _overview(summary),
        "steps": steps_table({"run": summary}),
        "categories": _categories(summary),
        "device": _device(summary),
        "environment": _environment(summary),
        "recommendations": _recommendations(summary),
    }
    tables |= memory_views(summary)
    for name, table in summary.groups.items():
        if name in TABLE_SPECS:
            tables[name] = _group(name, table, summary, peaks)
    modules, launches = summary.modules, summary.launches
    tables |= by_name((
        counters_view(summary), own_ranks(summary),
        None if modules is None else own_module_ledger(modules, len(summary.steps)),
        _bound(summary) if summary.bound_ns else None,
        None if launches is None else own_launches(launches, summary.groups["kernels"].keys),
        work_by_family((summary,), (peaks,)), kernel_metrics_table(summary), measured_work(summary),
    ))  # fmt: skip
    untimed: tuple[str, ...] = () if summary.is_timed else ("overview", "steps", "categories")
    if summary.metric == CYCLE_TIME:
        untimed = ("categories", "device")
    shown = {name: _with_amounts(tables[name]) for name in VIEWS if name in tables and name not in untimed}
    return with_reading_notes(shown, summary)


def absent_views(summary: Summary) -> Mapping[str, str]:
    """View -> reason why the run does not have it."""
    has_one_worker = len(set(job_workers(summary))) < 2
    measured = KERNEL_METRICS in summary.groups
    return {
        **({"ranks": ONE_WORKER} if has_one_worker else {}),
        BY_FAMILY: NO_TIMES if measured else NO_WORK,
        KERNEL_METRICS: NO_METRICS,
        MEASURED_WORK: NO_OPERATORS if measured else NO_METRICS,
        **summary.absent,
    }


_PARTS = frozenset(f"{label.lower().replace(' ', '_')}_us" for label in CATEGORY_LABELS)
_SHARED = frozenset({"mean_us", "share"})
_AMOUNTS: Mapping[str, frozenset[str]] = {
    "steps": frozenset({"total_us", "launches", *_PARTS}),
    "categories": _SHARED,
    "modules_ledger": _SHARED,
    "bound": _SHARED,
    "launches": frozenset({"dur_us"}),
    BY_FAMILY: frozenset({"calls", "time_us", "modelled_us", "flops", "moved_bytes"}),
    MEASURED_WORK: frozenset({"measured_flops", "modelled_flops", "measured_bytes", "modelled_bytes"}),
    "memory_operators": frozenset({"allocated", "released", "calls"}),
    **dict.fromkeys(TABLE_SPECS, frozenset({
        "calls", "host_self_us", "device_self_us", "host_api_us", "total_us", "share", "modelled_us", "flops",
        "moved_bytes",
    })),
}
"""View -> columns whose cells add up. Totals of operators and modules contain those of others below them."""


def _with_amounts(table: Table) -> Table:
    amounts = _AMOUNTS.get(table.name, frozenset())
    return replace(
        table,
        columns=tuple(replace(column, role="amount") if column.name in amounts else column for column in table.columns),
    )


def _overview(summary: Summary) -> Table:
    steps = summary.steps
    cycles = summary.metric == CYCLE_TIME
    noun = noun_of(summary.metric)
    rows: list[tuple[Cell, ...]] = [
        (f"Mean {noun} time", mean_us(summary), "us"),
        (f"Median {noun} time", float(median(steps.total_ns)) / 1000, "us"),
        (f"Shortest {noun}", int(steps.total_ns.min()) / 1000, "us"),
        (f"Longest {noun}", int(steps.total_ns.max()) / 1000, "us"),
        (f"{noun.capitalize()}s", len(steps), "count"),
        (f"{noun.capitalize()}s left out", len(summary.dropped), "count"),
    ]
    notes: tuple[str, ...] = ()
    if summary.metric == KERNEL_TIME:
        rows = [("Kernel time", mean_us(summary), "us"), ("Launches", int(steps.launches.sum()), "count")]
    rows += [("Captures", len(summary.captures), "count"), ("Devices at work", summary.device.count, "count")]
    if summary.metric == KERNEL_TIME:
        what = "a listing has no steps"
    elif cycles:
        rows += [(f"Functions of type {kind}", value, "us") for kind, value in _type_us(summary)]
        what, notes = "functions are summed over threads and streams", ("Functions overlap and may exceed the cycle.",)
    else:
        rows += [(label, value, "us") for label, value in _category_us(summary)]
        what, notes = "categories are exposed time per step", (f"Step windows: {summary.window}.",)
    shown = (
        columns.key("figure", "Figure", "quantity measured"),
        columns.number("value", "Value", "", f"value, in the row's unit; {what}"),
        columns.text("unit", "Unit", "unit of the value"),
    )
    return Table("overview", "Overview", shown, tuple(rows), (_READING, *notes))


def _type_us(summary: Summary) -> list[tuple[str, float]]:
    """Time per cycle by type of function, largest first."""
    table = summary.groups.get("functions")
    total: dict[str, int] = {}
    times = table.measures_ns["total"].sum(axis=1).tolist() if table is not None else []
    for (_, kind), time in zip(table.keys if table is not None else (), times, strict=True):
        total[kind] = total.get(kind, 0) + time
    ranked = sorted(total.items(), key=lambda item: (-item[1], item[0]))
    return [(kind, time / len(summary.steps) / 1000) for kind, time in ranked]


def _category_us(summary: Summary) -> list[tuple[str, float]]:
    """Time per step of the recorded categories."""
    per_step = summary.owned.by_category().sum(axis=1) / len(summary.steps) / 1000
    named = zip(CATEGORY_LABELS, per_step.tolist(), strict=True)
    return [(label, value) for label, value in named if label not in summary.not_recorded]


def _categories(summary: Summary) -> Table:
    total = mean_us(summary)
    rows = tuple((label, value, value / total if total else None) for label, value in _category_us(summary))
    shown = (
        columns.key("category", "Category", "category of step time"),
        columns.time("mean_us", "Mean", f"exposed time, {columns.PER_STEP}"),
        columns.fraction("share", "Share", "fraction of step time; sums to 1"),
    )
    return Table("categories", "Step time by category", shown, rows, (_READING,))


def _group(name: str, table: GroupTable, summary: Summary, peaks: DevicePeaks | None) -> Table:
    spec, steps = TABLE_SPECS[name], len(summary.steps)
    work = None
    if name in OF_TABLES and has_work(summary, OF_TABLES[name][0]):
        work = table_work(summary, name, {key: row for row, key in enumerate(table.keys)}, len(table), peaks)
    of_messages = bandwidths.own_columns(summary, name) if name in bandwidths.TABLES else []
    cells = [
        *_keys(table), *_calls_and_times(spec, table, steps), *_extremes(table), *_facts(spec, table),
        *([] if work is None else own_columns(work, SHOWN_WORK if name == "operators_by_shape" else ())),
        *of_messages,
    ]  # fmt: skip
    sorting = (table.measures_ns[source].sum(axis=1) for source in spec.order if source in table.measures_ns)
    order = sum(sorting, np.zeros(len(table)))
    ranked = sorted(range(len(table)), key=lambda row: (-order[row], table.keys[row]))
    of_work = () if work is None else notes_of(work)
    means = f"Means over {many(steps, 'step')}."
    notes = (columns.CORRECTED, *spec.notes, *of_work, *bandwidths.notes_of(of_messages), means)
    return table_of(name, spec.title, cells, ranked, notes)


def _keys(table: GroupTable) -> Iterator[Made]:
    for part, key in enumerate(table.key_columns):
        label, what = KEY_COLUMNS[key]
        yield columns.key(key, label, "name" if key == "name" else what), tuple(row[part] for row in table.keys)


def _calls_and_times(spec: TableSpec, table: GroupTable, steps: int) -> Iterator[Made]:
    """Calls and times per step; where calls are one of something, such as a copy, mean time and share of each row."""
    calls = table.calls.sum(axis=1)
    if calls.any():
        yield columns.count("calls", spec.calls, f"{spec.calls.lower()}, {columns.PER_STEP}"), calls / steps
    for measure in spec.measures:
        if measure.source not in table.measures_ns:
            continue
        times = table.measures_ns[measure.source].sum(axis=1)
        label = measure.label or ("Host self" if measure.source == "host_self" else "Total")
        column = columns.time(f"{measure.source}_us", label, f"{measure.definition}; {columns.PER_STEP}")
        yield column, times / steps / 1000
        if spec.one and not measure.name:
            mean = columns.time("mean_us", f"Per {spec.one}", f"mean time of one {spec.one}")
            yield mean, divided(times, calls) / 1000
            share = columns.fraction("share", "Share", "fraction of the time of all rows")
            yield share, divided(times, np.full_like(times, times.sum()))


def _extremes(table: GroupTable) -> Iterator[Made]:
    for label, values in (("min", table.min_ns), ("max", table.max_ns)):
        if values is not None:
            column = columns.time(f"{label}_us", label.capitalize(), f"{label}imum time of one call", shown=False)
            yield column, values / 1000


def _facts(spec: TableSpec, table: GroupTable) -> Iterator[Made]:
    for fact in spec.facts:
        figures = table.facts.get(fact.name)
        if figures is not None and np.isfinite(figures).any():
            column = columns.fact(fact.name, fact.label, fact.unit, fact.definition, better=fact.better)
            yield column, np.where(np.isfinite(figures), figures, np.nan)


def _device(summary: Summary) -> Table:
    rows = tuple((m.device, m.name, m.value, "fraction", m.reason) for m in summary.device_metrics)
    shown = (
        columns.key("device", "Device", "device number in the trace"),
        columns.key("metric", "Metric", "metric of the device summary"),
        columns.fraction("value", "Value", "value; empty if not measured"),
        columns.text("unit", "Unit", "unit of the value"),
        columns.text("reason", "Not measured because", "reason why the value is missing"),
    )
    return Table("device", "Device summary", shown, rows, (_READING,))


def _bound(summary: Summary) -> Table:
    total = sum(summary.bound_ns.values())
    steps = len(summary.steps)
    rows = tuple(
        (name, ns / steps / 1000, ns / total if total else None) for name, ns in summary.bound_ns.items() if ns
    )
    shown = (
        columns.key("class", "Bound by", BOUND_WHAT),
        columns.time("mean_us", "Device time", f"device time, {columns.PER_STEP}"),
        columns.fraction("share", "Share", "fraction of all device time"),
    )
    return Table("bound", "What limits the launches", shown, rows, (BOUND_WHAT,))


def _environment(summary: Summary) -> Table:
    shown = (
        columns.key("setting", "Setting", "setting of the recording environment"),
        columns.text("name", "Name", SETTING_NAMES, shown=False),
        columns.text("value", "Value", "value as recorded"),
    )
    rows = tuple((setting_words(name), name, value) for name, value in summary.environment)
    return Table("environment", "Environment", shown, rows)


def _recommendations(summary: Summary) -> Table:
    shown = (columns.key("text", "Recommendation", "advice from fixed thresholds on this run's figures"),)
    rows = tuple((text,) for text in merged(summary.recommendations))
    return Table("recommendations", "Recommendations", shown, rows)
