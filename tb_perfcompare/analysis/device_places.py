"""Device work by the operators around its launch: the tree that the alignment of two runs walks (docs/alignment.md)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.operators import merged_calls, shape_ids, shape_text
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.device_work import DeviceWork
from tb_perfcompare.model.names import kernel_key, operator_key
from tb_perfcompare.model.places import OUTSIDE, place_below
from tb_perfcompare.model.split_time import SplitTime, split_time
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
        _, top = merged_calls(timeline, forest)
        node_of = np.full(len(timeline.events) + 1, -1, dtype=np.int64)
        node_of[forest.row] = top
        self.of_row = node_of[timeline.operator[rows]]
        self.above = np.full(h, -1, dtype=np.int64)
        inner = forest.parent >= 0
        self.above[inner] = top[forest.parent[inner]]
        self.first = np.full(h, len(rows), dtype=np.int64)
        below = self.of_row >= 0
        np.minimum.at(self.first, self.of_row[below], np.flatnonzero(below))
        depth, current = forest.depth, np.unique(self.of_row[below])
        seen = np.zeros(h, dtype=np.bool_)
        while len(current):
            seen[current] = True
            current = np.unique(self.above[current])
            current = current[current >= 0]
            current = current[~seen[current]]
        active = np.flatnonzero(seen)
        active = active[np.argsort(depth[active], kind="stable")]
        bounds = np.flatnonzero(np.diff(depth[active])) + 1
        self.levels = np.split(active, bounds) if len(active) else []
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
        self.of_node = np.full(len(name), -1, dtype=np.int64)
        self.key: list[tuple[str, str, str]] = []
        self.place: list[str] = []
        self.above: list[int] = []
        index: dict[str, int] = {}
        width = len(texts)
        for level in nodes.levels:
            around = nodes.above[level]
            upper = np.where(around >= 0, self.of_node[np.maximum(around, 0)], -1)
            code = ((upper + 1) * width + name[level]) * width + shape[level]
            distinct, at = np.unique(code, return_inverse=True)
            number = []
            for value in distinct.tolist():
                pair, shape_at = divmod(value, width)
                upper_at, name_at = divmod(pair, width)
                key = (texts[name_at], texts[shape_at], self.place[upper_at - 1] if upper_at else OUTSIDE)
                text = place_below(key[2], key[0], key[1])
                if text not in index:
                    index[text] = len(index)
                    self.key.append(key)
                    self.place.append(text)
                    self.above.append(upper_at - 1)
                number.append(index[text])
            self.of_node[level] = np.array(number, dtype=np.int64)[at.reshape(-1)]


def _names_and_shapes(timeline: Timeline) -> tuple[Ints, Ints, list[str]]:
    """(h,) name and (h,) input shape of every forest row, as indices into texts; 0 is ""."""
    events, forest = timeline.events, timeline.host.row
    texts: dict[str, int] = {"": 0}
    used, at = np.unique(events.name[forest], return_inverse=True)
    keys = [texts.setdefault(operator_key(events.strings[code]), len(texts)) for code in used.tolist()]
    name = np.array(keys, dtype=np.int64)[at.reshape(-1)] if keys else np.zeros(0, dtype=np.int64)
    if "input_dims" not in events.args or not keys:
        return name, np.zeros(len(name), dtype=np.int64), list(texts)
    raw = events.args["input_dims"].dense(len(events), -1).astype(np.int64)[forest]
    used, at = np.unique(shape_ids(events)[raw], return_inverse=True)
    shown = [
        texts.setdefault(shape_text(events.strings[code]), len(texts)) if code >= 0 else 0 for code in used.tolist()
    ]
    return name, np.array(shown, dtype=np.int64)[at.reshape(-1)], list(texts)


def _work(timeline: Timeline, rows: Ints, step: Ints, node: Ints, places: _Places) -> SplitTime:
    events = timeline.events
    role, name = timeline.role[rows].astype(np.int64), events.name[rows].astype(np.int64)
    place = np.where(node >= 0, places.of_node[np.maximum(node, 0)] if len(places.of_node) else -1, -1)
    width, depth = len(events.strings), len(places.place) + 1
    code = (role * width + name) * depth + place + 1
    distinct, first, at = np.unique(code, return_index=True, return_inverse=True)
    kernel: dict[int, str] = {}
    keys = []
    for value in distinct.tolist():
        pair, place_at = divmod(value, depth)
        category, name_at = divmod(pair, width)
        if name_at not in kernel:
            kernel[name_at] = kernel_key(events.strings[name_at])
        keys.append((CATEGORY_LABELS[category], kernel[name_at], places.place[place_at - 1] if place_at else OUTSIDE))
    keys, rank = _in_order(keys, events.start_ns[rows][first])
    ones = np.ones(len(rows), dtype=np.int64)
    return split_time(keys, rank[at.reshape(-1)], step[rows], events.dur_ns[rows], ones)


def _operators(timeline: Timeline, rows: Ints, step: Ints, nodes: _Nodes, places: _Places) -> SplitTime:
    """A cell for every call, in the step where its work began, and one for every work in every place around it."""
    active = np.concatenate(nodes.levels) if nodes.levels else np.zeros(0, dtype=np.int64)
    row, when = [places.of_node[active]], [step[rows[nodes.first[active]]]]
    time, calls = [np.zeros(len(active), dtype=np.int64)], [np.ones(len(active), dtype=np.int64)]
    dur, within = timeline.events.dur_ns[rows], step[rows]
    node = nodes.of_row
    while (node >= 0).any():
        kept = node >= 0
        node, dur, within = node[kept], dur[kept], within[kept]
        row.append(places.of_node[node])
        when.append(within)
        time.append(dur)
        calls.append(np.zeros(len(node), dtype=np.int64))
        node = nodes.above[node]
    first = np.full(len(places.place), len(rows), dtype=np.int64)
    np.minimum.at(first, row[0], nodes.first[active])
    keys, rank = _in_order(places.key, timeline.events.start_ns[rows][first])
    return split_time(
        keys, rank[np.concatenate(row)], np.concatenate(when), np.concatenate(time), np.concatenate(calls),
    )  # fmt: skip


def _in_order(keys: Sequence[tuple[str, str, str]], start_ns: Ints) -> tuple[list[tuple[str, str, str]], Ints]:
    """(keys in the order of their first start, names settling what starts at once; new place of each)."""
    order = sorted(range(len(keys)), key=lambda i: (int(start_ns[i]), keys[i]))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return [keys[i] for i in order], rank
