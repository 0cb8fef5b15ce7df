"""What runs more often in the backward pass: operators of the forward pass again (activation checkpointing), or more of
its own."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.model.names.autograd_names import AUTOGRAD_RANGE
from tb_perfcompare.model.names.work_kinds import work_kind, work_kind_instead
from tb_perfcompare.model.summary.call_tree import FrameKind
from tb_perfcompare.model.summary.categories import CPU_EXEC
from tb_perfcompare.model.summary.summary import Summary

AS_OFTEN = 0.1
"""Largest relative difference of forward calls for an operator to count as called as often."""


def recomputed(context: RuleContext) -> dict[str, float]:
    """Operator -> additional calls per step in the candidate's backward pass (negative: fewer). One side has none of
    them; the forward pass calls it as often on both, and as often as the backward pass does or more."""
    more_calls: dict[str, float] = {}
    sides = _by_pass(context.baseline), _by_pass(context.candidate)
    for name in sorted(sides[0].keys() & sides[1].keys()):
        (forward_a, backward_a), (forward_b, backward_b) = (side[name] for side in sides)
        more = backward_b - backward_a
        fewest, most = sorted((forward_a, forward_b))
        if min(backward_a, backward_b) == 0 < abs(more) <= fewest and most - fewest <= AS_OFTEN * most:
            more_calls[name] = more
    return more_calls


def in_backward_alone(context: RuleContext) -> bool:
    """Whether operators that compute run as often in the forward pass of both sides, but not in the backward pass, and
    none of the forward pass again."""
    sides = [list(_by_pass(side).values()) for side in context.sides]
    forward, backward = ([fsum(calls[which] for calls in side) for side in sides] for which in (0, 1))
    is_forward_alike = abs(forward[1] - forward[0]) <= AS_OFTEN * max(forward)
    return all(backward) and is_forward_alike and call_count_changed(*backward) and not context.once(recomputed)


def in_hooks(context: RuleContext, explained: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """(category, autograd's function) -> microseconds per step by which its own time grew (shrank) in the direction
    of `explained`: a checkpoint's hooks run in the functions of the backward pass."""
    sign = fsum(explained.values())
    return {
        (CPU_EXEC, row.path[1]): row.delta / context.unit
        for row in context.entities(CPU_EXEC)
        if row.status == "both" and "Backward" in row.path[1] and row.delta * sign > 0
        and (CPU_EXEC, row.path[1]) not in explained
    }  # fmt: skip


def _by_pass(side: Summary) -> dict[str, tuple[float, float]]:
    """Operator that computes -> calls per step in the (forward, backward) pass."""
    tree = side.call_tree
    if tree is None:
        return {}
    backward = np.array([name.startswith(AUTOGRAD_RANGE) for name in tree.names], dtype=bool)[tree.name]
    for frame, parent in enumerate(tree.parent.tolist()):  # a frame comes before those below it
        if parent >= 0 and backward[parent]:
            backward[frame] = True
    computes = np.array([bool(work_kind(name) or work_kind_instead(name)) for name in tree.names], dtype=bool)
    calls, steps = tree.own()[1], max(len(side.steps), 1)
    passes: dict[str, tuple[float, float]] = {}
    for frame in np.flatnonzero((tree.kind == FrameKind.OPERATOR) & computes[tree.name]).tolist():
        name = tree.names[int(tree.name[frame])]
        forward, again = passes.get(name, (0.0, 0.0))
        each = int(calls[frame]) / steps
        passes[name] = (forward, again + each) if backward[frame] else (forward + each, again)
    return passes
