"""Tables of a single run, for `view` and the API: the same catalogue, one side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from tb_perfcompare.comparison.launches.table import own_launches
from tb_perfcompare.comparison.ledger.modules import own_module_ledger
from tb_perfcompare.comparison.ranks.table import own_ranks
from tb_perfcompare.comparison.result.table import Table, by_name
from tb_perfcompare.comparison.tables.counters import counters_view
from tb_perfcompare.comparison.tables.memory import (
    BY_OPERATOR,
    CURVES,
    MEMORY,
    memory_curves,
    own_allocations,
    own_memory,
)
from tb_perfcompare.comparison.tables.own_groups import own_groups
from tb_perfcompare.comparison.tables.run_facts import own_bound, own_device, own_environment, own_recommendations
from tb_perfcompare.comparison.tables.step_tables import overview, own_categories, steps_table
from tb_perfcompare.comparison.work.by_family import BY_FAMILY, NO_WORK, work_by_family
from tb_perfcompare.comparison.work.measured import (
    MEASURED_WORK,
    NO_METRICS,
    NO_OPERATORS,
    NO_TIMES,
    kernel_metrics_table,
    measured_work,
)
from tb_perfcompare.model.device_peaks import DevicePeaks, GivenPeak, device_peaks
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.groups import KERNEL_METRICS
from tb_perfcompare.model.summary.job_workers import job_workers
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.table_specs import TABLE_SPECS
from tb_perfcompare.quick_dataclass import dataclass

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


_SHARED = ("mean_us", "share")
_PARTS = tuple(f"{label.lower().replace(' ', '_')}_us" for label in CATEGORY_LABELS)


@dataclass(frozen=True, slots=True)
class View:
    """A table of one run: what makes it, None if the run does not have it, and its columns whose cells add up."""

    make: Callable[[Summary, DevicePeaks | None], Table | None]
    amounts: Collection[str] = ()


def _groups(name: str) -> View:
    """Totals of operators and modules contain those of others below them."""
    amounts = (
        "calls", "host_self_us", "device_self_us", "host_api_us", "total_us", "share", "modelled_us", "flops",
        "moved_bytes",
    )  # fmt: skip
    return View(lambda summary, peaks: own_groups(name, summary, peaks), amounts)


VIEWS: Mapping[str, View] = {
    "overview": View(lambda summary, _: overview(summary)),
    "steps": View(
        lambda summary, _: steps_table({"run": summary}) if summary.is_timed else None,
        ("total_us", "launches", *_PARTS),
    ),
    "categories": View(lambda summary, _: own_categories(summary), _SHARED),
    "ranks": View(lambda summary, _: own_ranks(summary)),
    **{name: _groups(name) for name in TABLE_SPECS},
    "modules_ledger": View(lambda summary, _: own_module_ledger(summary), _SHARED),
    "counters": View(lambda summary, _: counters_view(summary)),
    MEMORY: View(lambda summary, _: own_memory(summary)),
    BY_OPERATOR: View(lambda summary, _: own_allocations(summary), ("allocated", "released", "calls")),
    CURVES: View(lambda summary, _: memory_curves({"run": summary.memory})),
    "bound": View(lambda summary, _: own_bound(summary), _SHARED),
    BY_FAMILY: View(
        lambda summary, peaks: work_by_family((summary,), (peaks,)),
        ("calls", "time_us", "modelled_us", "flops", "moved_bytes"),
    ),
    KERNEL_METRICS: View(lambda summary, _: kernel_metrics_table(summary)),
    MEASURED_WORK: View(
        lambda summary, _: measured_work(summary),
        ("measured_flops", "modelled_flops", "measured_bytes", "modelled_bytes"),
    ),
    "launches": View(lambda summary, _: own_launches(summary), ("dur_us",)),
    "device": View(lambda summary, _: own_device(summary)),
    "environment": View(lambda summary, _: own_environment(summary)),
    "recommendations": View(lambda summary, _: own_recommendations(summary)),
}
"""Every view a run may have, in display order; if a source cannot provide one, Summary.absent has the reason."""

ONE_WORKER = "one worker recorded this run; comparing ranks takes several"


def view_tables(summary: Summary, given: Sequence[GivenPeak] = ()) -> dict[str, Table]:
    """View name -> table, per step; `given` peaks replace those of the device. Views that the source cannot provide
    are left out."""
    peaks = device_peaks(summary.device.name, given)
    tables = (_table(view, summary, peaks) for view in VIEWS.values())
    return with_reading_notes(by_name(tables), summary)


def _table(view: View, summary: Summary, peaks: DevicePeaks | None) -> Table | None:
    table = view.make(summary, peaks)
    if table is None:
        return None
    columns = (replace(column, role="amount") if column.name in view.amounts else column for column in table.columns)
    return replace(table, columns=tuple(columns))


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
