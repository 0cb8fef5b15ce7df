"""Parts of an entity: its callers and input shapes; for gaps, what the host did around them.

Device work is split by the operator that launched it and that operator's input shape, host operators by their own input
shape, runtime calls by the operator they belong to, profiler overhead by its name. docs/method/ledger.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.attribution.ownership import Shares
from tb_perfcompare.analysis.columns.grouping import added_cells, number_combinations
from tb_perfcompare.analysis.columns.native_passes import Coded
from tb_perfcompare.analysis.columns.nesting import sorted_order
from tb_perfcompare.analysis.columns.numbering import factorize, gather, rows_where
from tb_perfcompare.analysis.columns.operator_keys import UNKNOWN_LAUNCH, operator_keys_of
from tb_perfcompare.analysis.entities.operators import numbered_texts
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.threads import main_lane
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Flags, Ints, Ints32, Nanoseconds, StepIndex, is_of
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.join_keys import operator_key
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOTHING_RECORDED, OUTSIDE_OPERATORS, StepCategory
from tb_perfcompare.model.summary.split_time import SplitTime, distinct
from tb_perfcompare.model.texts import Keys, TextPool, Texts, keys
from tb_perfcompare.quick_dataclass import dataclass

MAX_PARTS = 20_000
"""Largest number of parts kept; smaller ones of an entity are pooled as SMALLER."""

SMALLER = "(smaller parts)"

_CALLERS = ("", UNKNOWN_LAUNCH, OUTSIDE_OPERATORS)
_, _UNKNOWN, _NONE = range(len(_CALLERS))
_LABELS = TextPool(list(CATEGORY_LABELS))


def owned_parts(
    timeline: InterpretedTrace, rows: EventIndex, shares: Shares, entity: Ints32,
    entities: tuple[NDArray[np.int8], Texts], step: StepIndex, steps: int,
) -> SplitTime:  # fmt: skip
    """Splits owned time into the parts of every entity, with keys (category label, entity, caller, shape).

    rows      (m,) events that may own time, the claims of `shares`
    entity    (m,) entity of each row
    entities  StepCategory and key (in OperatorKeys.pool) of each entity
    step      (n,) step of every event, -1 outside; there are `steps`
    """
    keys_of, part, caller_texts, shape_texts = _parts(timeline, rows, entity, len(entities[0]))
    around, gap_texts = _idle_context(timeline, rows, shares.gap_start, shares.gap_end)
    parts, gaps = len(keys_of[0]), len(gap_texts)
    cells = added_cells(
        parts + gaps,
        steps,
        [
            ((part, shares.claim), shares.step, shares.time_ns),
            (around + parts, shares.gap_step, shares.gap_end - shares.gap_start),
        ],
        [(part, (step, rows), None)],
    )
    operator_keys = operator_keys_of(timeline.events.strings)
    (category, key), idle = entities, operator_keys.places((NOTHING_RECORDED,))
    callers = [*caller_texts, *gap_texts, SMALLER]
    part_keys = _PartKeys(
        timeline.events.strings,
        label=np.append(category[keys_of[0]], np.full(gaps, np.int8(StepCategory.OTHER))),
        entity=np.append(key.code[keys_of[0]], np.full(gaps, idle, dtype=np.int32)),
        caller=np.append(keys_of[1].astype(np.int32), np.arange(gaps, dtype=np.int32) + np.int32(len(caller_texts))),
        shape=np.append(keys_of[2].astype(np.int32), np.zeros(gaps, dtype=np.int32)),
        callers=callers,
        shapes=shape_texts,
    )
    entry = np.append(keys_of[0], np.full(gaps, len(category)))
    cells, is_rest, pooled = cells.largest(MAX_PARTS, part_keys.first, entry)
    split = cells.named(lambda rows: part_keys.of(rows, is_rest))
    if len(set(callers)) < len(callers) and len(set(split.keys)) < len(split):
        split = split.renamed(split.keys)  # a recorded name equals SMALLER or the text of a gap
    recorded = (("operator", bool(timeline.is_operator.any())), ("shape", "input_dims" in timeline.events.args))
    return replace(split, recorded_keys=tuple(what for what, known in recorded if known), pooled=pooled)


@dataclass(frozen=True, slots=True, eq=False)
class _PartKeys:
    """Keys of p parts as integer columns.

    label          index into CATEGORY_LABELS
    entity         index into OperatorKeys.pool
    caller, shape  indices into `callers` and `shapes`; the last caller is SMALLER, the first shape means none
    """

    strings: StringTable
    label: NDArray[np.int8]
    entity: Ints32
    caller: Ints32
    shape: Ints32
    callers: list[str]
    shapes: list[str]

    def of(self, rows: Ints, is_rest: Flags) -> Keys:
        """Returns the keys of these parts; a pooled remainder of an entity has the caller SMALLER and no shape."""
        rest = is_rest[rows]
        caller = np.where(rest, np.int32(len(self.callers) - 1), self.caller[rows])
        shape = np.where(rest, np.int32(0), self.shape[rows])
        return keys(
            (self.label[rows], _LABELS),
            (self.entity[rows], operator_keys_of(self.strings).pool),
            (caller, TextPool(self.callers)),
            (shape, TextPool(self.shapes)),
        )

    def first(self, rows: Ints, many: int) -> Ints:
        """Selects the `many` parts of these whose keys sort first."""
        ranks = operator_keys_of(self.strings).ranks()
        label = np.argsort(np.argsort(CATEGORY_LABELS))
        place = label[self.label[rows]] * np.int64(len(ranks)) + ranks[self.entity[rows]]
        last = np.partition(place, many - 1)[many - 1] if many else -1
        before = rows[place < last]
        equal = sorted(
            rows[place == last].tolist(), key=lambda row: (self.callers[self.caller[row]], self.shapes[self.shape[row]])
        )
        return np.append(before, np.array(equal[: many - len(before)], dtype=np.int64))


def _parts(
    timeline: InterpretedTrace, rows: EventIndex, entity: Ints32, entities: int
) -> tuple[list[Ints], Ints32, list[str], list[str]]:
    """Returns ((entity, caller, shape) of every part, (m,) part of each event, caller texts, shape texts)."""
    caller, callers = _callers(timeline, rows)
    shape, shapes = _shapes(timeline, rows)
    columns, part = number_combinations([(entity, entities), (caller, len(callers)), (shape, len(shapes))])
    return columns, part, callers, shapes


def _callers(timeline: InterpretedTrace, rows: EventIndex) -> tuple[Ints32, list[str]]:
    """(m,) Caller of each event, as an index into texts."""
    events = timeline.events
    caller = np.zeros(len(rows), dtype=np.int32)
    # "(profiler overhead)" is one entity; its parts are the kinds of overhead.
    overhead = np.flatnonzero(is_of(gather(events.category, rows), Category.OVERHEAD))
    calls = rows_where(gather(timeline.is_device | timeline.is_api, rows))
    operator = timeline.operator[rows[calls]]
    called = np.flatnonzero(operator >= 0)
    named = np.concatenate([events.name[operator[called]], events.name[rows[overhead]]])
    used, place = factorize(named, len(events.strings))
    keys_of = operator_keys_of(events.strings)
    number, places = keys_of.numbered(used, _CALLERS)
    caller[np.concatenate([calls[called], overhead])] = number[place]
    uncalled = calls[operator < 0]
    caller[uncalled] = _NONE
    caller[uncalled[timeline.is_device[rows[uncalled]] & (timeline.launcher[rows[uncalled]] < 0)]] = _UNKNOWN
    return caller, list(map(keys_of.pool.texts.__getitem__, places.tolist()))


def _shapes(timeline: InterpretedTrace, rows: EventIndex) -> tuple[Ints32, list[str]]:
    """(m,) Input shape of each event, or of the operator that launched it, as an index into texts; 0 means none."""
    events = timeline.events
    if "input_dims" not in events.args:
        return np.zeros(len(rows), dtype=np.int32), [""]
    dims = np.asarray(events.args["input_dims"].dense(len(events), -1), dtype=np.int32)
    merged = np.flatnonzero(timeline.host.merged)
    forest = timeline.host.row
    dims[forest[merged]] = dims[forest[timeline.host.top[merged]]]
    dims[timeline.is_api] = -1
    work = rows_where(timeline.is_device)
    operator = gather(timeline.operator, work)
    dims[work] = np.where(operator >= 0, gather(dims, operator), np.int32(-1))
    dims += 1
    used, place = factorize(gather(dims, rows), len(events.strings) + 1)
    del dims
    number, texts = numbered_texts(events.strings, used)
    return gather(number, place), texts


def _idle_context(
    timeline: InterpretedTrace, rows: EventIndex, gap_start: Nanoseconds, gap_end: Nanoseconds
) -> tuple[Ints, list[str]]:
    """(g,) Index of each gap's text, and the texts. `rows` (m,) are the events that the gaps lie between.

    X ended last before the gap, Y starts first after it; of several at the same instant, the outermost.
    """
    if not len(gap_start):
        return np.zeros(0, dtype=np.int64), []
    events = timeline.events
    main = rows[gather(timeline.lane, rows) == main_lane(timeline)]
    start, end = gather(events.start_ns, main), timeline.ends(main)
    name = Coded(gather(events.name, main), events.strings.ranks())
    # only the neighbors of gaps are looked up, through the order: no other column is sorted
    order = sorted_order(end, start, name)
    last = _places(end, order, gap_start, "right") - 1
    after = np.where(last >= 0, main[order[last]], -1) if len(main) else np.full(len(last), -1)
    del order
    order = sorted_order(start, end, name)
    next_ = _places(start, order, gap_end, "left")
    before = np.append(order, np.int32(-1))[next_]
    before = np.where(before >= 0, main[before], -1) if len(main) else np.full(len(next_), -1)
    return _texts(timeline, after, before)


def _places(times: Ints, order: AnyInts, wanted: Ints, side: Literal["left", "right"]) -> Ints:
    """np.searchsorted in times[order] without building that array: there are many times and few wanted."""
    low, high = np.zeros(len(wanted), dtype=np.int64), np.full(len(wanted), len(order), dtype=np.int64)
    while (is_open := low < high).any():
        middle = (low + high) // 2
        at_middle = times[order[np.minimum(middle, len(order) - 1)]]
        is_behind = is_open & (at_middle <= wanted if side == "right" else at_middle < wanted)
        low, high = np.where(is_behind, middle + 1, low), np.where(is_open & ~is_behind, middle, high)
    return low


def _texts(timeline: InterpretedTrace, after: AnyInts, before: AnyInts) -> tuple[Ints, list[str]]:
    events = timeline.events
    width = len(events.strings) + 1
    names = [np.where(row >= 0, events.name[row], -1).astype(np.int64) + 1 for row in (after, before)]
    (left, at_left), (right, at_right) = (distinct(name, width) for name in names)
    code, place = distinct(at_left * len(right) + at_right, len(left) * len(right))

    def text(used: Ints, index: int, word: str) -> str:
        number = int(used[index])
        return f"{word} {operator_key(events.strings[number - 1])}" if number else ""

    pairs = [divmod(c, len(right)) for c in code.tolist()]
    return place, [", ".join(filter(None, (text(left, x, "after"), text(right, y, "before")))) for x, y in pairs]
