"""What the verdict and the tables promise about their errors, held against series with a known truth."""

from __future__ import annotations

import re

import pytest

from tb_perfcompare.comparison.statistics import entity_tests
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts
from tests.simulation.document import SAMPLED, table_on_page
from tests.simulation.rates import (
    CHANGES,
    ENTITY_CAPTURES,
    ENTITY_STEPS,
    ROWS,
    SERIES,
    STATIONARY,
    called_drifting,
    enough_captures,
    entity_rates,
    p_values_of_series,
    simulated,
    simulated_captures,
    sure_with_and_without_the_floor,
    tables_drawn,
    tables_of_rows,
)
from tests.simulation.series import Draw, normal
from tests.thorough import THOROUGH, sample

ALPHA = 0.05
DRAWS = {"steps": 1_000, "rows": 20, "drift": 100}
"""At least so many are behind a figure of these tables in the suite."""


def at_most(tables: int) -> float:
    """What so few tables may show when alpha of all are wrong."""
    return ALPHA + 2 * float((ALPHA * (1 - ALPHA) / tables) ** 0.5)


@pytest.mark.parametrize("draw", STATIONARY.values(), ids=STATIONARY)
@pytest.mark.parametrize("steps", [8, 20])
def test_the_interval_holds_the_true_shift(draw: Draw, steps: int) -> None:
    for factor in (1.0, 1.03, 1.5):
        assert simulated(draw, steps, factor).covers(factor) >= 0.94


@pytest.mark.parametrize("draw", STATIONARY.values(), ids=STATIONARY)
@pytest.mark.parametrize("steps", [6, 8, 10, 20, 50])
def test_equal_sides_are_seldom_given_a_direction(draw: Draw, steps: int) -> None:
    assert simulated(draw, steps, 1.0).directional.mean() <= ALPHA


@pytest.mark.parametrize("draw", SERIES.values(), ids=SERIES)
@pytest.mark.parametrize("steps", [20, 50])
def test_equal_sides_whose_steps_resemble_their_neighbors_are_seldom_given_a_direction(draw: Draw, steps: int) -> None:
    found = simulated(draw, steps, 1.0)
    assert found.directional.mean() <= ALPHA
    assert found.covers(1.0) >= 0.95


@pytest.mark.parametrize(
    ("steps", "rho", "independent", "by_ranks"),
    [
        (20, 0.3, 0.14, 0.072),
        (20, 0.5, 0.25, 0.089),
        (20, 0.7, 0.41, 0.127),
        (50, 0.3, 0.15, 0.061),
        (50, 0.5, 0.25, 0.067),
        (50, 0.7, 0.41, 0.086),
    ],
)
def test_false_alarms_of_autoregressive_series(steps: int, rho: float, independent: float, by_ranks: float) -> None:
    """The known rates of the plain test and of the plain inflation are met; here they are brought down to alpha."""
    p = {name: (values <= ALPHA).mean() for name, values in p_values_of_series(rho, steps).items()}
    assert p["plain"] == pytest.approx(independent, abs=0.02)
    assert p["ranks"] == pytest.approx(by_ranks, abs=0.015)
    assert p["here"] <= ALPHA


def test_a_change_that_matters_is_found() -> None:
    """Never to decide would never be wrong."""
    assert simulated(normal, 20, 1.05).clear.mean() >= 0.9
    assert simulated(normal, 10, 1.1).clear.mean() >= 0.9
    assert simulated(normal, 50, 1.03).clear.mean() >= 0.8
    assert simulated(SERIES["autocorrelated, ρ 0.5"], 20, 1.1).clear.mean() >= 0.8
    assert simulated(SERIES["autocorrelated, ρ 0.5"], 50, 1.05).clear.mean() >= 0.85


@pytest.mark.parametrize("captures", [(2, 2), (3, 3), (5, 5), (1, 2)])
@pytest.mark.parametrize("between", [0.0, 0.01, 0.05])
def test_the_interval_over_captures_holds_the_true_change(captures: tuple[int, int], between: float) -> None:
    for factor in (1.0, 1.2):
        assert simulated_captures(captures, (between, between), factor).covers(factor) >= 0.94


def test_steps_alone_would_not_hold_it() -> None:
    found = simulated_captures((3, 3), (0.05, 0.05), 1.0)
    assert ((found.steps_low <= 0) & (found.steps_high >= 0)).mean() < 0.6


@pytest.mark.parametrize("captures", [(1, 2), (2, 2), (3, 3), (5, 5)])
@pytest.mark.parametrize("between", [0.0, 0.01, 0.05])
def test_equal_configurations_are_seldom_given_a_direction(captures: tuple[int, int], between: float) -> None:
    assert simulated_captures(captures, (between, between), 1.0).directional.mean() <= ALPHA


def test_captures_that_agree_decide() -> None:
    assert simulated_captures((2, 2), (0.0, 0.0), 1.05).directional.mean() >= 0.75
    assert simulated_captures((3, 3), (0.0, 0.0), 1.05).clear.mean() >= 0.95
    assert simulated_captures((5, 5), (0.05, 0.05), 1.2).clear.mean() >= 0.95


@pytest.mark.parametrize(("change", "between"), CHANGES)
def test_as_many_captures_as_are_said_to_be_needed_show_the_change(change: float, between: float) -> None:
    assert enough_captures(change, between)[1] >= 0.75


def test_with_many_captures_the_floor_would_never_decide() -> None:
    """It grows with their number, which is why from three on the interval decides alone."""
    few, many = (sure_with_and_without_the_floor(count) for count in (3, 10))
    assert many[0] > 0.95 > few[0]
    assert many[1] < few[1] < 0.15


@pytest.mark.parametrize("draw", (STATIONARY | SERIES).values(), ids=STATIONARY | SERIES)
@pytest.mark.parametrize("steps", ENTITY_STEPS)
def test_tables_of_equal_rows_have_few_discoveries(draw: Draw, steps: int) -> None:
    tables = tables_drawn(steps)
    wrong, _, false = entity_rates(draw, steps)
    assert wrong <= at_most(tables)
    assert false <= at_most(tables // 4)


@pytest.mark.parametrize("steps", [12, 20, 50])
def test_independent_steps_are_seldom_called_drifting(steps: int) -> None:
    assert called_drifting(0.0, steps) <= 0.01 + 2 * (0.01 * 0.99 / DRAWS["drift"]) ** 0.5


def test_rows_that_changed_are_found() -> None:
    assert entity_rates(normal, 10)[1] >= 0.85
    assert entity_rates(normal, 20)[1] >= 0.98
    assert entity_rates(SERIES["autocorrelated, ρ 0.5"], 20)[1] >= 0.7


def test_a_row_that_looks_independent_by_chance_is_no_discovery(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that all resemble their neighbors: judged one by one, many tables would have a false row."""
    alike = entity_rates(SERIES["autocorrelated, ρ 0.5"], 20)[0]
    monkeypatch.setattr(entity_tests, "row_shifts", lambda *sides, **how: row_shifts(*sides, **(how | {"alike": ()})))
    alone = tables_of_rows.__wrapped__(SERIES["autocorrelated, ρ 0.5"], 20, 0, sample(200, 2))[0]
    assert alike < 0.01 < 0.1 < alone


@pytest.mark.parametrize("captures", ENTITY_CAPTURES)
def test_rows_that_differ_from_capture_to_capture_are_few_discoveries(captures: int) -> None:
    tables = sample(250, 12)
    assert tables_of_rows(normal, 10, 0, tables, captures)[0] <= at_most(tables)
    assert tables_of_rows(normal, 10, ROWS // 2, sample(60, 5), captures)[2] <= ALPHA


@pytest.mark.parametrize("name", SAMPLED)
def test_documents_show_what_is_measured(name: str) -> None:
    """`python -m tests.simulation` writes the tables anew when a change is meant; the suite draws a sample of it."""
    measured = f"\n{SAMPLED[name]()}\n"
    number = re.compile(r"\d+(?:\.\d+)?")
    assert number.sub("#", table_on_page(name)) == number.sub("#", measured)
    pairs = zip(number.findall(table_on_page(name)), number.findall(measured), strict=True)
    assert [pair for pair in pairs if abs(float(pair[0]) - float(pair[1])) > apart(float(pair[0]), DRAWS[name])] == []


def apart(percent: float, draws: int) -> float:
    """How far a sample may be from it: four standard deviations of so many draws."""
    share = percent / 100
    return 1.0 if THOROUGH or not 0 < share < 1 else 1.0 + 400 * (share * (1 - share) / draws) ** 0.5
