"""Alternative of two captures of one side, if these lie apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tb_perfcompare.comparison.judged import Judged, judge_summaries
from tb_perfcompare.comparison.result.headline import Alternative
from tb_perfcompare.comparison.result.wording import time_text
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.model.arrays import Flags, median, unique
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

MIN_APART = 1.2
"""Least ratio of the typical steps of a side's slowest and fastest capture at which the two are compared."""

MOST = 0.75
"""Share of the steps of each of these captures that have to lie beyond the typical step of the other."""

Without = Callable[[Summary, Mapping[int, str]], Summary]
"""Returns a summary without the steps at these indices, which are left out for these reasons."""


@dataclass(frozen=True, slots=True, eq=False)
class _Capture:
    """A capture of a side by the worker ("" for all) and the span that choose it, with its typical step in microseconds
    and its steps."""

    worker: str
    span: str
    typical_us: float
    steps: Flags


def captures_alternative(judged: Judged, without: Without) -> Alternative | None:
    """The slowest capture of a side against its fastest. Both run one program: what differs between them is what leaves
    the verdict open. Of two sides the one whose captures are further apart; None if they do not lie apart."""
    sides = ("baseline", judged.baseline), ("candidate", judged.candidate)
    far = [(side, summary, found) for side, summary in sides if (found := _captures_apart(summary)) is not None]
    if not far:
        return None
    side, summary, (fast, slow) = max(far, key=lambda one: one[2][1].typical_us / one[2][0].typical_us)
    alone = [without(summary, dict.fromkeys(np.flatnonzero(~one.steps).tolist(), "")) for one in (fast, slow)]
    try:
        headline = judge_summaries(alone[0], alone[1], judged.options).headline
    except PerfCompareError:  # a capture has nothing that can be compared
        return None
    workers, spans = (fast.worker, slow.worker), (fast.span, slow.span)
    names = workers if spans[0] == spans[1] else [f"span {span}" for span in spans]
    if workers[0] != workers[1] and spans[0] != spans[1]:
        names = [f"{worker}, span {span}" for worker, span in zip(workers, spans, strict=True)]
    times = [f"{name} ({time_text(one.typical_us)})" for name, one in zip(names, (fast, slow), strict=True)]
    what = f"the {side}'s {times[1]} against its {times[0]}"
    apart = Alternative("captures_apart", what, side=side, workers=workers if all(workers) else None, spans=spans)
    return apart.with_result(headline)


def _captures_apart(summary: Summary) -> tuple[_Capture, _Capture] | None:
    """The fastest and the slowest capture of a side; None if their typical steps are less than MIN_APART apart, if less
    than MOST of their steps are, or if no worker and span choose them."""
    seen = observations(summary)
    times = seen.means(summary.steps.total_ns)
    own = {capture: times[seen.capture == capture] for capture in unique(seen.capture).tolist()}
    if len(own) < 2:
        return None
    typical = {capture: median(times) for capture, times in own.items()}
    fast, slow = min(typical, key=lambda one: typical[one]), max(typical, key=lambda one: typical[one])
    if not 0 < MIN_APART * typical[fast] <= typical[slow]:
        return None
    if min(np.mean(own[fast] < typical[slow]), np.mean(own[slow] > typical[fast])) < MOST:
        return None
    of_step = seen.capture[seen.group]
    captures = [_capture(summary, of_step == one, typical[one] / 1000) for one in (fast, slow)]
    return None if captures[0] is None or captures[1] is None else (captures[0], captures[1])


def _capture(summary: Summary, steps: Flags, typical_us: float) -> _Capture | None:
    """The capture with these steps; None if other steps are of its workers and its span, too."""
    of_capture = [(capture.worker, capture.span) for capture in summary.captures]
    mine = {of_capture[at] for at in summary.steps.capture[steps].tolist()}
    others = {of_capture[at] for at in summary.steps.capture[~steps].tolist()}
    workers, spans = ({place[at] for place in mine} for at in (0, 1))
    if len(spans) > 1 or mine & others:
        return None
    if len(workers) == 1:
        return _Capture(workers.pop(), spans.pop(), typical_us, steps)
    return None if spans & {span for _, span in others} else _Capture("", spans.pop(), typical_us, steps)
