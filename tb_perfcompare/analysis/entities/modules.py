"""nn.Module table: calls, host time and launched device work (traces recorded with_stack, with_modules)."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.nesting import Enclosers, Nesting, innermost, nest, with_descendants
from tb_perfcompare.analysis.entities.operators import device_self_times, forest_rows
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import EventIndex, Ints, Ints32, StepIndex
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.summary.split_time import distinct
from tb_perfcompare.model.summary.summary import GroupTable
from tb_perfcompare.quick_dataclass import dataclass

_PREFIX = "nn.Module: "


def module_calls(timeline: InterpretedTrace) -> Ints:
    """Returns the rows of module calls, in file order; empty if the trace has none."""
    events = timeline.events
    column = events.args.get("python_module_id")
    if column is None:
        return np.zeros(0, dtype=np.int64)
    rows = column.rows.astype(np.int64)
    calls: Ints = rows[events.category[rows] == Category.PYTHON_FUNCTION]
    return calls


def module_name(raw: str) -> str:
    """Returns `Conv2d_3` for `nn.Module: Conv2d_3`."""
    return raw.removeprefix(_PREFIX)


@dataclass(frozen=True, slots=True, eq=False)
class ModuleCalls:
    """The r module calls that start in a step.

    row      (r,) event row
    nesting  of the rows
    span     (r,) host time
    below    (r,) host time in nested module calls
    around   (h,) index of the innermost call around each forest row, -1 outside
    """

    row: EventIndex
    nesting: Nesting
    span: Ints
    below: Ints
    around: Ints32

    def of_operators(self, timeline: InterpretedTrace) -> tuple[Ints, list[str]]:
        """Returns ((h,) index of the innermost module around each forest row, -1 outside; the module names)."""
        strings = timeline.events.strings
        used, number = distinct(timeline.events.name[self.row].astype(np.int64), len(strings))
        names: dict[str, int] = {}
        place = [names.setdefault(module_name(strings[code]), len(names)) for code in used.tolist()]
        inside = np.array(place, dtype=np.int64)[number[self.around]]
        return np.where(self.around >= 0, inside, -1), list(names)


def calls_in_steps(timeline: InterpretedTrace, step: StepIndex) -> ModuleCalls | None:
    """Returns the module calls that start in a step; None if there are none."""
    rows = module_calls(timeline)
    rows = rows[step[rows] >= 0]
    if not len(rows):
        return None
    nesting, span, below = _nested(timeline, rows)
    rows = rows[nesting.order]
    return ModuleCalls(rows, nesting, span, below, _innermost(timeline, rows, nesting))


def module_table(timeline: InterpretedTrace, calls: ModuleCalls, step: StepIndex, steps: int) -> GroupTable:
    """Modules by name (`Conv2d_3`). A recursive module counts twice in total times."""
    rows, nesting, at = calls.row, calls.nesting, calls.around
    launched = device_self_times(timeline, forest_rows(timeline))[at >= 0]
    device_self = np.bincount(at[at >= 0], weights=launched, minlength=len(rows)).astype(np.int64)
    device_total = with_descendants(nesting.parent, nesting.depth, device_self)
    return _group(
        timeline,
        rows,
        step[rows],
        steps,
        {
            "host_self": calls.span - calls.below,
            "host_total": calls.span,
            "device_self": device_self,
            "device_total": device_total,
        },
    )


def _innermost(timeline: InterpretedTrace, rows: EventIndex, nesting: Nesting) -> Ints32:
    """(h,) Index of the innermost of these calls around each forest row, in nesting order."""
    start = timeline.events.start_ns
    nodes = Enclosers(timeline.lane[rows], start[rows], nesting.end, nesting.parent)
    forest = timeline.host.row
    return innermost(nodes, timeline.lane[forest], start[forest])


def module_self_times(timeline: InterpretedTrace, step: StepIndex) -> tuple[Ints, Ints]:
    """Returns (rows of the calls that start in a step, their time without nested module calls), as in the table."""
    rows = module_calls(timeline)
    rows = rows[step[rows] >= 0]
    nesting, span, below = _nested(timeline, rows)
    return rows[nesting.order], span - below


def _nested(timeline: InterpretedTrace, rows: EventIndex) -> tuple[Nesting, Ints, Ints]:
    """Returns (the nested calls, (r,) their spans in nesting order, (r,) span of their child calls)."""
    events = timeline.events
    ranks = events.strings.ranks()[events.name[rows]]
    nesting = nest(timeline.lane[rows], events.start_ns[rows], timeline.ends(rows), ranks)
    span = nesting.end - events.start_ns[rows[nesting.order]]
    inner = nesting.parent >= 0
    below = np.bincount(nesting.parent[inner], weights=span[inner], minlength=len(rows)).astype(np.int64)
    return nesting, span, below


def _group(
    timeline: InterpretedTrace, rows: EventIndex, step: StepIndex, steps: int, measures: dict[str, Ints]
) -> GroupTable:
    events = timeline.events
    used, group = distinct(events.name[rows].astype(np.int64), len(events.strings))
    names = [events.strings[int(i)] for i in used]
    flat = group * steps + step
    size = len(names) * steps

    def matrix(values: Ints | None) -> Ints:
        table: Ints = np.bincount(flat, weights=values, minlength=size).astype(np.int64).reshape(len(names), steps)
        return table

    low = np.full(len(names), np.iinfo(np.int64).max)
    high = np.zeros(len(names), dtype=np.int64)
    np.minimum.at(low, group, measures["host_total"])
    np.maximum.at(high, group, measures["host_total"])
    return GroupTable(
        kind="module",
        key_columns=("name",),
        keys=tuple((module_name(name),) for name in names),
        names=tuple(names),
        calls=matrix(None),
        measures_ns={name: matrix(values) for name, values in measures.items()},
        min_ns=low,
        max_ns=high,
        facts={},
    )
