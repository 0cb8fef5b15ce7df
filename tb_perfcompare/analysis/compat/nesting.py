"""Builds call trees: the host events of each thread nested by time, with the API calls filed under them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.compat.events.forest import ORPHANS, Forest, Tree
from tb_perfcompare.analysis.compat.events.kinds import (
    DATA_PARALLEL,
    DISTRIBUTED_DATA_PARALLEL,
    HOST_KINDS,
    ROOT_NAME,
    STEP_PREFIX,
    Kind,
    NodeKind,
    is_loader,
)
from tb_perfcompare.analysis.compat.events.links import Links
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.events import ABSENT


def build_forest(stream: EventStream, links: Links) -> Forest:
    """The trees of a trace, duplicates merged, without figures."""
    at, kinds = _host_nodes(stream)
    forest, by_thread = _unconnected(stream, at, kinds)
    _file_calls(stream, links, forest, by_thread)
    zero = _zero_calls(stream, links)
    for thread, nodes in by_thread.items():
        has_step = any(forest.name[node].startswith(STEP_PREFIX) for node in nodes)
        tree = _grow(forest, thread, nodes, has_step)
        forest.calls[tree.root] = zero.get(thread, []) + ([ORPHANS] if has_step else [])
        _merge_duplicates(forest, tree.root)
    _sort_calls(stream, links, forest)
    forest.reorder()
    return forest


def build_lightning_forest(stream: EventStream) -> Forest:
    """The trees of Lightning's own profile regions, which are kept apart from operators."""
    at = stream.of(Kind.LIGHTNING_PROFILE)
    forest, by_thread = _unconnected(stream, at, np.full(len(at), NodeKind.OP, dtype=np.int8))
    for thread, nodes in by_thread.items():
        _grow(forest, thread, nodes, has_step=False)
    forest.reorder()
    return forest


def _unconnected(
    stream: EventStream, at: Ints, kinds: NDArray[np.int8]
) -> tuple[Forest, dict[int, list[int]]]:
    """A forest of the events at `at`, not yet nested, and the nodes of each thread."""
    names = [stream.texts[index] for index in stream.name[at].tolist()]
    types, node_kinds, count = stream.kind[at].tolist(), kinds.tolist(), len(names)
    forest = Forest(
        event=at.tolist(),
        name=names,
        type=types,
        kind=node_kinds,
        operator=[_is_operator(*node) for node in zip(names, types, node_kinds, strict=True)],
        start=stream.start[at].tolist(),
        end=stream.end[at].tolist(),
        children=[[] for _ in range(count)],
        calls=[[] for _ in range(count)],
        trees=[],
        order=[],
        overlapping=0,
        no_thread=0,
    )
    by_thread: dict[int, list[int]] = {}
    for node, lane in enumerate(stream.lane[at].tolist()):
        thread = stream.thread_of_lane[lane]
        if thread is None:
            forest.no_thread += 1
        else:
            by_thread.setdefault(thread, []).append(node)
    return forest, by_thread


def _grow(forest: Forest, thread: int, nodes: list[int], has_step: bool) -> Tree:
    """Adds a thread's tree; its root spans from the first to the last top node."""
    root = forest.add(ROOT_NAME, NodeKind.ROOT, Kind.PYTHON, -math.inf, math.inf)
    _nest(forest, root, nodes)
    top = forest.children[root]
    forest.start[root], forest.end[root] = forest.start[top[0]], forest.end[top[-1]]
    tree = Tree(thread, root, has_step)
    forest.trees.append(tree)
    return tree


def _host_nodes(stream: EventStream) -> tuple[Ints, NDArray[np.int8]]:
    """Stream positions of the events that become nodes, and their NodeKind."""
    collective = stream.named(stream.variant.collective_library)
    kind = np.full(len(stream), NodeKind.OP, dtype=np.int8)
    kind[stream.named(lambda name: name.startswith("Optimizer.step"))] = NodeKind.OPTIMIZER
    kind[stream.named(is_loader)] = NodeKind.LOADER
    for event_kind, node_kind in (
        (Kind.STEP, NodeKind.STEP),
        (Kind.MODULE, NodeKind.MODULE),
        (Kind.LIGHTNING_MODULE, NodeKind.LIGHTNING_MODULE),
    ):
        kind[stream.kind == event_kind] = node_kind
    plain_annotation = (stream.kind == Kind.ANNOTATION) & (kind == NodeKind.OP) & ~collective
    at = np.flatnonzero(np.isin(stream.kind, HOST_KINDS) & ~plain_annotation)
    return at, kind[at]


def _is_operator(name: str, event_kind: int, node_kind: int) -> bool:
    return (
        event_kind == Kind.OPERATOR
        and node_kind == NodeKind.OP
        and name not in (DATA_PARALLEL, DISTRIBUTED_DATA_PARALLEL)
        and not name.startswith("Optimizer.")
    )


def _file_calls(stream: EventStream, links: Links, forest: Forest, by_thread: dict[int, list[int]]) -> None:
    """Gives each node the API calls with its External id; the first node of an id takes them all.

    A missing id is an id like any other, and modules count as having none.
    """
    by_id: dict[int, list[int]] = {}
    for call, external in enumerate(stream.external_id[links.runtime].tolist()):
        by_id.setdefault(external, []).append(call)
    external_id = stream.external_id[np.array(forest.event, dtype=np.int64)].tolist() if forest.event else []
    for nodes in by_thread.values():
        for node in nodes:
            key = ABSENT if forest.kind[node] == NodeKind.MODULE else external_id[node]
            calls = by_id.pop(key, None)
            if calls is not None:
                forest.calls[node] = calls


def _zero_calls(stream: EventStream, links: Links) -> dict[int, list[int]]:
    """API calls with External id 0 per thread, for threads whose tid is written as a number."""
    tids = stream.table.lanes.tid
    zero: dict[int, list[int]] = {}
    for call in np.flatnonzero(stream.external_id[links.runtime] == 0).tolist():
        tid = tids[stream.lane[links.runtime[call]]]
        if isinstance(tid, int):
            zero.setdefault(tid, []).append(call)
    return zero


def _nest(forest: Forest, root: int, nodes: list[int]) -> None:
    """Hangs a thread's nodes under the nodes that enclose them; a node across the end of an open one is left out."""
    start, end, children = forest.start, forest.end, forest.children
    stack = [root]
    for node in sorted(nodes, key=lambda n: (start[n], -end[n])):
        begin = start[node]
        while begin >= end[stack[-1]]:
            stack.pop()
        top = stack[-1]
        if end[node] <= end[top]:
            children[top].append(node)
            stack.append(node)
        else:
            forest.overlapping += 1


def _merge_duplicates(forest: Forest, root: int) -> None:
    """Melts operators whose only child is an operator of the same name into one; the inner one's calls remain."""
    name, types, children = forest.name, forest.type, forest.children
    pending = [root]
    while pending:
        node = pending.pop()
        while len(children[node]) == 1:
            child = children[node][0]
            if not (types[node] == types[child] == Kind.OPERATOR and name[node] == name[child]):
                break
            children[node], children[child] = children[child], []
            forest.calls[node], forest.calls[child] = forest.calls[child], []
        pending.extend(children[node])


def _sort_calls(stream: EventStream, links: Links, forest: Forest) -> None:
    """Orders each node's calls by (start, -end), those with a zero stamp and the orphans last."""
    start, end = stream.start[links.runtime].tolist(), stream.end[links.runtime].tolist()

    def key(call: int) -> tuple[Any, Any]:
        return (start[call], -end[call]) if call != ORPHANS and start[call] and end[call] else (math.inf, 0)

    for calls in forest.calls:
        if len(calls) > 1:
            calls.sort(key=key)
