"""A warm-up inside the recording: the first steps do what later steps never do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.causes.detectors.steps.excess import LEADING, MAIN_SHARE, explained_by_steps, growth_in
from tb_perfcompare.comparison.causes.evidence.explained import Cause
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import many, short, signed_time
from tb_perfcompare.model.arrays import median
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class _Early:
    """Entities that run only in leading steps, from the first on, longest first, with their calls per capture; those
    steps, and their excess per step of the side."""

    names: dict[str, float]
    steps: NDArray[np.int64]
    excess_us: float


def warm_up_rules(context: RuleContext) -> Iterator[Cause]:
    """The warm-up, if there is one."""
    found = context.once(find_warm_up)
    if found is not None:
        yield found


def find_warm_up(context: RuleContext) -> Cause | None:
    """The first steps of a side do what later steps never do, such as loading code or trying algorithms."""
    found = [(word, summary, _early_calls(summary)) for word, summary in zip(SIDES, context.sides, strict=True)]
    delta = found[1][2].excess_us - found[0][2].excess_us
    least = max(context.least_us, MAIN_SHARE * abs(context.delta_us))
    if abs(delta) < least or delta * context.delta_us <= 0:
        return None
    (_, _, others), (word, summary, early) = found if delta > 0 else found[::-1]
    names = [name for name in early.names if early.names[name] > others.names.get(name, 0.0)]
    if 2 * len(names) <= len(early.names):  # both sides begin with the same work, a prompt for instance
        return None
    steps = max(len(early.steps) // len(summary.captures), 1)
    share = len(early.steps) / len(summary.steps)
    sentence = (
        f"Warm-up inside the {word} recording: {signed_time(delta)} on the mean step; "
        f"{', '.join(map(short, names[:3]))} {'runs' if len(names) == 1 else 'run'} only in the first "
        f"{'step' if steps == 1 else many(steps, 'step')}."
    )
    return cause(
        context, WARM_UP_INSIDE, names[0], "all", delta, sentence, (Evidence("steps", word),),
        explains=explained_by_steps(growth_in(summary, early.steps), share, delta),
    )  # fmt: skip


def _early_calls(summary: Summary) -> _Early:
    nothing = _Early({}, np.zeros(0, dtype=np.int64), 0.0)
    count = len(summary.steps)
    _, first_of, sizes = np.unique(summary.steps.capture, return_index=True, return_counts=True)
    early = np.zeros(count, dtype=bool)
    for start, size in zip(first_of.tolist(), sizes.tolist(), strict=True):
        early[start : start + int(size * LEADING)] = True
    if not early.any() or not summary.is_split:
        return nothing
    calls = summary.owned.calls
    late = calls[:, ~early].any(axis=1)
    mine = np.flatnonzero(~late & calls.any(axis=1))
    if not len(mine):
        return nothing
    warm = early & calls[mine].any(axis=0)
    rest = summary.steps.total_ns[~warm]
    begin_warm = warm[first_of] | ~np.logical_or.reduceat(warm, first_of)
    if not warm.any() or not len(rest) or not begin_warm.all():
        return nothing
    excess = float((summary.steps.total_ns[warm] - median(rest)).sum()) / count / 1000
    order = mine[np.argsort(-summary.owned.plain_ns[mine].sum(axis=1), kind="stable")]
    per_capture = calls.sum(axis=1) / len(first_of)
    names = {summary.owned.key[row]: float(per_capture[row]) for row in order.tolist()}
    return _Early(names, np.flatnonzero(warm), excess)


WARM_UP_INSIDE = Rule(
    names=("warm_up_inside",),
    meaning="code is loaded, algorithms are tried",
    when="Some kernels or operators run only in the first quarter of the steps, and most of them less often on the "
    "other side. The extra time of these steps is half of the change",
    look_at="profiler.schedule(wait=..., warmup=...) to skip the first steps; compare only later steps with --steps",
    confidence="certain: these calls stop after the first steps",
    find=warm_up_rules,
    rank=0,
    of_means=False,
)
