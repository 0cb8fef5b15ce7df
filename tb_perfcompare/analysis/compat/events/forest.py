"""Call trees: what a forest of host events is (nesting.py builds it).

Nodes are integers, their properties parallel lists; nothing recurses, so any depth of nesting is fine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tb_perfcompare.analysis.compat.events.kinds import Kind, NodeKind


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree of one thread: number, root node, all nodes that began on the thread (nested or dropped)."""

    thread: int
    root: int
    has_step: bool


@dataclass(slots=True, eq=False)
class Forest:
    """Trees by first appearance of their thread.

    Per node: `event` its stream position (-1 for roots and backward nodes), `name`, `type` (Kind), `kind` (NodeKind),
    `operator` (counts in operator tables), `start`, `end`, `children` in time order, `calls` the API calls of the node
    (indices into Links.runtime, by (start, -end); CallTreeRoot alone may end with ORPHANS).
    `order` are the nodes of all trees, thread by thread, children before parents; a node under two parents is there
    twice. `overlapping` counts nodes left out because they partly overlap an earlier one of their thread, `no_thread`
    events whose tid is no number.
    """

    event: list[int]
    name: list[str]
    type: list[int]
    kind: list[int]
    operator: list[bool]
    start: list[Any]
    end: list[Any]
    children: list[list[int]]
    calls: list[list[int]]
    trees: list[Tree]
    order: list[int]
    overlapping: int
    no_thread: int

    def add(self, name: str, kind: NodeKind, node_type: Kind, start: Any, end: Any) -> int:
        """Appends a node that is no event; returns it."""
        self.event.append(-1)
        self.name.append(name)
        self.type.append(int(node_type))
        self.kind.append(int(kind))
        self.operator.append(False)
        self.start.append(start)
        self.end.append(end)
        self.children.append([])
        self.calls.append([])
        return len(self.name) - 1

    def parents(self) -> list[int]:
        """Per node its parent, -1 for roots and for nodes in no tree."""
        parent = [-1] * len(self.name)
        for node in self.order:
            for child in self.children[node]:
                parent[child] = node
        return parent

    def reorder(self) -> None:
        """Brings `order` up to date with `trees` and `children`."""
        self.order = [node for tree in self.trees for node in self.postorder(tree.root)]

    def postorder(self, root: int) -> list[int]:
        """Nodes below and including `root`, children before parents."""
        order, pending = [], [root]
        children = self.children
        while pending:
            node = pending.pop()
            order.append(node)
            pending.extend(children[node])
        order.reverse()
        return order


ORPHANS = -1
"""Stands among a root's calls for "kernels that no call launched"."""
