"""Sizes of a kernel's launches, which follow those of its inputs where no input shapes are recorded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.evidence.amounts import Amount
from tb_perfcompare.comparison.causes.evidence.inputs import by_name
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.fastest_calls import BY_SHAPE, LAUNCHES
from tb_perfcompare.comparison.causes.evidence.speed.registers import compiled_otherwise
from tb_perfcompare.comparison.statistics.weights import weighted_median
from tb_perfcompare.model.input_shapes import launched_threads

OTHER_THREADS = 0.1
"""Least relative change of the threads of a launch, of one kernel in the mean or of all in the median."""

OWN_SHARE = 0.5
"""Share of a kernel's change that equal launches must make for the kernel itself to be slower."""

Rows = Sequence[tuple[str, Amount]]
"""Launches of one kernel with their amounts."""


def threads_per_launch(rows: Rows) -> tuple[float, float]:
    """Mean threads per launch of a kernel on both sides; 0 if not known."""
    threads = [launched_threads(launch) for launch, _ in rows]
    sides = [amount.calls_a for _, amount in rows], [amount.calls_b for _, amount in rows]
    if not all(threads) or not all(map(fsum, sides)):
        return 0.0, 0.0
    before, after = (
        fsum(count * each[0] for count, each in zip(calls, threads, strict=True)) / fsum(calls) for calls in sides
    )
    return before, after


def example_of_launches(rows: Rows) -> tuple[str, str]:
    """The launch that the candidate makes less often, and the one that it makes more often."""
    gone, new = (max(rows, key=lambda row: (sign * row[1].more_calls, row[0]))[0] for sign in (-1, 1))
    return gone, new


def typical_growth(context: RuleContext) -> float:
    """ln of the ratio of threads per launch of the typical kernel, by time; 0 if both sides recorded shapes, or if
    launches are not known."""
    if all(BY_SHAPE in side.groups for side in context.sides):
        return 0.0
    growths, weights = list[float](), list[float]()
    for rows in by_name(context.amounts(LAUNCHES, "total")).values():
        before, after = threads_per_launch(rows)
        if before and after:
            growths.append(math.log(after / before))
            weights.append(fsum(amount.us_a + amount.us_b for _, amount in rows))
    return weighted_median(np.array(growths), np.array(weights)) if fsum(weights) else 0.0


def launches_clause(context: RuleContext, kernel: str) -> str:
    """Clause on larger (smaller) launches of a kernel, if these make it longer (shorter) and equal launches do not:
    "launched in other sizes, e.g. grid ... -> grid ...". "" if both sides recorded shapes, or if it was compiled
    otherwise: its threads do more or less."""
    if all(BY_SHAPE in side.groups for side in context.sides) or kernel in context.once(compiled_otherwise):
        return ""
    rows = [(key[1], amount) for key, amount in context.amounts_of(kernel, LAUNCHES, "total").items()]
    before, after = threads_per_launch(rows)
    change = fsum(amount.delta_us for _, amount in rows)
    if not before or abs(growth := math.log(after / before)) < math.log1p(OTHER_THREADS) or growth * change <= 0:
        return ""
    of_equal = fsum(amount.rate_us for _, amount in rows)
    if of_equal * change > 0 and abs(of_equal) >= OWN_SHARE * abs(change):
        return ""
    return f"launched in other sizes, e.g. {' → '.join(example_of_launches(rows))}"
