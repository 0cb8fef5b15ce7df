"""What stands below an entity: who called it and with which input shape; around a gap, what the host did.

Device work is split by the operator that launched it and that operator's input shape, host operators by their own input
shape, runtime calls by the operator they belong to, the profiler's work by its name. (Definitions: docs/ledger.md.)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.cells import added_cells
from tb_perfcompare.analysis.grouping import finest
from tb_perfcompare.analysis.numbering import numbered, rows_where, taken
from tb_perfcompare.analysis.operator_keys import operator_keys_of
from tb_perfcompare.analysis.operators import shape_ids
from tb_perfcompare.analysis.ownership import Shares
from tb_perfcompare.analysis.shown_texts import shown_text
from tb_perfcompare.analysis.surroundings import surroundings
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.split_time import SplitTime
from tb_perfcompare.model.summary import CATEGORY_LABELS, NOBODY, StepCategory

Ints = NDArray[np.int64]
Rows = NDArray[np.int32]

MOST_PARTS = 20_000
"""A recording with more parts than this keeps the largest; the others of an entity stand together as SMALLER."""

SMALLER = "(smaller parts)"

UNKNOWN_LAUNCH = "(launch not recorded)"
NO_OPERATOR = "(outside operators)"
_CALLERS = ("", UNKNOWN_LAUNCH, NO_OPERATOR)
_, _UNKNOWN, _NONE = range(len(_CALLERS))


def owned_parts(
    timeline: Timeline, rows: Rows, shares: Shares, entity: Rows, entities: list[tuple[int, str]], step: Rows,
    steps: int,
) -> SplitTime:  # fmt: skip
    """The parts of every entity, keys (category label, entity, caller, shape).

    rows      (m,) events that may own time, the claims of `shares`
    entity    (m,) their entities: (StepCategory, key) in `entities`
    step      (n,) step of every event, -1 outside; there are `steps`
    """
    found, part, caller_texts, shape_texts = _parts(timeline, rows, entity, len(entities))
    around, gap_texts = surroundings(timeline, rows, shares.gap_start, shares.gap_end)
    parts = len(found[0])
    cells = added_cells(
        parts + len(gap_texts),
        steps,
        [
            ((part, shares.claim), shares.step, shares.time_ns),
            (around + parts, shares.gap_step, shares.gap_end - shares.gap_start),
        ],
        [(part, (step, rows), None)],
    )

    def key(number: int) -> tuple[str, ...]:
        if number >= parts:
            return CATEGORY_LABELS[StepCategory.OTHER], NOBODY, gap_texts[number - parts], ""
        category, name = entities[found[0][number]]
        return CATEGORY_LABELS[category], name, caller_texts[found[1][number]], shape_texts[found[2][number]]

    entry = np.append(found[0], np.full(len(gap_texts), len(entities)))
    cells, is_rest, pooled = cells.largest(MOST_PARTS, key, entry)
    split = cells.named(lambda number: (*key(number)[:2], SMALLER, "") if is_rest[number] else key(number))
    if len(set(split.keys)) < len(split):  # something in the recording is called like the rest
        split = split.renamed(split.keys)
    told = (("operator", bool(timeline.is_operator.any())), ("shape", "input_dims" in timeline.events.args))
    return replace(split, told=tuple(what for what, known in told if known), pooled=pooled)


def _parts(
    timeline: Timeline, rows: Rows, entity: Rows, entities: int
) -> tuple[list[Ints], Rows, list[str], list[str]]:
    """((entity, caller, shape) of every part, (m,) part of each event, texts of callers, texts of shapes)."""
    caller, callers = _callers(timeline, rows)
    shape, shapes = _shapes(timeline, rows)
    found, part = finest([(entity, entities), (caller, len(callers)), (shape, len(shapes))])
    return found, part, callers, shapes


def _callers(timeline: Timeline, rows: Rows) -> tuple[Rows, list[str]]:
    """(m,) who called each event, as an index into texts."""
    events = timeline.events
    caller = np.zeros(len(rows), dtype=np.int32)
    # "(profiler overhead)" is one entity; its parts are the kinds of work.
    overhead = np.flatnonzero(events.category[rows] == Category.OVERHEAD)
    calls = rows_where(taken(timeline.is_device | timeline.is_api, rows))
    operator = timeline.operator[rows[calls]]
    known = np.flatnonzero(operator >= 0)
    named = np.concatenate([events.name[operator[known]], events.name[rows[overhead]]])
    used, place = numbered(named, len(events.strings))
    number, texts = operator_keys_of(events.strings).numbered(used, _CALLERS)
    caller[np.concatenate([calls[known], overhead])] = number[place]
    lost = calls[operator < 0]
    caller[lost] = _NONE
    caller[lost[timeline.is_device[rows[lost]] & (timeline.launcher[rows[lost]] < 0)]] = _UNKNOWN
    return caller, texts


def _shapes(timeline: Timeline, rows: Rows) -> tuple[Rows, list[str]]:
    """(m,) input shape of each event, or of the operator that launched it, as an index into texts; 0 is none."""
    events = timeline.events
    if "input_dims" not in events.args:
        return np.zeros(len(rows), dtype=np.int32), [""]
    ids = shape_ids(events)
    dims = ids[events.args["input_dims"].dense(len(events), -1)]
    merged = np.flatnonzero(timeline.host.merged)
    forest = timeline.host.row
    dims[forest[merged]] = dims[forest[timeline.host.top[merged]]]
    dims[timeline.is_api] = -1
    work = np.flatnonzero(timeline.is_device)
    dims[work] = np.append(dims, np.int32(-1))[timeline.operator[work]]
    dims += 1
    used, place = numbered(taken(dims, rows), len(events.strings) + 1)
    del dims
    texts = {"": 0}
    number = [texts.setdefault(shown_text(events.strings[i - 1]), len(texts)) if i else 0 for i in used.tolist()]
    return taken(np.array(number, dtype=np.int32), place), list(texts)
