"""Time between operators by Python function, with the functions that it calls."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.attribution.entities import Owners
from tb_perfcompare.analysis.columns.grouping import Groups
from tb_perfcompare.analysis.columns.nesting import nest, with_descendants
from tb_perfcompare.analysis.columns.numbering import gather, numbered_pairs, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import operator_keys_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.threads import nested
from tb_perfcompare.model.arrays import EventIndex, Flags, Ints32, StepIndex, min_by_target, unique_places
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.summary.groups import PYTHON_DEPTH
from tb_perfcompare.model.summary.summary import GroupTable
from tb_perfcompare.model.texts import column, keys

LEAST_SHARE = 0.01
"""Least share of the time of all Python functions for one to be listed."""


def python_time(timeline: InterpretedTrace, owners: Owners, step: StepIndex, steps: int) -> GroupTable | None:
    """Returns PYTHON_TIME; None without Python functions that own time. A function that calls itself, or that
    another one calls in it, counts once."""
    events, shares = timeline.events, owners.shares
    functions = np.flatnonzero(gather(events.category, owners.row) == Category.PYTHON_FUNCTION)
    if not len(functions):
        return None
    owned = scatter_add(shares.claim, len(owners.row), value=shares.time_ns)[functions, 0]
    rows, nesting = nested(timeline, owners.row[functions])
    names = gather(events.name, rows)
    total = with_descendants(nesting.parent, nesting.depth, owned[nesting.order])
    listed = np.flatnonzero((total > 0) & ~_inside_itself(timeline, rows, names) & (gather(step, rows) >= 0))
    keys_of = operator_keys_of(events.strings)
    used, group = unique_places(keys_of.of(names[listed]))
    groups = Groups(group, len(used), (step, rows[listed]), steps)
    calls, time = groups.matrix(), groups.matrix(total[listed])
    depth = min_by_target(nesting.depth[listed].astype(np.int64), group, len(used))
    large = np.flatnonzero(time.sum(axis=1) >= max(LEAST_SHARE * owned.sum(), 1))
    if not len(large):
        return None
    return GroupTable(
        key_columns=("name",),
        keys=keys((used[large], keys_of.pool)),
        names=column(used[large], keys_of.pool),
        calls=calls[large],
        measures_ns={"total": time[large]},
        facts={PYTHON_DEPTH: depth[large].astype(np.float64)},
    )


def _inside_itself(timeline: InterpretedTrace, rows: EventIndex, names: Ints32) -> Flags:
    """(r,) Whether a function of the same name is open around each call, whatever others are in between."""
    start, lane = gather(timeline.events.start_ns, rows), gather(timeline.lane, rows)
    _, of_name = numbered_pairs(lane, len(timeline.events.lanes), names, len(timeline.events.strings))
    nesting = nest(of_name, start, timeline.ends(rows))
    inside = np.zeros(len(rows), dtype=bool)
    inside[nesting.order] = nesting.parent >= 0
    return inside
