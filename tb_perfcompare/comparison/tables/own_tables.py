"""Tables that one run has by itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.caveats import merged
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table, table_of
from tb_perfcompare.comparison.result.wording import many, noun_of, setting_words
from tb_perfcompare.comparison.tables import bandwidths
from tb_perfcompare.comparison.tables.fixed_tables import BOUND_WHAT, SETTING_NAMES, mean_us
from tb_perfcompare.comparison.work.row_work import OF_TABLES, has_work, table_work
from tb_perfcompare.comparison.work.work_columns import SHOWN_WORK, Made, notes_of, own_columns
from tb_perfcompare.model.arrays import divided, median
from tb_perfcompare.model.device_peaks import DevicePeaks
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.summary import CYCLE_TIME, KERNEL_TIME, Summary
from tb_perfcompare.model.summary.table_specs import KEY_COLUMNS, TABLE_SPECS, TableSpec
from tb_perfcompare.model.summary.tables import GroupTable

_READING = "Corrected reading (docs/method/corrected_reading.md); `--compat` shows torch-tb-profiler's."


def overview(summary: Summary) -> Table | None:
    """Table of the run's main figures; None without step times."""
    if not summary.is_timed:
        return None
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


def own_categories(summary: Summary) -> Table | None:
    """Table of step time by category; None without step times, or if functions overlap."""
    if not summary.is_timed or summary.metric == CYCLE_TIME:
        return None
    total = mean_us(summary)
    rows = tuple((label, value, value / total if total else None) for label, value in _category_us(summary))
    shown = (
        columns.key("category", "Category", "category of step time"),
        columns.time("mean_us", "Mean", f"exposed time, {columns.PER_STEP}"),
        columns.fraction("share", "Share", "fraction of step time; sums to 1"),
    )
    return Table("categories", "Step time by category", shown, rows, (_READING,))


def own_groups(name: str, summary: Summary, peaks: DevicePeaks | None) -> Table | None:
    """The table of TABLE_SPECS with this name; None if the run does not have it."""
    spec, table, steps = TABLE_SPECS[name], summary.groups.get(name), len(summary.steps)
    if table is None:
        return None
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


def own_device(summary: Summary) -> Table | None:
    """Table of the device summary; None for per-cycle tables."""
    if summary.metric == CYCLE_TIME:
        return None
    rows = tuple((m.device, m.name, m.value, "fraction", m.reason) for m in summary.device_metrics)
    shown = (
        columns.key("device", "Device", "device number in the trace"),
        columns.key("metric", "Metric", "metric of the device summary"),
        columns.fraction("value", "Value", "value; empty if not measured"),
        columns.text("unit", "Unit", "unit of the value"),
        columns.text("reason", "Not measured because", "reason why the value is missing"),
    )
    return Table("device", "Device summary", shown, rows, (_READING,))


def own_bound(summary: Summary) -> Table | None:
    """Table of device time by what limits the launches; None if their utilisation is not recorded."""
    if not summary.bound_ns:
        return None
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


def own_environment(summary: Summary) -> Table:
    """Table of the recorded settings."""
    shown = (
        columns.key("setting", "Setting", "setting of the recording environment"),
        columns.text("name", "Name", SETTING_NAMES, shown=False),
        columns.text("value", "Value", "value as recorded"),
    )
    rows = tuple((setting_words(name), name, value) for name, value in summary.environment)
    return Table("environment", "Environment", shown, rows)


def own_recommendations(summary: Summary) -> Table:
    """Table of the advice on this run."""
    shown = (columns.key("text", "Recommendation", "advice from fixed thresholds on this run's figures"),)
    rows = tuple((text,) for text in merged(summary.recommendations))
    return Table("recommendations", "Recommendations", shown, rows)
