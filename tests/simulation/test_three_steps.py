"""How often three steps a side, all of one program, are called slower or faster."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.verdict.verdict import judge
from tb_perfcompare.model.arrays import Floats, Ints
from tests.thorough import sample

STEPS = 3
OPTIONS = CompareOptions(resamples=100)
PAIRS = sample(20_000, 40)
OVERLAPPING = PAIRS // 20
"""So many of the pairs whose sides overlap, nine in ten, are judged: none has a direction."""

Draw = Callable[[np.random.Generator], Floats]


def correlated(random: np.random.Generator) -> Floats:
    """Neighbors with an autocorrelation of 0.5."""
    steps = random.standard_normal((PAIRS, STEPS))
    for step in range(1, STEPS):
        steps[:, step] = 0.5 * steps[:, step - 1] + 0.75**0.5 * steps[:, step]
    return steps


WORLDS: dict[str, tuple[Draw, float]] = {
    "normal": (lambda random: random.standard_normal((PAIRS, STEPS)), 0.003),
    "t with 3 df": (lambda random: random.standard_t(3, (PAIRS, STEPS)), 0.002),
    "uniform": (lambda random: random.random((PAIRS, STEPS)), 0.006),
    "two states": (
        lambda random: 0.2 * random.standard_normal((PAIRS, STEPS)) + 3.0 * (random.random((PAIRS, STEPS)) < 0.3),
        0.019,
    ),
    "autocorrelation of 0.5": (correlated, 0.022),
}
"""Draws of one side, and the share of directions that docs/method/statistics.md states."""


@pytest.mark.parametrize(("draw", "stated"), WORLDS.values(), ids=WORLDS)
def test_equal_programs_seldom_get_a_direction(draw: Draw, stated: float) -> None:
    random = np.random.default_rng(3)
    a, b = (np.rint(1e9 * np.exp(0.05 * draw(random))).astype(np.int64) for _ in range(2))
    apart = (a.max(axis=1) < b.min(axis=1)) | (b.max(axis=1) < a.min(axis=1))
    assert directions(a[~apart][:OVERLAPPING], b[~apart][:OVERLAPPING]) == 0
    assert directions(a[apart], b[apart]) / PAIRS <= stated + 3 * (stated / PAIRS) ** 0.5


def directions(baseline: Ints, candidate: Ints) -> int:
    """How many of the pairs are called slower or faster."""
    found = (judge((a, b), ([0] * STEPS, [0] * STEPS), OPTIONS) for a, b in zip(baseline, candidate, strict=True))
    return sum(one.verdict in (Verdict.SLOWER, Verdict.FASTER) for one in found)
