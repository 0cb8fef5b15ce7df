"""Iterations of several kinds: a short run of the worlds whose rates docs/method/iterations.md promises."""

from __future__ import annotations

import pytest

from tests.simulation.mixes import EQUAL, SIX, SLOWER, TWO, rates, world

PAIRS, STEPS = 40, 50
MOST = 0.05 + 2 * (0.05 * 0.95 / PAIRS) ** 0.5


@pytest.mark.parametrize("name", ["2 kinds, other mix", "6 kinds, other mix, ρ 0.5"])
def test_another_mix_alone_has_no_direction(name: str) -> None:
    over_all, within = rates(EQUAL[name], STEPS, PAIRS)
    assert within.directions <= MOST < over_all.directions
    assert within.holds >= 1 - MOST


def test_a_slower_kind_is_found_although_kinds_differ_tenfold_in_length() -> None:
    over_all, within = rates(SLOWER["2 kinds, the long one +10 %"], STEPS, PAIRS)
    assert within.directions >= 0.95 and within.holds >= 1 - MOST
    assert over_all.directions <= 0.5


def test_all_kinds_slower_are_found_although_the_mix_changed_against_them() -> None:
    within = rates(world(SIX, "all, mix", 1.05), STEPS, PAIRS)[1]
    assert within.directions >= 0.95


def test_captures_that_differ_widen_what_is_said_of_kinds() -> None:
    within = rates(world(TWO, "mix", captures=3, between=0.05), 20, PAIRS)[1]
    assert within.directions <= MOST and within.holds >= 1 - MOST
