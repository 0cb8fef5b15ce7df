"""Outermost operators of a step: what the program itself calls, whatever those operators call in turn and whatever
autograd runs for them. A step may be the same piece of a program although most of its operators are others: an LSTM
replaced by a GRU, or one operator that is measured against another."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.comparison.checks.shared_work import SOME_WORK, shared_share
from tb_perfcompare.comparison.result.wording import many, number_text, percent_text, short
from tb_perfcompare.model.summary.call_tree import FrameKind
from tb_perfcompare.model.summary.summary import Summary

MIN_SHARED = 4
"""Fewest outermost operators that both sides call: a random input and a loss may be in any program."""

MIN_INSIDE = 0.98
"""Share of the calls of one side that the other side must make, too, for it to do the same and more. Without the work
of unrecorded threads, a few new calls are most of a step's."""

MIN_CALLS = 10
"""Fewest calls of an operator on either side for them to be a measurement of that operator."""

_MAX_NAMES = 12
"""Most different operators that one operator may be measured against, or that a small program calls itself: more are
a model."""

MIN_AROUND = 2
"""Fewest outermost operators that both sides of a small program call equally often: what makes the input of the
replaced ones, and what takes their result."""

_WHOLE = 0.02
"""Largest relative deviation of a number of calls from a whole multiple."""

_ENCLOSING = frozenset({FrameKind.WHOLE, FrameKind.MODULE, FrameKind.OTHER})


def same_around(a: Summary, b: Summary) -> str:
    """How the steps are the same but for some of their operators: "75 % of the 12 operators that the program itself
    calls per step are the same", or how one side does all that the other does; "" if neither."""
    calls_a, calls_b = outermost_calls(a), outermost_calls(b)
    if len(calls_a.keys() & calls_b.keys()) < MIN_SHARED:
        return _same_ends(calls_a, calls_b)
    share, total = shared_share(calls_a, calls_b), [sum(calls_a.values()), sum(calls_b.values())]
    if share >= SOME_WORK:
        most = many(round(max(total)), "operator")
        return f"{percent_text(share)} of the {most} that the program itself calls per step are the same"
    if sum(min(count, calls_b.get(name, 0.0)) for name, count in calls_a.items()) < MIN_INSIDE * min(total):
        return _same_ends(calls_a, calls_b)
    less, more = ("baseline", "candidate") if total[0] < total[1] else ("candidate", "baseline")
    operators = many(round(min(total)), "operator")
    return f"the {more} calls all {operators} that the {less}'s program itself calls per step, and others"


def _same_ends(a: Mapping[str, float], b: Mapping[str, float]) -> str:
    """How small programs are the same around a replaced part: "both sides call aten::min and aten::randn, and few other
    operators"; "" if they are not, or not small."""
    alike = sorted(name for name, count in a.items() if abs(b.get(name, 0.0) - count) <= _WHOLE * count)
    if len(alike) < MIN_AROUND or max(len(a), len(b)) > _MAX_NAMES:
        return ""
    return f"both sides call {', '.join(map(short, alike[:-1]))} and {short(alike[-1])}, and few other operators"


def same_loop(a: Summary, b: Summary) -> str:
    """How one operator is measured against others, each in a loop: "a loop of aten::gelu (100 calls) against one of
    aten::silu (100)"; "" if the steps are something else."""
    calls_a, calls_b = outermost_calls(a), outermost_calls(b)
    single, other = (calls_a, calls_b) if len(calls_a) <= len(calls_b) else (calls_b, calls_a)
    if len(single) != 1 or not 1 <= len(other) <= _MAX_NAMES:
        return ""
    (calls,) = single.values()
    ratios = [count / calls for count in other.values()]
    often = all(calls * len(side.steps) >= MIN_CALLS for side in (a, b))
    if not often or round(min(ratios)) != 1 or any(abs(ratio - round(ratio)) > _WHOLE * ratio for ratio in ratios):
        return ""
    return f"a loop of {_listed(calls_a, ' per step')} against one of {_listed(calls_b, '')}"


def outermost_calls(summary: Summary) -> dict[str, float]:
    """Operator (or optimizer) -> calls per step, of those inside annotations and modules only. Empty without a call
    tree."""
    tree = summary.call_tree
    if tree is None:
        return {}
    calls = np.bincount(tree.frame, weights=tree.calls, minlength=len(tree)) / max(len(summary.steps), 1)
    outermost: dict[str, float] = {}
    encloses = np.zeros(len(tree), dtype=bool)
    rows = zip(tree.parent.tolist(), tree.keys(), calls.tolist(), strict=True)
    for frame, (parent, (kind, _, name), count) in enumerate(rows):
        if parent >= 0 and not encloses[parent]:
            continue
        is_optimizer = name.startswith("Optimizer.")
        encloses[frame] = kind in _ENCLOSING and not is_optimizer
        if count and (is_optimizer or (kind == FrameKind.OPERATOR and not name.startswith("autograd::"))):
            outermost[name] = outermost.get(name, 0.0) + count
    return outermost


def _listed(calls: Mapping[str, float], unit: str) -> str:
    first = sorted(calls, key=lambda name: (-calls[name], name))[:3]
    named = ", ".join(f"{short(name)} ({number_text(round(calls[name], 2))}{unit})" for name in first)
    return named + (", …" if len(calls) > len(first) else "")
