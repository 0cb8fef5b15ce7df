"""What program and machine promise about their errors, held against worlds with a known truth: a short run of the
tables that `python -m tests.simulation` writes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.simulation.parts import HARD, TWO_BUSY, hard, rates
from tests.simulation.worlds import World
from tests.thorough import sample

PAIRS, FEW = sample(120, 12), sample(60, 6)
ALPHA = 0.055


def at_most(share: float, pairs: int = PAIRS) -> float:
    """What so few pairs may show of a share."""
    return share + 2 * float((share * (1 - share) / pairs) ** 0.5)


@pytest.mark.parametrize("captures", [1, 2, 3, 5])
@pytest.mark.parametrize("between", [0.01, 0.15])
def test_equal_programs_are_seldom_given_a_direction(captures: int, between: float) -> None:
    found = rates(World(captures=captures, between=between), PAIRS)
    assert found.program <= at_most(ALPHA)
    assert found.either <= at_most(ALPHA)
    assert found.holds >= 1 - at_most(0.06)


@pytest.mark.parametrize("name", HARD)
def test_nor_in_worlds_that_are_otherwise(name: str) -> None:
    found = rates(hard(name), PAIRS)
    assert found.program <= at_most(ALPHA)
    assert found.holds >= 1 - at_most(0.09)


def test_two_captures_on_a_very_busy_machine_show_what_their_interval_does_not() -> None:
    pairs = sample(40, 2)
    found, equal = rates(replace(TWO_BUSY, change=0.6), pairs), rates(TWO_BUSY, pairs)
    assert found.right >= 0.2 > 0.05 >= found.program
    assert equal.either <= at_most(ALPHA, pairs)


def test_a_change_is_found_that_the_recorded_times_hide() -> None:
    found = rates(World(change=0.1), FEW)
    assert found.slower >= 0.95 > 0.6 > found.slower_recorded


@pytest.mark.parametrize(("factor", "covered"), [(1.22, 0.5), (2.5, 0.5), (2.5, 0.9)])
@pytest.mark.parametrize("captures", [1, 3])
def test_a_slower_machine_is_not_taken_for_the_program(captures: int, factor: float, covered: float) -> None:
    found = rates(World(captures=captures, covered=covered, candidate_machine=factor), FEW)
    assert found.program <= at_most(0.02, FEW)


def test_equal_programs_with_much_in_common_are_the_same() -> None:
    pairs = sample(120, 5)
    found = rates(World(covered=0.9, between=0.01), pairs)
    assert found.same >= 0.9
    assert found.recorded <= at_most(ALPHA, pairs)
