"""What stands below an entity: who called it and with which input shape; around a gap, what the host did.

Device work is split by the operator that launched it and that operator's input shape, host operators by their own input
shape, runtime calls by the operator they belong to, the profiler's work by its name. (Definitions: docs/ledger.md.)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.grouping import finest
from tb_perfcompare.analysis.operators import shape_ids, shape_text
from tb_perfcompare.analysis.ownership import Shares
from tb_perfcompare.analysis.surroundings import surroundings
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names import operator_key
from tb_perfcompare.model.split_time import SplitTime, add_cells, distinct
from tb_perfcompare.model.summary import CATEGORY_LABELS, NOBODY, StepCategory

Ints = NDArray[np.int64]

MOST_PARTS = 20_000
"""A recording with more parts than this keeps the largest; the others of an entity stand together as SMALLER."""

SMALLER = "(smaller parts)"

UNKNOWN_LAUNCH = "(launch not recorded)"
NO_OPERATOR = "(outside operators)"
_CALLERS = ("", UNKNOWN_LAUNCH, NO_OPERATOR)
_, _UNKNOWN, _NONE = range(len(_CALLERS))


def owned_parts(
    timeline: Timeline, rows: Ints, shares: Shares, entity: Ints, entities: list[tuple[int, str]], step: Ints
) -> SplitTime:
    """The parts of every entity, keys (category label, entity, caller, shape).

    rows      (m,) events that may own time, the claims of `shares`
    entity    (m,) their entities: (StepCategory, key) in `entities`
    step      (n,) step of every event, -1 outside
    """
    found, part, caller_texts, shape_texts = _parts(timeline, rows, entity, len(entities))
    around, gap_texts = surroundings(timeline, rows, shares.gap_start, shares.gap_end)
    parts = len(found[0])
    counted = np.flatnonzero(step[rows] >= 0)
    cells = add_cells(
        parts + len(gap_texts),
        [
            (part[shares.claim], shares.step, shares.time_ns),
            (around + parts, shares.gap_step, shares.gap_end - shares.gap_start),
        ],
        [(part[counted], step[rows[counted]], np.ones(len(counted), dtype=np.int8))],
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
    timeline: Timeline, rows: Ints, entity: Ints, entities: int
) -> tuple[list[Ints], NDArray[np.int32], list[str], list[str]]:
    """((entity, caller, shape) of every part, (m,) part of each event, texts of callers, texts of shapes)."""
    caller, callers = _callers(timeline, rows)
    shape, shapes = _shapes(timeline, rows)
    found, part = finest([(entity, entities), (caller, len(callers)), (shape, len(shapes))])
    return found, part.astype(np.int32), callers, shapes


def _callers(timeline: Timeline, rows: Ints) -> tuple[Ints, list[str]]:
    """(m,) who called each event, as an index into texts."""
    events = timeline.events
    device, api = timeline.is_device[rows], timeline.is_api[rows]
    operator = timeline.operator[rows]
    named = np.where((device | api) & (operator >= 0), events.name[operator], -1)
    # "(profiler overhead)" is one entity; its parts are the kinds of work.
    overhead = events.category[rows] == Category.OVERHEAD
    named = np.where(overhead, events.name[rows], named).astype(np.int64)
    used, place = distinct(named + 1, len(events.strings) + 1)
    texts = {text: number for number, text in enumerate(_CALLERS)}
    number = [texts.setdefault(operator_key(events.strings[i - 1]), len(texts)) if i else 0 for i in used.tolist()]
    caller = np.array(number, dtype=np.int64)[place]
    caller[(device | api) & (operator < 0)] = _NONE
    caller[device & (operator < 0) & (timeline.launcher[rows] < 0)] = _UNKNOWN
    return caller, list(texts)


def _shapes(timeline: Timeline, rows: Ints) -> tuple[Ints, list[str]]:
    """(m,) input shape of each event, or of the operator that launched it, as an index into texts; 0 is none."""
    events = timeline.events
    if "input_dims" not in events.args:
        return np.zeros(len(rows), dtype=np.int64), [""]
    forest = timeline.host.row
    dims = events.args["input_dims"].dense(len(events), -1).astype(np.int64)
    dims[forest] = dims[forest[timeline.host.top]]
    device = timeline.is_device[rows]
    of = np.where(device, timeline.operator[rows], rows)
    raw = np.where((of >= 0) & ~timeline.is_api[rows], dims[of], -1)
    used, place = distinct(shape_ids(events)[raw] + 1, len(events.strings) + 1)
    texts = {"": 0}
    number = [texts.setdefault(shape_text(events.strings[i - 1]), len(texts)) if i else 0 for i in used.tolist()]
    return np.array(number, dtype=np.int64)[place], list(texts)
