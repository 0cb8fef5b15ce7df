"""Table of counters: clocks, utilization, traffic; every row in its own unit."""

from __future__ import annotations

from collections.abc import Iterator

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.counter_join import CounterChange, SideCounter, paired_devices, side_counter
from tb_perfcompare.model.summary.summary import Summary

_MEAN = "mean over the admitted steps in which the counter has a value, in the row's unit"
_COVERAGE = "fraction of the compared time covered by the counter's own samples; the rest is interpolated or unknown"
_SAMPLES = "number of samples in the admitted steps; empty if the source does not record them by device"
_SD = "standard deviation within a step, mean over the steps, in the row's unit"
_UNIT = "unit of the row's means and delta; raw or empty if unknown"

_TITLE = "Counters"
NOTES = (
    "A counter belongs to a device, not to a kernel or function: moving together with times does not prove a cause.",
)


def counters_table(changes: tuple[CounterChange, ...]) -> Table | None:
    """Table of the joined counters, None if neither side has one."""
    if not changes:
        return None
    table_columns = (
        columns.key("counter", "Counter", "counter name in the source"),
        columns.key(
            "device", "Device",
            "device that the counter belongs to; GPU #1, GPU #2, ... if the two sides number them differently",
        ),
        columns.key("unit", "Unit", _UNIT),
        *columns.sides(columns.text, "device", "Device", "device name in the {side}", shown=False),
        *columns.sides(columns.number, "", "", f"{_MEAN} ({{side}})", unit="", sided=True),
        columns.number("delta", "Δ", "", "candidate minus baseline, in the row's unit", role="delta"),
        columns.fraction("percent", "Δ %", "delta as a fraction of the baseline; empty if it is zero", role="percent"),
        *columns.sides(columns.fraction, "coverage", "Coverage", f"{_COVERAGE} ({{side}})"),
        *columns.sides(columns.count, "samples", "Samples", f"{_SAMPLES} ({{side}})"),
        *columns.sides(columns.number, "sd", "Deviation", f"{_SD} ({{side}})", unit="", shown=False),
        columns.q("counters"),
        columns.number("p", "p", "", "two-sided Mann-Whitney p of the values per step", shown=False),
        columns.STATUS,
    )  # fmt: skip
    rows = tuple(_row(change) for change in changes)
    return Table("counters", _TITLE, table_columns, rows, (*NOTES, *paired_devices(changes)))


def _row(change: CounterChange) -> tuple[Cell, ...]:
    x, y = change.baseline, change.candidate

    def both(figure: str) -> Iterator[Cell]:
        return (getattr(side, figure, None) for side in (x, y))

    return (
        change.counter,
        change.device,
        change.unit,
        *both("device"),
        *both("mean"),
        change.delta,
        change.percent,
        *both("coverage"),
        *both("samples"),
        *both("sd"),
        change.q,
        change.p,
        columns.status(x is not None, y is not None),
    )


def counters_view(summary: Summary) -> Table | None:
    """Table of one run's counters, by name and device; None without any."""
    counters = summary.counters
    if counters is None:
        return None
    counters_found: list[tuple[str, str, SideCounter]] = []
    for row, ((name, _), unit) in enumerate(zip(counters.keys, counters.units, strict=True)):
        counter = side_counter(counters, row, summary.steps.total_ns)
        if counter is not None:
            counters_found.append((name, unit, counter))
    shown = (
        columns.key("counter", "Counter", "counter name in the source"),
        columns.key("device", "Device", "device that the counter belongs to"),
        columns.key("unit", "Unit", _UNIT),
        columns.number("mean", "Mean", "", _MEAN),
        columns.number("sd", "Deviation", "", _SD),
        columns.fraction("coverage", "Coverage", _COVERAGE),
        columns.count("samples", "Samples", _SAMPLES),
    )
    rows = tuple(
        (name, counter.device, unit, counter.mean, counter.sd, counter.coverage, counter.samples)
        for name, unit, counter in sorted(counters_found, key=lambda row: (row[0], row[2].device))
    )
    return Table("counters", _TITLE, shown, rows, NOTES) if rows else None
