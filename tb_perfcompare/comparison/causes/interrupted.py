"""The host is interrupted: operators can be as fast as they were, but something else takes the processor in between."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tb_perfcompare.comparison.causes.cause import Cause, category_confidence, cause
from tb_perfcompare.comparison.causes.pair import Key, Pair
from tb_perfcompare.comparison.causes.wording import more_or_less
from tb_perfcompare.comparison.comparison import Evidence
from tb_perfcompare.comparison.statistics.uniform_ratio import weighted_quartiles

UNCHANGED = 0.1
"""Fastest calls take what they took if the middle of their ratios is within this of 1 ..."""

LITTLE = 0.35
"""... or if they explain at most this share of the operators' ratio, both as logarithms: caches suffer, too."""

SLOWER = 1.2
"""Operators take longer on average from this ratio on."""

MOST = 0.5
"""Share of CPU Exec's change that these operators must make together, and that one of them must not make alone."""

SAME_CALLS = 0.1
"""An operator is called as often if its calls changed by at most this."""

ENOUGH_CALLS = 8
"""Calls of which one can be hoped to be undisturbed."""


def interruption_rules(pair: Pair) -> Iterator[Cause]:
    """Means moved, minima did not, and no operator stands out: time slices, not work."""
    exposed = pair.exposed("CPU Exec")
    operators = pair.amounts("operators", "host_self")
    fastest = fastest_calls(pair, "operators")
    steps = len(pair.baseline.steps), len(pair.candidate.steps)
    ratios, weights, before, after, largest = [], [], 0.0, 0.0, 0.0
    for key, (low_a, low_b) in fastest.items():
        one = operators[key]
        enough = min(one.calls_a * steps[0], one.calls_b * steps[1]) >= ENOUGH_CALLS
        if not enough or abs(one.more_calls) > SAME_CALLS * max(one.calls_a, one.calls_b):
            continue
        ratios.append(low_b / low_a)
        weights.append(one.us_a + one.us_b)
        before, after = before + one.us_a, after + one.us_b
        largest = max(largest, one.delta_us if exposed > 0 else -one.delta_us)
    delta = after - before
    if len(ratios) < 3 or abs(exposed) < pair.least_us or delta * exposed <= 0 or not pair.is_clear("CPU Exec"):
        return
    if abs(delta) < MOST * abs(exposed) or largest > MOST * abs(delta):
        return
    if max(before, after) < SLOWER * min(before, after):
        return
    middle = weighted_quartiles(np.log(ratios), np.array(weights))[1]
    if abs(middle) > max(-math.log(1 - UNCHANGED), LITTLE * abs(math.log(after / before))):
        return
    sentence = (
        f"The host is interrupted {'more' if exposed > 0 else 'less'}: the same operators take {after / before:.2f} "
        f"times as long on average, but the fastest call of each {math.exp(middle):.2f} times; other work takes "
        f"the processor in between, {more_or_less(exposed)} per step."
    )
    yield cause(
        pair, "host_interrupted", "operators", "CPU Exec", exposed, sentence, (Evidence("operators", ""),),
        confidence=category_confidence(pair, "CPU Exec"),
        look_at="other processes and threads on the same cores, more threads than cores, CPU limits of the container",
        rank=3,
    )  # fmt: skip


def fastest_calls(pair: Pair, table: str) -> dict[Key, tuple[int, int]]:
    """Key of a group table -> shortest single call on both sides, nanoseconds, where both have one."""
    a, b = pair.baseline.groups.get(table), pair.candidate.groups.get(table)
    if a is None or b is None or a.min_ns is None or b.min_ns is None:
        return {}
    found = dict(zip(b.keys, b.min_ns.tolist(), strict=True))
    both = ((key, low, found.get(key, 0)) for key, low in zip(a.keys, a.min_ns.tolist(), strict=True))
    return {key: (low, other) for key, low, other in both if low > 0 and other > 0}
