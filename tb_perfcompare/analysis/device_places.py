"""Device work by the operators around its launch: the tree that the alignment of two runs walks (docs/alignment.md)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.grouping import finest
from tb_perfcompare.analysis.nesting import by_level, with_descendants
from tb_perfcompare.analysis.operators import shape_ids, shape_text
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.device_work import DeviceWork
from tb_perfcompare.model.names import kernel_key, operator_key
from tb_perfcompare.model.places import OUTSIDE, place_below
from tb_perfcompare.model.split_time import SplitTime, add_cells, distinct, split_time
from tb_perfcompare.model.summary import CATEGORY_LABELS

Ints = NDArray[np.int64]


def device_work(timeline: Timeline, step: Ints) -> DeviceWork | None:
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
    levels  forest rows with work below, by depth: those of the outermost first
    """

    def __init__(self, timeline: Timeline, rows: Ints) -> None:
        forest = timeline.host
        h = len(forest.row)
        node_of = np.full(len(timeline.events) + 1, -1, dtype=np.int64)
        node_of[forest.row] = forest.top
        self.of_row = node_of[timeline.operator[rows]]
        self.above = np.append(forest.top, -1)[forest.parent]
        self.first = np.full(h, len(rows), dtype=np.int64)
        below = np.flatnonzero(self.of_row >= 0)
        np.minimum.at(self.first, self.of_row[below], below)
        works = np.bincount(self.of_row[below], minlength=h).astype(np.int64)
        active = np.flatnonzero(with_descendants(self.above, forest.depth, works))
        self.levels = [active[level] for level in by_level(forest.depth[active])]
        for level in reversed(self.levels):
            around = level[self.above[level] >= 0]
            np.minimum.at(self.first, self.above[around], self.first[around])


class _Places:
    """The distinct places of the nodes.

    of_node  (h,) number of the place, -1 for nodes without work
    key      per number: (operator, input shape, place above)
    place    per number: its text
    above    per number: the number of the place above, -1 at the top
    """

    def __init__(self, timeline: Timeline, nodes: _Nodes) -> None:
        name, shape, texts = _names_and_shapes(timeline)
        (names, shapes), pair = finest([(name, len(texts)), (shape, len(texts))])
        pairs = [(texts[n], texts[s]) for n, s in zip(names.tolist(), shapes.tolist(), strict=True)]
        self.of_node = np.full(len(name), -1, dtype=np.int64)
        self.key: list[tuple[str, str, str]] = []
        self.place: list[str] = []
        self.above: list[int] = []
        index: dict[str, int] = {}
        for level in nodes.levels:
            around = nodes.above[level]
            upper = np.where(around >= 0, self.of_node[around], -1)
            found, at = distinct((upper + 1) * len(pairs) + pair[level], (len(self.place) + 1) * len(pairs))
            number = []
            for code in found.tolist():
                upper_at, pair_at = divmod(code, len(pairs))
                key = (*pairs[pair_at], self.place[upper_at - 1] if upper_at else OUTSIDE)
                text = place_below(key[2], key[0], key[1])
                if text not in index:
                    index[text] = len(index)
                    self.key.append(key)
                    self.place.append(text)
                    self.above.append(upper_at - 1)
                number.append(index[text])
            self.of_node[level] = np.array(number, dtype=np.int64)[at]


def _names_and_shapes(timeline: Timeline) -> tuple[Ints, Ints, list[str]]:
    """(h,) name and (h,) input shape of every forest row, as indices into texts; 0 is ""."""
    events, forest = timeline.events, timeline.host.row
    texts: dict[str, int] = {"": 0}
    used, at = distinct(events.name[forest].astype(np.int64), len(events.strings))
    keys = [texts.setdefault(operator_key(events.strings[code]), len(texts)) for code in used.tolist()]
    name = np.array(keys, dtype=np.int64)[at]
    if "input_dims" not in events.args or not keys:
        return name, np.zeros(len(name), dtype=np.int64), list(texts)
    raw = events.args["input_dims"].dense(len(events), -1)[forest]
    used, at = distinct(shape_ids(events)[raw] + 1, len(events.strings) + 1)
    shown = [
        texts.setdefault(shape_text(events.strings[code - 1]), len(texts)) if code else 0 for code in used.tolist()
    ]
    return name, np.array(shown, dtype=np.int64)[at], list(texts)


def _work(timeline: Timeline, rows: Ints, step: Ints, node: Ints, places: _Places) -> SplitTime:
    events = timeline.events
    role, name = timeline.role[rows].astype(np.int64), events.name[rows].astype(np.int64)
    place = np.where(node >= 0, places.of_node[np.maximum(node, 0)] if len(places.of_node) else -1, -1)
    found, at = finest([(role, len(CATEGORY_LABELS)), (name, len(events.strings)), (place + 1, len(places.place) + 1)])
    first = np.empty(len(found[0]), dtype=np.int64)
    first[at[::-1]] = np.arange(len(rows))[::-1]  # of equal indices the last one assigned stays
    kernel: dict[int, str] = {}
    keys = []
    for category, name_at, place_at in np.stack(found, axis=1).tolist():
        if name_at not in kernel:
            kernel[name_at] = kernel_key(events.strings[name_at])
        keys.append((CATEGORY_LABELS[category], kernel[name_at], places.place[place_at - 1] if place_at else OUTSIDE))
    keys, rank = _in_order(keys, events.start_ns[rows][first])
    ones = np.ones(len(rows), dtype=np.int64)
    return split_time(keys, rank[at], step[rows], events.dur_ns[rows], ones)


def _operators(timeline: Timeline, rows: Ints, step: Ints, nodes: _Nodes, places: _Places) -> SplitTime:
    """A cell for every call, in the step where its work began, and one for all work of a step in every place around
    it."""
    active = np.concatenate(nodes.levels) if nodes.levels else np.zeros(0, dtype=np.int64)
    called, when = places.of_node[active], step[rows[nodes.first[active]]]
    timed: list[tuple[Ints, Ints, Ints]] = []
    known = np.flatnonzero(nodes.of_row >= 0)
    steps = int(step.max(initial=0)) + 1
    code, at = distinct(places.of_node[nodes.of_row[known]] * steps + step[rows[known]], len(places.place) * steps)
    place, within = np.divmod(code, steps)
    dur = np.bincount(at, weights=timeline.events.dur_ns[rows[known]], minlength=len(code)).astype(np.int64)
    above = np.array(places.above, dtype=np.int64)
    while len(place):
        timed.append((place, within, dur))
        place = above[place]
        place, within, dur = place[place >= 0], within[place >= 0], dur[place >= 0]
    first = np.full(len(places.place), len(rows), dtype=np.int64)
    np.minimum.at(first, called, nodes.first[active])
    keys, rank = _in_order(places.key, timeline.events.start_ns[rows][first])
    cells = add_cells(
        len(keys),
        [(rank[place], within, dur) for place, within, dur in timed],
        [(rank[called], when, np.ones(len(called), dtype=np.int8))],
    )
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
