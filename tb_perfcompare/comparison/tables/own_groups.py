"""Tables of operators, kernels, ... of one run; entity_tables.py has those of two sides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.table import Table, table_of
from tb_perfcompare.comparison.result.wording import many
from tb_perfcompare.comparison.tables import bandwidths
from tb_perfcompare.comparison.work.row_work import OF_TABLES, has_work, table_work
from tb_perfcompare.comparison.work.work_columns import SHOWN_WORK, Made, notes_of, own_columns
from tb_perfcompare.model.arrays import divided
from tb_perfcompare.model.device_peaks import DevicePeaks
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.table_specs import KEY_COLUMNS, TABLE_SPECS, TableSpec
from tb_perfcompare.model.summary.tables import GroupTable


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
