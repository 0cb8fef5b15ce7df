"""Copies that are part of other operators: of a new layer, of a norm, of recomputed activations."""

from __future__ import annotations

from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext, total_by_key
from tb_perfcompare.model.names.work_kinds import MOVING, MOVING_CALLERS
from tb_perfcompare.model.summary.call_tree import FrameKind

MAIN_SHARE = 0.5
"""Share of an operator's additional (fewer) calls that must be inside others."""


def moved_inside(pair: RuleContext) -> set[str]:
    """Operators that move data, most of whose additional (fewer) calls are inside operators that do more than that and
    that run more (less) often themselves."""
    tree = pair.tree
    changed = {
        key[0]: amount.more_calls for key, amount in pair.amounts("operators", "host_total").items()
        if call_count_changed(amount.calls_a, amount.calls_b)
    }  # fmt: skip
    if tree is None:
        return set()
    inside: list[tuple[str, float]] = []
    around: list[float] = []  # for each depth, the change of calls of the outermost such operator, 0 without any
    for frame in tree.frames:
        del around[frame.depth :]
        more = around[-1] if around else 0.0
        kind, _, name = frame.key
        own = frame.calls[1] - frame.calls[0]
        if kind == FrameKind.OPERATOR and name in MOVING and own * more > 0:
            inside.append((name, own))
        around.append(more or (changed.get(name, 0.0) if kind == FrameKind.OPERATOR and _does_more(name) else 0.0))
    # an operator called as often has no additional calls elsewhere: what came inside one is gone inside another
    return {
        name for name, calls in total_by_key(inside).items()
        if name not in changed or calls / changed[name] >= MAIN_SHARE
    }  # fmt: skip


def _does_more(name: str) -> bool:
    """Whether an operator does more than move data. Autograd's functions only call operators."""
    return name not in MOVING | MOVING_CALLERS and "Backward" not in name
