"""Time between operators by Python function, with the functions that it calls."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.attribution.entities import Owners
from tb_perfcompare.analysis.columns.grouping import Groups, number_combinations
from tb_perfcompare.analysis.columns.nesting import by_level, nest, with_descendants
from tb_perfcompare.analysis.columns.numbering import factorize, gather, numbered_pairs, rows_where, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import operator_keys_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.threads import innermost_around, nested
from tb_perfcompare.model.arrays import (
    EventIndex,
    Flags,
    Ints,
    Ints32,
    Nanoseconds,
    NodeIndex,
    StepIndex,
    is_of,
    min_by_target,
)
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.python_frames import is_of_program
from tb_perfcompare.model.summary.groups import PYTHON_DEPTH, PYTHON_OPERATORS
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.texts import column, keys

LEAST_SHARE = 0.01
"""Least share of the time of all Python functions for one to be listed."""


def python_time(timeline: InterpretedTrace, owners: Owners, step: StepIndex, steps: int) -> GroupTable | None:
    """Returns PYTHON_TIME; None without Python functions that own time. A function that calls itself, or that
    another one calls in it, counts once."""
    events = timeline.events
    functions = np.flatnonzero(is_of(gather(events.category, owners.row), Category.PYTHON_FUNCTION))
    if not len(functions):
        return None
    inside = _inside_itself(timeline, owners.row[functions])
    rows, nesting = nested(timeline, np.concatenate([owners.row[functions], rows_where(timeline.is_operator)]))
    names, is_function = gather(events.name, rows), is_of(gather(events.category, rows), Category.PYTHON_FUNCTION)
    within = _ranges(timeline, rows)
    spent = nesting.end - nesting.inside
    spent -= gather(events.start_ns, rows)
    spent[~is_function | (within < 0)] = 0
    parent, depth = nesting.parent, nesting.depth
    del nesting  # frees memory for the next steps, as below
    own, whole_spent = gather(_own(owners, functions, len(events)), rows), spent.sum()
    whole_own = own.sum()
    own, spent = with_descendants(parent, depth, own), with_descendants(parent, depth, spent)
    total = np.where(within >= 0, spent, own)
    del own, spent
    around = _callers(timeline, names, is_function, parent, depth)
    listed = is_function & (total > 0) & ~gather(inside, rows) & (gather(step, rows) >= 0)
    operators = with_descendants(parent, depth, (~is_function).astype(np.int64))[listed]
    rows, names, around, within, total, depth = (
        values[listed] for values in (rows, names, around, within, total, depth)
    )
    del parent, is_function, listed
    keys_of = operator_keys_of(events.strings)
    none = keys_of.places(("",))[0]
    parts = [np.where(code >= 0, keys_of.of(np.maximum(code, 0)), none) for code in (names, around, within)]
    used, group = number_combinations([(part, len(keys_of.pool)) for part in parts])
    groups = Groups(group, len(used[0]), (step, rows), steps)
    calls, time = groups.matrix(), groups.matrix(total)
    least = min_by_target(depth.astype(np.int64), group, len(used[0]))
    inner = np.bincount(group, operators, len(used[0]))
    whole = np.where(used[2] == none, whole_own, whole_spent)
    large = np.flatnonzero(time.sum(axis=1) >= np.maximum(LEAST_SHARE * whole, 1))
    if not len(large):
        return None
    return GroupTable(
        key_columns=("name", "caller", "range"),
        keys=keys(*((part[large], keys_of.pool) for part in used)),
        names=column(used[0][large], keys_of.pool),
        calls=calls[large],
        measures_ns={"total": time[large]},
        facts={
            PYTHON_DEPTH: least[large].astype(np.float64),
            PYTHON_OPERATORS: inner[large] / np.bincount(group, minlength=len(inner))[large],
        },
    )


def _own(owners: Owners, functions: Ints, events: int) -> Nanoseconds:
    """(events,) Owned time of these functions, which are rows of the owners; 0 for others."""
    own, shares = np.zeros(events, dtype=np.int64), owners.shares
    own[owners.row[functions]] = scatter_add(shares.claim, len(owners.row), value=shares.time_ns)[functions, 0]
    return own


def _callers(
    timeline: InterpretedTrace, names: Ints32, is_function: Flags, parent: NodeIndex, depth: Ints32
) -> Ints32:
    """(r,) Name of the innermost function of the program around each of these nested events, -1 without one."""
    used, place = factorize(names, len(timeline.events.strings))
    is_caller = is_function & np.array([is_of_program(timeline.events.strings[code]) for code in used.tolist()])[place]
    caller = np.full(len(names), -1, dtype=np.int32)
    for level in by_level(depth)[1:]:
        above = parent[level]
        caller[level] = np.where(is_caller[above], names[above], caller[above])
    return caller


def _ranges(timeline: InterpretedTrace, rows: EventIndex) -> Ints32:
    """(r,) Name of the innermost annotated range around the start of each event, -1 without one. A range starts in the
    Python function that opens it and outlives that, so both are not nested."""
    events = timeline.events
    ranges, nesting = nested(timeline, rows_where(is_of(events.category, Category.ANNOTATION) & ~timeline.is_marker))
    around = innermost_around(timeline, ranges, nesting, rows)
    return gather(np.append(gather(events.name, ranges), np.int32(-1)), around)


def _inside_itself(timeline: InterpretedTrace, rows: EventIndex) -> Flags:
    """(n,) Functions, among these rows, around which one of the same name is open, whatever others are in between."""
    events = timeline.events
    lane, name = gather(timeline.lane, rows), gather(events.name, rows)
    _, of_name = numbered_pairs(lane, len(events.lanes), name, len(events.strings))
    nesting = nest(of_name, gather(events.start_ns, rows), timeline.ends(rows))
    inside = np.zeros(len(events), dtype=bool)
    inside[rows[nesting.order[nesting.parent >= 0]]] = True
    return inside
