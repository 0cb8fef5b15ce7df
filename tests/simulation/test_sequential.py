"""What looking after each round promises: at most alpha false alarms over all looks. A short run of the tables that
`python -m tests.simulation sequential` writes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tb_perfcompare.comparison.statistics.between_captures import between_captures
from tb_perfcompare.experiment.stopping import FIRST_LOOK, nominal_levels, planned_levels
from tests.simulation.sequential import CHANGES, LEVELS, ROUNDS, WORLDS, called_slower, false_alarms
from tests.thorough import sample

ALPHA = 0.05
EXPERIMENTS, FEWER = 20_000, sample(20_000, 3)
SEED = 5


def test_levels_are_those_that_pocock_gives() -> None:
    """Five looks: 0.0158 each (Biometrika 64, 1977); the spending function comes near, and to alpha in all."""
    assert nominal_levels(range(1, 6), 5, ALPHA) == pytest.approx([0.0158] * 5, abs=0.0013)
    assert nominal_levels([7], 7, ALPHA) == pytest.approx([ALPHA])


@pytest.mark.parametrize("most", [3, 5, 10, 30])
def test_sums_of_normal_rounds_cross_a_bound_as_often_as_allowed(most: int) -> None:
    sums = np.random.default_rng(SEED).standard_normal((EXPERIMENTS, most)).cumsum(axis=1)
    looks = np.arange(min(3, most), most + 1)
    from scipy.special import ndtr

    p = 2 * ndtr(-np.abs(sums[:, looks - 1]) / np.sqrt(looks))
    assert (p <= nominal_levels(looks.tolist(), most, ALPHA)).any(axis=1).mean() == pytest.approx(ALPHA, abs=0.005)


@pytest.mark.parametrize("draw", ["standard_normal", "standard_exponential"])
@pytest.mark.parametrize("shared", [False, True])
def test_captures_that_do_not_differ_seldom_seem_to_at_any_look(draw: str, shared: bool) -> None:
    """The intervals over captures that the verdict uses; at 5 % each, one experiment in eight would be wrong."""
    random = np.random.default_rng(SEED)
    one, two = (getattr(random, draw)((FEWER, ROUNDS)) for _ in range(2))
    wrong, naive = np.zeros(FEWER, dtype=bool), np.zeros(FEWER, dtype=bool)
    for rounds in range(FIRST_LOOK, ROUNDS + 1):
        between = between_captures(one[:, :rounds], two[:, :rounds], ALPHA, shared=shared)
        assert between is not None
        wrong |= between.p <= LEVELS[rounds - 1]
        naive |= between.p <= ALPHA
    assert wrong.mean() <= ALPHA
    assert naive.mean() > 0.1


def test_candidates_share_alpha() -> None:
    assert planned_levels(10, ALPHA, candidates=4) == planned_levels(10, ALPHA / 4)


@pytest.mark.parametrize("name", ["captures ±5 %", "drift +30 %, steps ρ 0.7", "two speeds, ±5 %"])
def test_noisy_machines_seldom_make_a_direction_at_any_look(name: str) -> None:
    few = sample(200, 8)
    assert false_alarms(WORLDS[name], few, split=False) <= ALPHA + 2 * (ALPHA * (1 - ALPHA) / few) ** 0.5


def test_a_change_that_matters_ends_the_experiment_early() -> None:
    slower, rounds = called_slower(replace(WORLDS["captures ±5 %"], change=CHANGES[-1]), 6, split=True)
    assert slower == 1.0
    assert rounds < 6
