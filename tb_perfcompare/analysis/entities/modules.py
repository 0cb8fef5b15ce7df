"""nn.Module table: calls, host time and launched device work (traces recorded with_stack)."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.grouping import Groups
from tb_perfcompare.analysis.columns.nesting import Nesting, with_descendants
from tb_perfcompare.analysis.columns.numbering import factorize
from tb_perfcompare.analysis.entities.operators import device_self_times, forest_rows
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.threads import innermost_around, nested
from tb_perfcompare.model.arrays import EventIndex, Ints, Ints32, StepIndex, is_of
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.ranges import MODULE_PREFIX
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.quick_dataclass import dataclass


def module_calls(timeline: InterpretedTrace) -> Ints:
    """Returns the rows of module calls, in file order; empty if the trace has none."""
    events = timeline.events
    column = events.args.get("python_module_id")
    if column is None:
        return np.zeros(0, dtype=np.int64)
    rows = column.rows.astype(np.int64)
    calls: Ints = rows[is_of(events.category[rows], Category.PYTHON_FUNCTION)]
    return calls


def module_name(raw: str) -> str:
    """Returns `Conv2d_3` for `nn.Module: Conv2d_3`."""
    return raw.removeprefix(MODULE_PREFIX)


@dataclass(frozen=True, slots=True, eq=False)
class ModuleCalls:
    """The r module calls that start in a step.

    nesting  of the calls
    span     (r,) host time
    around   (h,) index of the innermost call around each forest row, -1 outside
    """

    nesting: Nesting
    span: Ints
    around: Ints32

    @property
    def row(self) -> EventIndex:
        """(r,) Event row of each call."""
        return self.nesting.order

    def of_operators(self, timeline: InterpretedTrace) -> tuple[Ints, list[str]]:
        """Returns ((h,) index of the innermost module around each forest row, -1 outside; the module names)."""
        strings = timeline.events.strings
        used, number = factorize(timeline.events.name[self.row], len(strings))
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
    nesting = nested(timeline, rows)
    around = innermost_around(timeline, nesting, timeline.host.row)
    return ModuleCalls(nesting, nesting.end - timeline.events.start_ns[nesting.order], around)


def module_table(timeline: InterpretedTrace, calls: ModuleCalls, step: StepIndex, steps: int) -> GroupTable:
    """Modules by name (`Conv2d_3`). A recursive module counts twice in total times."""
    rows, nesting, at = calls.row, calls.nesting, calls.around
    launched = device_self_times(timeline, forest_rows(timeline))[at >= 0]
    device_self = np.bincount(at[at >= 0], weights=launched, minlength=len(rows)).astype(np.int64)
    measures = {
        "host_self": calls.span - nesting.inside,
        "host_total": calls.span,
        "device_self": device_self,
        "device_total": with_descendants(nesting.parent, nesting.depth, device_self),
    }
    strings = timeline.events.strings
    used, group = factorize(timeline.events.name[rows], len(strings))
    names = [strings[code] for code in used.tolist()]
    groups = Groups(group, len(names), step[rows], steps)
    low, high = groups.span(calls.span)
    return GroupTable(
        key_columns=("name",),
        keys=tuple((module_name(name),) for name in names),
        names=tuple(names),
        calls=groups.matrix(),
        measures_ns={name: groups.matrix(values) for name, values in measures.items()},
        min_ns=low,
        max_ns=high,
    )


def module_self_times(timeline: InterpretedTrace, step: StepIndex) -> tuple[Ints32, Ints]:
    """Returns (rows of the calls that start in a step, their time without nested module calls), as in the table."""
    rows = module_calls(timeline)
    nesting = nested(timeline, rows[step[rows] >= 0])
    return nesting.order, nesting.end - timeline.events.start_ns[nesting.order] - nesting.inside
