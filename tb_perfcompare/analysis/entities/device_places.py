"""Device work by the operators around its launch: the tree that docs/method/alignment.md aligns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tb_perfcompare.analysis.columns.grouping import added_cells, number_combinations
from tb_perfcompare.analysis.columns.nesting import least_below, sorted_order
from tb_perfcompare.analysis.columns.numbering import factorize, gather, numbered_pairs, rows_where, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import kernel_places, operator_keys_of
from tb_perfcompare.analysis.columns.paths import cells_upwards, found_paths
from tb_perfcompare.analysis.entities.operators import argument_texts, operator_names
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Ints, Ints32, Nanoseconds, NodeIndex, StepIndex, places_of
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.launch_sites import DeviceWork, PlacePool
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.texts import TextPool, Texts, keys

_LABELS = TextPool(list(CATEGORY_LABELS))


def device_work(timeline: InterpretedTrace, step: StepIndex) -> DeviceWork | None:
    """Returns the device events that start in an admitted step; None without any.

    `step` (n,) is each event's step or -1.
    """
    events = timeline.events
    rows = rows_where(timeline.is_device & (step >= 0))
    if not len(rows):
        return None
    rows = rows[np.argsort(gather(events.start_ns, rows), kind="stable")]
    nodes = _Nodes(timeline, rows)
    places = _Places(timeline, nodes)
    work = _work(timeline, rows, step, nodes.of_row, places)
    return DeviceWork(work, _operators(timeline, rows, step, nodes, places))


class _Nodes:
    """Rows of the host forest with device work below them.

    An operator that is the only child of an operator of the same name counts as its parent.

    of_row  (r,) forest row of the operator of each device event, -1 without one
    above   (h,) forest row of each row's parent operator, -1 at the top
    first   (h,) position in `rows` of the first device work below, len(rows) if there is none
    active  (h,) bool whether there is any
    """

    def __init__(self, timeline: InterpretedTrace, rows: EventIndex) -> None:
        forest = timeline.host
        h = len(forest.row)
        node_of = np.full(len(timeline.events) + 1, -1, dtype=np.int32)
        node_of[forest.row] = forest.top
        self.of_row = gather(node_of, gather(timeline.operator, rows))
        del node_of  # frees memory for the next steps
        self.above = gather(np.append(forest.top, np.int32(-1)), forest.parent)
        first = np.full(h, len(rows), dtype=np.int64)
        below = np.flatnonzero(self.of_row >= 0)
        first[self.of_row[below[::-1]]] = below[::-1]  # for equal indices the last assignment wins
        self.first = least_below(self.above, forest.depth, first)
        self.active = self.first < len(rows)


class _Places:
    """The p distinct places of nodes.

    of_node  (h,) index of each node's place, -1 for nodes without work
    name     (p,) the operator's key, in OperatorKeys.pool
    shape    (p,) its input shape, in `shapes`
    above    (p,) parent place, which comes earlier; -1 at the top
    pool     texts of places, each at its index + 1
    """

    def __init__(self, timeline: InterpretedTrace, nodes: _Nodes) -> None:
        active = rows_where(nodes.active)
        rows = gather(timeline.host.row, active)
        name, names = operator_names(timeline.events, rows)
        shape, shapes = argument_texts(timeline.events, "input_dims", rows)
        (name_of, shape_of), pair_of = number_combinations([(name, len(names)), (shape, len(shapes))])
        pair = np.zeros(len(nodes.active), dtype=np.int32)
        pair[active] = pair_of
        none = np.zeros(1, dtype=np.int32)  # the root, node 0
        paths = found_paths(nodes.above, np.broadcast_to(none, pair.shape), pair, nodes.active, none)
        self.of_node = np.where(paths.node > 0, paths.node - np.int32(1), np.int32(-1))
        self.above = paths.parent - np.int32(1)
        self.name = names[name_of[paths.key]]
        self.shape = shape_of[paths.key].astype(np.int32)
        self.names, self.shapes = operator_keys_of(timeline.events.strings).pool, TextPool(shapes)
        self.pool = PlacePool(paths.parent, Texts(self.name, self.names), Texts(self.shape, self.shapes))

    def __len__(self) -> int:
        return len(self.above)


def _work(timeline: InterpretedTrace, rows: EventIndex, step: StepIndex, node: NodeIndex, places: _Places) -> SplitTime:
    events = timeline.events
    place = gather(np.append(places.of_node, np.int32(-1)), node) + np.int32(1)
    used, cell_of = factorize(gather(events.name, rows), len(events.strings))
    # different names can have the same key
    key, of_used = factorize(kernel_places(events.strings, used), len(places.names))
    (category, kernel, place_of), cell_of = number_combinations(
        [
            (gather(timeline.role, rows), len(CATEGORY_LABELS)),
            (gather(of_used, cell_of), len(key)),
            (place, len(places) + 1),
        ]
    )
    first = np.empty(len(category), dtype=np.int64)
    first[cell_of[::-1]] = np.arange(len(rows))[::-1]  # for equal indices the last assignment wins
    texts = [places.names.texts[code] for code in key.tolist()]
    order, rank = _in_order(
        events.start_ns[rows[first]],
        (_ranks(CATEGORY_LABELS)[category], _ranks(texts)[kernel]),
        lambda number: places.pool.texts[place_of[number]],
    )
    row, steps = gather(rank, cell_of), int(step.max(initial=0)) + 1
    cells = added_cells(len(order), steps, [(row, (step, rows), (events.dur_ns, rows))], [(row, (step, rows), None)])
    category, kernel, place_of = category[order], kernel[order], place_of[order]
    return cells.named(
        lambda rows: keys((category[rows], _LABELS), (kernel[rows], TextPool(texts)), (place_of[rows], places.pool))
    )


def _operators(
    timeline: InterpretedTrace, rows: Ints32, step: StepIndex, nodes: _Nodes, places: _Places
) -> SplitTime:
    """Splits operators by place: a call counts in the step where its device work began, device time in each step.

    Device time counts in its own place and all places above.
    """
    active = rows_where(nodes.active)
    called, begun = gather(places.of_node, active), gather(nodes.first, active)
    launched = rows_where(nodes.of_row >= 0)
    launched, node = gather(rows, launched), gather(nodes.of_row, launched)
    steps = int(step.max(initial=0)) + 1
    code, at = numbered_pairs(gather(places.of_node, node), len(places), gather(step, launched), steps)
    place, within = np.divmod(code, steps)
    dur = scatter_add(at, len(code), value=(timeline.events.dur_ns, launched))[:, 0]
    place, within, dur = cells_upwards(places.above, place, within, dur, steps)
    first = np.full(len(places), len(rows), dtype=np.int64)
    np.minimum.at(first, called, begun)
    ranks = operator_keys_of(timeline.events.strings).ranks()
    order, rank = _in_order(
        timeline.events.start_ns[rows[first]],
        (ranks[places.name], _ranks(places.shapes.texts)[places.shape]),
        lambda number: places.pool.texts[places.above[number] + 1],
    )
    calls = (rank, called), gather(step, rows[begun]), None
    cells = added_cells(len(order), steps, [(rank[place], within, dur)], [calls])
    name, shape, above = places.name[order], places.shape[order], places.above[order] + np.int32(1)
    return cells.named(
        lambda rows: keys((name[rows], places.names), (shape[rows], places.shapes), (above[rows], places.pool))
    )


def _ranks(texts: Sequence[str]) -> Ints32:
    """(t,) Alphabetical rank of each text."""
    return places_of(sorted(range(len(texts)), key=texts.__getitem__), len(texts))


def _in_order(start_ns: Nanoseconds, ranks: tuple[AnyInts, ...], place: Callable[[int], str]) -> tuple[Ints, Ints32]:
    """Sorts by first start, then ranks, then texts of places: (indices in order, position of each).

    `place` is called only for indices with equal starts and ranks.
    """
    order = sorted_order(start_ns, np.zeros_like(start_ns), *ranks).astype(np.int64)
    equal = np.diff(start_ns[order]) == 0
    for rank in ranks:
        equal &= np.diff(rank[order]) == 0
    ties = np.flatnonzero(equal)
    for tie in np.split(ties, np.flatnonzero(np.diff(ties) > 1) + 1) if len(ties) else ():
        span = slice(int(tie[0]), int(tie[-1]) + 2)
        order[span] = sorted(order[span].tolist(), key=place)
    return order, places_of(order, len(order))
