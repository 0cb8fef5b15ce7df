"""Python functions that were open around an event.

Traces recorded with_stack=True have an event per Python function or, in older versions, the stack as text on each
operator: `train.py(12): step;train.py(40): <module>`, innermost first.
"""

from __future__ import annotations

import json

import numpy as np

from tb_perfcompare.analysis.columns.nesting import by_level
from tb_perfcompare.analysis.entities.modules import module_calls
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.threads import innermost_around, nested
from tb_perfcompare.model.arrays import EventIndex, Ints, NodeIndex, is_of, unique
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.join_keys import operator_key
from tb_perfcompare.model.summary.split_time import distinct
from tb_perfcompare.quick_dataclass import dataclass

MAX_TEXTS = 50_000
"""Largest number of distinct text stacks; further ones count as not recorded."""


@dataclass(frozen=True, slots=True, eq=False)
class PythonStacks:
    """Stacks as a tree of t places: a function, called from a parent place.

    parent   (t,) place it was called from, -1 for the outermost; comes earlier
    depth    (t,)
    name     (t,) index into names
    names    `file.py(12): function`, without addresses
    place    (n,) innermost place around each event's start (a Python function's own place); -1 for none
    caller   (n,) for Python functions the place of the caller, for other events as `place`
    modules  rows of module calls
    """

    parent: NodeIndex
    depth: Ints
    name: Ints
    names: list[str]
    place: Ints
    caller: Ints
    modules: Ints


def python_stacks(timeline: InterpretedTrace) -> PythonStacks | None:
    """Returns the Python stacks; None if the trace has neither Python functions nor text stacks."""
    rows = np.flatnonzero(is_of(timeline.events.category, Category.PYTHON_FUNCTION))
    return _of_functions(timeline, rows) if len(rows) else _of_texts(timeline)


def _of_functions(timeline: InterpretedTrace, rows: EventIndex) -> PythonStacks:
    events = timeline.events
    nesting = nested(timeline, rows)
    rows = nesting.order
    used, code = distinct(events.name[rows].astype(np.int64), len(events.strings))
    index: dict[str, int] = {}
    name = np.array([index.setdefault(operator_key(events.strings[at]), len(index)) for at in used.tolist()])[code]
    place = np.full(len(rows), -1, dtype=np.int64)
    parents, names, depths = [], [], []
    size = 0
    for level in by_level(nesting.depth):
        above = nesting.parent[level]
        outer = np.where(above >= 0, place[above], -1)
        codes, at = distinct((outer + 1) * len(index) + name[level], (size + 1) * len(index))
        parents.append(codes // len(index) - 1)
        names.append(codes % len(index))
        depths.append(np.full(len(codes), int(nesting.depth[level[0]]), dtype=np.int64))
        place[level] = at + size
        size += len(codes)
    open_then = innermost_around(timeline, nesting, np.arange(len(events), dtype=np.int32))
    around = np.where(open_then >= 0, place[open_then], -1)
    caller = around.copy()
    around[rows] = place
    caller[rows] = np.where(nesting.parent >= 0, place[nesting.parent], -1)
    return PythonStacks(
        np.concatenate(parents), np.concatenate(depths), np.concatenate(names), list(index), around, caller,
        module_calls(timeline),
    )  # fmt: skip


def _of_texts(timeline: InterpretedTrace) -> PythonStacks | None:
    events, forest = timeline.events, timeline.host
    column = events.args.get("call_stack")
    if column is None:
        return None
    text = column.dense(len(events), -1).astype(np.int64)[forest.row]
    used = unique(text[text >= 0]).tolist()[:MAX_TEXTS]
    index: dict[str, int] = {}
    tree: dict[tuple[int, int], int] = {}
    depth: list[int] = []
    place_of = np.full(len(events.strings) + 1, -1, dtype=np.int64)
    for code in used:
        inner = -1
        for deep, function in enumerate(reversed(stack_of(events.strings[code]))):
            key = inner, index.setdefault(operator_key(function), len(index))
            inner = tree.setdefault(key, len(tree))
            if inner == len(depth):
                depth.append(deep)
        place_of[code] = inner
    if not tree:
        return None
    of_node: Ints = place_of[text]
    for level in by_level(forest.depth)[1:]:  # operators without a stack take their parent's
        lacking = level[of_node[level] < 0]
        of_node[lacking] = of_node[forest.parent[lacking]]
    place = np.full(len(events), -1, dtype=np.int64)
    place[forest.row] = of_node
    # API calls belong to operators, as device work does
    place = np.where((place < 0) & timeline.is_api & (timeline.operator >= 0), place[timeline.operator], place)
    outer, name = (np.array(part, dtype=np.int64) for part in zip(*tree, strict=True))
    return PythonStacks(outer, np.array(depth), name, list(index), place, place, np.zeros(0, dtype=np.int64))


def stack_of(raw: str) -> list[str]:
    """Splits a recorded text stack into functions, innermost first."""
    try:
        text = json.loads(raw)
    except ValueError:
        return []
    return [part.strip() for part in text.split(";") if part.strip()] if isinstance(text, str) else []
