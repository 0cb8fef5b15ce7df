"""Time between operators by Python function, with the functions that it calls."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.attribution.entities import Owners
from tb_perfcompare.analysis.columns.grouping import Groups, number_combinations
from tb_perfcompare.analysis.columns.nesting import Nesting, by_level, nest, with_descendants
from tb_perfcompare.analysis.columns.numbering import factorize, gather, numbered_pairs, rows_where, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import operator_keys_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.threads import innermost_around, nested
from tb_perfcompare.model.arrays import EventIndex, Flags, Ints32, StepIndex, is_of, min_by_target
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.python_frames import is_of_program
from tb_perfcompare.model.summary.groups import PYTHON_DEPTH
from tb_perfcompare.model.summary.summary import GroupTable
from tb_perfcompare.model.texts import column, keys

LEAST_SHARE = 0.01
"""Least share of the time of all Python functions for one to be listed."""


def python_time(timeline: InterpretedTrace, owners: Owners, step: StepIndex, steps: int) -> GroupTable | None:
    """Returns PYTHON_TIME; None without Python functions that own time. A function that calls itself, or that
    another one calls in it, counts once."""
    events, shares = timeline.events, owners.shares
    functions = np.flatnonzero(is_of(gather(events.category, owners.row), Category.PYTHON_FUNCTION))
    if not len(functions):
        return None
    own = np.zeros(len(events), dtype=np.int64)
    own[owners.row[functions]] = scatter_add(shares.claim, len(owners.row), value=shares.time_ns)[functions, 0]
    rows, nesting = nested(timeline, np.concatenate([owners.row[functions], rows_where(timeline.is_operator)]))
    names, is_function = gather(events.name, rows), is_of(gather(events.category, rows), Category.PYTHON_FUNCTION)
    around, within = _callers(timeline, names, is_function, nesting), _ranges(timeline, rows)
    spent = np.where(is_function & (within >= 0), nesting.end - gather(events.start_ns, rows) - nesting.inside, 0)
    times = [with_descendants(nesting.parent, nesting.depth, ns) for ns in (gather(own, rows), spent)]
    total = np.where(within >= 0, times[1], times[0])
    inside = np.zeros(len(rows), dtype=bool)
    inside[is_function] = _inside_itself(timeline, rows[is_function], names[is_function])
    listed = np.flatnonzero(is_function & (total > 0) & ~inside & (gather(step, rows) >= 0))
    keys_of = operator_keys_of(events.strings)
    none = keys_of.places(("",))[0]
    parts = [np.where(code >= 0, keys_of.of(np.maximum(code, 0)), none) for code in (names, around, within)]
    used, group = number_combinations([(part[listed], len(keys_of.pool)) for part in parts])
    groups = Groups(group, len(used[0]), (step, rows[listed]), steps)
    calls, time = groups.matrix(), groups.matrix(total[listed])
    depth = min_by_target(nesting.depth[listed].astype(np.int64), group, len(used[0]))
    whole = np.where(used[2] == none, own.sum(), spent.sum())
    large = np.flatnonzero(time.sum(axis=1) >= np.maximum(LEAST_SHARE * whole, 1))
    if not len(large):
        return None
    return GroupTable(
        key_columns=("name", "caller", "range"),
        keys=keys(*((part[large], keys_of.pool) for part in used)),
        names=column(used[0][large], keys_of.pool),
        calls=calls[large],
        measures_ns={"total": time[large]},
        facts={PYTHON_DEPTH: depth[large].astype(np.float64)},
    )


def _callers(timeline: InterpretedTrace, names: Ints32, is_function: Flags, nesting: Nesting) -> Ints32:
    """(r,) Name of the innermost function of the program around each of these nested events, -1 without one."""
    used, place = factorize(names, len(timeline.events.strings))
    is_caller = is_function & np.array([is_of_program(timeline.events.strings[code]) for code in used.tolist()])[place]
    caller = np.full(len(names), -1, dtype=np.int32)
    for level in by_level(nesting.depth)[1:]:
        above = nesting.parent[level]
        caller[level] = np.where(is_caller[above], names[above], caller[above])
    return caller


def _ranges(timeline: InterpretedTrace, rows: EventIndex) -> Ints32:
    """(r,) Name of the innermost annotated range around the start of each event, -1 without one. A range starts in the
    Python function that opens it and outlives that, so both are not nested."""
    events = timeline.events
    ranges, nesting = nested(timeline, rows_where(is_of(events.category, Category.ANNOTATION) & ~timeline.is_marker))
    around = innermost_around(timeline, ranges, nesting, rows)
    return gather(np.append(gather(events.name, ranges), np.int32(-1)), around)


def _inside_itself(timeline: InterpretedTrace, rows: EventIndex, names: Ints32) -> Flags:
    """(r,) Whether a function of the same name is open around each call, whatever others are in between."""
    start, lane = gather(timeline.events.start_ns, rows), gather(timeline.lane, rows)
    _, of_name = numbered_pairs(lane, len(timeline.events.lanes), names, len(timeline.events.strings))
    nesting = nest(of_name, start, timeline.ends(rows))
    inside = np.zeros(len(rows), dtype=bool)
    inside[nesting.order] = nesting.parent >= 0
    return inside
