"""The `tree` answer: the first thread's call tree as nested objects."""

from __future__ import annotations

from typing import Any

from tb_perfcompare.analysis.compat.events.forest import Forest, Tree
from tb_perfcompare.analysis.compat.events.kinds import TYPE_NAMES, NodeKind
from tb_perfcompare.analysis.compat.events.stream import EventStream


def tree_answer(stream: EventStream, forest: Forest, tree: Tree) -> dict[str, Any]:
    """One tree; a root names its thread by number, other nodes as the trace wrote it."""
    tids = stream.table.lanes.tid
    answer: list[dict[str, Any]] = []
    pending = [(tree.root, answer)]
    while pending:
        node, siblings = pending.pop()
        event = _event_of(forest, node)
        children: list[dict[str, Any]] = []
        siblings.append(
            {
                "name": forest.name[node],
                "start_time": forest.start[node],
                "end_time": forest.end[node],
                "type": "backward" if forest.kind[node] == NodeKind.BACKWARD else TYPE_NAMES[forest.type[node]],
                "tid": tree.thread if event < 0 else tids[stream.lane[event]],
                "children": children,
            }
        )
        pending.extend((child, children) for child in reversed(forest.children[node]))
    return answer[0]


def _event_of(forest: Forest, node: int) -> int:
    """Stream position of a node's event; a backward node has that of the first backward work below it, a root none."""
    while forest.kind[node] == NodeKind.BACKWARD and forest.children[node]:
        node = forest.children[node][0]
    return forest.event[node]
