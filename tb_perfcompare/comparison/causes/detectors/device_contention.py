"""The device is shared: kernels can be as fast as they were, but something else takes the device in between."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tb_perfcompare.comparison.causes.evidence.cause import Cause, Part, Rule, cause
from tb_perfcompare.comparison.causes.evidence.fastest_calls import fastest_calls
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext, total_by_key
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import ratio_text, signed_time
from tb_perfcompare.comparison.statistics.uniform_ratio import weighted_quartiles

LAUNCHES = "kernels_by_launch"

SLOWER = 1.2
"""Kernels take longer on average from this ratio on."""

LITTLE = 0.35
"""Fastest launches explain at most this share of the kernels' ratio, both as logarithms."""

FEWEST = 3
"""Kernels by name that have to take longer; one that does is slower, not interrupted."""

MOST = 0.5
"""Share of Kernel's change that these kernels must make together, and that one of them must not make alone."""

ENOUGH_LAUNCHES = 8
"""Launches of which one can be hoped to be undisturbed."""


def sharing_rules(pair: RuleContext) -> Iterator[Cause]:
    """Finds contention on the device: mean times of the same launches moved, the fastest ones did not."""
    exposed = pair.exposed("Kernel")
    if abs(exposed) < pair.least_us or not pair.is_clear("Kernel"):
        return
    fastest = fastest_calls(pair, LAUNCHES)
    kernels = {
        key: one for key, one in pair.amounts(LAUNCHES).items()
        if key in fastest and min(one.calls_a * pair.steps[0], one.calls_b * pair.steps[1]) >= ENOUGH_LAUNCHES
    }  # fmt: skip
    if not kernels:
        return
    weights = np.array([one.us_a + one.us_b for one in kernels.values()])
    low = np.log([fastest[key][1] / fastest[key][0] for key in kernels])
    # as if both sides launched it as often: other numbers of launches are no contention
    often = np.array([(one.calls_a + one.calls_b) / 2 for one in kernels.values()])
    before, after = (
        float((often * np.array([us / calls for us, calls in side])).sum())
        for side in zip(*(((one.us_a, one.calls_a), (one.us_b, one.calls_b)) for one in kernels.values()), strict=True)
    )
    if max(before, after) < SLOWER * min(before, after):
        return
    middle = float(weighted_quartiles(low, weights)[1])
    if abs(middle) > LITTLE * abs(math.log(after / before)):
        return
    rates = np.array([one.rate_us for one in kernels.values()])
    kept = rates * exposed > 0
    grown = total_by_key((key[0], float(us)) for key, us, keep in zip(kernels, rates, kept, strict=True) if keep)
    delta = math.fsum(grown.values())
    if len(grown) < FEWEST or abs(delta) < MOST * abs(exposed) or max(map(abs, grown.values())) > MOST * abs(delta):
        return
    own = math.copysign(min(abs(delta), abs(exposed)), exposed)
    explained: dict[Part, float] = {("Kernel", name): us * own / delta for name, us in grown.items()}
    told = math.fsum(explained.values())
    sentence = (
        f"{'Device contention' if told > 0 else 'Less device contention'}: {signed_time(told)} per step; mean kernel "
        f"time {ratio_text(after / before)}, but fastest launches {ratio_text(math.exp(middle))}; other work "
        f"{'is taking' if told > 0 else 'no longer takes'} the {pair.candidate.device.word}."
    )
    yield cause(
        pair, DEVICE_CONTENTION, "kernels", "Kernel", told, sentence, (Evidence("kernels", ""),), explains=explained
    )


DEVICE_CONTENTION = Rule(
    names=("device_interrupted",),
    meaning="device contention: other work takes the device between and within kernels",
    when="Kernels launched alike take longer on average, at least 1.2 times together, but their fastest launches do "
    "not. No single kernel makes half of the change",
    needs="kernels with their launch configuration",
    look_at="other processes on the device (nvidia-smi), other streams of this program, sharing by MPS or MIG",
    find=sharing_rules,
    rank=3,
    same_work=True,
)
