"""Device work by the operators around its launch: the tree that the alignment of two runs walks (docs/alignment.md)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.cells import added_cells
from tb_perfcompare.analysis.grouping import finest
from tb_perfcompare.analysis.nesting import least_below
from tb_perfcompare.analysis.numbering import added, numbered, numbered_pairs, taken
from tb_perfcompare.analysis.operator_keys import operator_keys_of
from tb_perfcompare.analysis.operators import shape_ids
from tb_perfcompare.analysis.paths import cells_upwards, found_paths
from tb_perfcompare.analysis.shown_texts import shown_text
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.device_work import DeviceWork
from tb_perfcompare.model.names import kernel_key
from tb_perfcompare.model.places import OUTSIDE, place_below
from tb_perfcompare.model.split_time import SplitTime
from tb_perfcompare.model.summary import CATEGORY_LABELS

Ints = NDArray[np.int64]
Rows = NDArray[np.int32]
Some = NDArray[np.integer]


def device_work(timeline: Timeline, step: Some) -> DeviceWork | None:
    """The device events that start in an admitted step; `step` (n,) is each event's step or -1. None without any."""
    events = timeline.events
    rows = np.flatnonzero(timeline.is_device & (step >= 0))
    if not len(rows):
        return None
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    nodes = _Nodes(timeline, rows)
    places = _Places(timeline, nodes)
    work = _work(timeline, rows, step, nodes.of_row, places)
    return DeviceWork(work, _operators(timeline, rows, step, nodes, places))


class _Nodes:
    """Rows of the host forest with device work below; calls nested alone in one of the same name count as that one.

    of_row  (r,) forest row of the operator of each device event, -1 without one
    above   (h,) forest row of the operator around each, -1 at the top
    first   (h,) position in `rows` of the first work below, len(rows) where there is none
    active  (h,) bool whether there is any
    """

    def __init__(self, timeline: Timeline, rows: Ints) -> None:
        forest = timeline.host
        h = len(forest.row)
        node_of = np.full(len(timeline.events) + 1, -1, dtype=np.int32)
        node_of[forest.row] = forest.top
        self.of_row = node_of[timeline.operator[rows]]
        self.above = np.append(forest.top, np.int32(-1))[forest.parent]
        first = np.full(h, len(rows), dtype=np.int64)
        below = np.flatnonzero(self.of_row >= 0)
        first[self.of_row[below[::-1]]] = below[::-1]  # of equal indices the last one assigned stays
        self.first = least_below(self.above, forest.depth, first)
        self.active = self.first < len(rows)


class _Places:
    """The distinct places of the nodes.

    of_node  (h,) number of the place, -1 for nodes without work
    key      per number: (operator, input shape, place above)
    place    per number: its text
    above    per number: the number of the place above, which comes before it; -1 at the top
    """

    def __init__(self, timeline: Timeline, nodes: _Nodes) -> None:
        active = np.flatnonzero(nodes.active)
        name, shape, texts = _names_and_shapes(timeline, timeline.host.row[active])
        (names, shapes), pair_of = finest([(name, len(texts)), (shape, len(texts))])
        pairs = [(texts[n], texts[s]) for n, s in zip(names.tolist(), shapes.tolist(), strict=True)]
        pair = np.zeros(len(nodes.active), dtype=np.int32)
        pair[active] = pair_of
        none = np.zeros(1, dtype=np.int32)  # the node above all, number 0
        found = found_paths(nodes.above, np.broadcast_to(none, pair.shape), pair, nodes.active, none)
        self.of_node = np.where(found.node > 0, found.node - np.int32(1), np.int32(-1))
        self.above = found.parent - np.int32(1)
        self.key: list[tuple[str, str, str]] = []
        self.place: list[str] = []
        for upper, pair_at in zip(self.above.tolist(), found.key.tolist(), strict=True):
            key = (*pairs[pair_at], self.place[upper] if upper >= 0 else OUTSIDE)
            self.key.append(key)
            self.place.append(place_below(key[2], key[0], key[1]))


def _names_and_shapes(timeline: Timeline, rows: Rows) -> tuple[Rows, Rows, list[str]]:
    """(q,) name and (q,) input shape of these operators, as indices into texts; 0 is ""."""
    events = timeline.events
    used, at = numbered(taken(events.name, rows), len(events.strings))
    number, names = operator_keys_of(events.strings).numbered(used, ("",))
    name = taken(number, at)
    if "input_dims" not in events.args or not len(used):
        return name, np.zeros(len(name), dtype=np.int32), names
    shapes: dict[str, int] = {}
    ids = shape_ids(events) + np.int32(1)
    raw = taken(np.asarray(events.args["input_dims"].dense(len(events), -1), dtype=np.int32), rows)
    used, at = numbered(taken(ids, raw), len(events.strings) + 1)
    shown = [
        shapes.setdefault(shown_text(events.strings[code - 1]), len(names) + len(shapes)) if code else 0
        for code in used.tolist()
    ]
    return name, np.array(shown, dtype=np.int32)[at], [*names, *shapes]


def _work(timeline: Timeline, rows: Ints, step: Some, node: Rows, places: _Places) -> SplitTime:
    events = timeline.events
    place = np.append(places.of_node, np.int32(-1))[node] + np.int32(1)
    found, at = finest(
        [
            (timeline.role[rows], len(CATEGORY_LABELS)),
            (events.name[rows], len(events.strings)),
            (place, len(places.place) + 1),
        ]
    )
    first = np.empty(len(found[0]), dtype=np.int64)
    first[at[::-1]] = np.arange(len(rows))[::-1]  # of equal indices the last one assigned stays
    kernel: dict[int, str] = {}
    keys = []
    for category, name_at, place_at in np.stack(found, axis=1).tolist():
        if name_at not in kernel:
            kernel[name_at] = kernel_key(events.strings[name_at])
        keys.append((CATEGORY_LABELS[category], kernel[name_at], places.place[place_at - 1] if place_at else OUTSIDE))
    keys, rank = _in_order(keys, events.start_ns[rows][first])
    index: dict[tuple[str, ...], int] = {}  # names may differ and the kernels' keys not
    number = np.array([index.setdefault(key, len(index)) for key in keys], dtype=np.int32)
    row, steps = number[rank][at], int(step.max(initial=0)) + 1
    cells = added_cells(len(index), steps, [(row, (step, rows), (events.dur_ns, rows))], [(row, (step, rows), None)])
    return cells.named(list(index).__getitem__)


def _operators(timeline: Timeline, rows: Ints, step: Some, nodes: _Nodes, places: _Places) -> SplitTime:
    """A cell for every call, in the step where its work began, and one for all work of a step in every place around
    it."""
    active = np.flatnonzero(nodes.active)
    called, when = places.of_node[active], step[rows[nodes.first[active]]]
    known = np.flatnonzero(nodes.of_row >= 0)
    steps = int(step.max(initial=0)) + 1
    code, at = numbered_pairs(places.of_node[nodes.of_row[known]], len(places.place), step[rows[known]], steps)
    place, within = np.divmod(code, steps)
    dur = added(at, len(code), value=(timeline.events.dur_ns, rows[known]))[:, 0]
    place, within, dur = cells_upwards(places.above, place, within, dur, steps)
    first = np.full(len(places.place), len(rows), dtype=np.int64)
    np.minimum.at(first, called, nodes.first[active])
    keys, rank = _in_order(places.key, timeline.events.start_ns[rows][first])
    cells = added_cells(len(keys), steps, [(rank[place], within, dur)], [(rank[called], when, None)])
    return cells.named(keys.__getitem__)


def _in_order(keys: Sequence[tuple[str, str, str]], start_ns: Ints) -> tuple[list[tuple[str, str, str]], Ints]:
    """(keys in the order of their first start, names settling what starts at once; new place of each)."""
    order = np.argsort(start_ns, kind="stable")
    ties = np.flatnonzero(np.diff(start_ns[order]) == 0)
    for tie in np.split(ties, np.flatnonzero(np.diff(ties) > 1) + 1) if len(ties) else ():
        span = slice(int(tie[0]), int(tie[-1]) + 2)
        order[span] = sorted(order[span].tolist(), key=keys.__getitem__)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return [keys[i] for i in order.tolist()], rank
