"""Backward work under the modules whose forward caused it.

With module events and forward-to-backward arrows in a trace, the roots of backward work leave their thread and hang
under `<module>.backward` nodes on the main thread. Backward work no arrow reaches disappears from the trees, and with
it from the operator views: kept, because the figures shown depend on it.
"""

from __future__ import annotations

from typing import Any

from tb_perfcompare.analysis.compat.events.figures import NodeFigures
from tb_perfcompare.analysis.compat.events.forest import Forest, Tree
from tb_perfcompare.analysis.compat.events.kinds import ACCUMULATE_GRAD, BACKWARD_PREFIX, Kind, NodeKind
from tb_perfcompare.analysis.compat.events.stream import microseconds
from tb_perfcompare.model.recordings.recording import TraceRecording


def reparent_backward(recording: TraceRecording, forest: Forest, figures: NodeFigures) -> None:
    """Changes `forest` (and appends to `figures`) in place; does nothing without arrows, modules or backward work."""
    arrows = _arrows(recording)
    if not arrows or not forest.trees:
        return
    modules, roots = _scan(forest)
    if not modules or not roots:
        return
    main = _main_tree(forest)
    taken = set(roots)
    for node, children in enumerate(forest.children):
        if any(child in taken for child in children):
            forest.children[node] = [child for child in children if child not in taken]
    groups = _groups_by_forward(forest, roots, arrows)
    top = [_backward_node(forest, figures, module, groups) for module in modules]
    _insert(forest, main, sorted(top, key=lambda node: (forest.start[node], -forest.end[node])))
    forest.trees[:] = [tree for tree in forest.trees if forest.children[tree.root]]
    forest.reorder()


def _arrows(recording: TraceRecording) -> dict[Any, Any]:
    """Start of a forward operator -> start of the backward one it caused, microseconds."""
    flows = recording.flows
    times = microseconds(flows.start_ns, recording.fractional_times).tolist()
    starts: dict[int, Any] = {}
    ends: dict[int, Any] = {}
    for is_start, flow, time in zip(flows.is_start.tolist(), flows.flow_id.tolist(), times, strict=True):
        (starts if is_start else ends)[flow] = time
    return {time: ends[flow] for flow, time in starts.items() if flow in ends}


def _scan(forest: Forest) -> tuple[list[int], list[int]]:
    """Outermost modules and roots of backward work among the top nodes of the trees and of their steps."""
    modules, roots = [], []
    for tree in forest.trees:
        pending = [tree.root]
        while pending:
            node = pending.pop()
            if node == tree.root or forest.kind[node] == NodeKind.STEP:
                pending.extend(reversed(forest.children[node]))
            elif forest.kind[node] == NodeKind.MODULE:
                modules.append(node)
            elif forest.name[node].startswith(BACKWARD_PREFIX):
                roots.append(node)
    return modules, roots


def _main_tree(forest: Forest) -> Tree:
    """The last thread with a step; else the longest one, the first thread with backward work at its top left aside."""
    with_step = [tree for tree in forest.trees if tree.has_step]
    if with_step:
        return with_step[-1]
    candidates = list(forest.trees)
    for tree in forest.trees:
        if len(candidates) > 1 and any(forest.name[n].startswith(BACKWARD_PREFIX) for n in forest.children[tree.root]):
            candidates.remove(tree)
            break
    return max(candidates, key=lambda tree: forest.end[tree.root] - forest.start[tree.root])


def _groups_by_forward(forest: Forest, roots: list[int], arrows: dict[Any, Any]) -> dict[Any, list[int]]:
    """Start of a forward operator -> roots of the backward work it caused.

    Gradient accumulation belongs to the work before it. An arrow that leads to no root, or to one already claimed, is
    left out.
    """
    groups: dict[int, list[int]] = {}
    head = roots[0]
    for root in roots:
        if forest.name[root] == ACCUMULATE_GRAD and groups:
            groups[head].append(root)
        else:
            head = root
            groups[head] = [root]
    root_at: dict[Any, int] = {}
    for root in roots:
        for node in reversed(forest.postorder(root)[:-1]):
            root_at.setdefault(forest.start[node], root)
    found = {}
    for forward, backward in arrows.items():
        group = groups.pop(root_at.get(backward, -1), None)
        if group is not None:
            found[forward] = group
    return found


def _backward_node(forest: Forest, figures: NodeFigures, module: int, groups: dict[Any, list[int]]) -> int:
    """A backward node for `module`, with one inside it for every module below, holding the backward work of the
    operators the module called directly. Without any it keeps the module's own span."""
    made: list[tuple[int, int]] = []
    top = _add_backward(forest, figures, module)
    pending = [(module, top)]
    while pending:
        source, target = pending.pop()
        is_module = forest.kind[source] == NodeKind.MODULE
        if is_module:
            made.append((source, target))
        for child in forest.children[source]:
            if forest.kind[child] == NodeKind.MODULE:
                nested = _add_backward(forest, figures, child)
                forest.children[target].append(nested)
                pending.append((child, nested))
            else:
                if forest.operator[child]:
                    forest.children[target] += groups.get(forest.start[child], [])
                pending.append((child, target))
    for _, node in reversed(made):
        _measure(forest, figures, node)
    return top


def _add_backward(forest: Forest, figures: NodeFigures, module: int) -> int:
    node = forest.add(
        f"{forest.name[module]}.backward", NodeKind.BACKWARD, Kind.PYTHON, forest.start[module], forest.end[module]
    )
    for values in (
        figures.host,
        figures.self_host,
        figures.device,
        figures.self_device,
        figures.tc_total,
        figures.tc_self,
    ):
        values.append(0)
    figures.eligible.append(False)
    figures.listable.append(False)
    return node


def _measure(forest: Forest, figures: NodeFigures, node: int) -> None:
    """Span and figures of a backward node from its children."""
    children = forest.children[node]
    children.sort(key=lambda child: (forest.start[child], -forest.end[child]))
    if children:
        forest.start[node], forest.end[node] = forest.start[children[0]], forest.end[children[-1]]
    host = forest.end[node] - forest.start[node]
    self_host = host
    for child in children:
        self_host -= forest.end[child] - forest.start[child]
        figures.device[node] += figures.device[child]
        figures.tc_total[node] += figures.tc_total[child]
    figures.host[node], figures.self_host[node] = host, self_host


def _insert(forest: Forest, tree: Tree, nodes: list[int]) -> None:
    """Hangs nodes, in time order, into a tree: under the innermost node they overlap, between its children."""
    for node in nodes:
        start, end = forest.start[node], forest.end[node]
        if start > forest.end[tree.root] or end < forest.start[tree.root]:
            continue
        place = tree.root
        while True:
            children = forest.children[place]
            overlapped = [c for c in children if forest.end[c] > start and forest.start[c] <= end]
            if not overlapped or forest.kind[overlapped[0]] == NodeKind.BACKWARD:
                break
            place = overlapped[0]
        index = sum(forest.start[c] < start for c in children)
        children.insert(index, node)
