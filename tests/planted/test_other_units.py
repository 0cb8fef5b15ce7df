"""Steps that are not the same thing on both sides: the verdict is withheld, and the reason is the headline."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Check
from tb_perfcompare.comparison.result.headline import Verdict
from tests.planted.faults import BASE
from tests.planted.programs import Program
from tests.planted.sides import causes, compared, side

TWICE = BASE.changed(iterations=2)
DEEPER = BASE.changed(repeats=4)
WITHOUT = BASE.changed(marked=False)


def marker(found: Comparison) -> Check:
    (check,) = [check for check in found.comparability if check.check == "step_marker"]
    return check


@pytest.mark.parametrize(
    ("baseline", "candidate", "whose"), [(BASE, TWICE, "candidate"), (TWICE, BASE, "baseline")], ids=["more", "fewer"]
)
def test_a_marker_around_two_iterations_withholds_the_verdict(
    baseline: Program, candidate: Program, whose: str
) -> None:
    found = compared(side(baseline, 1), side(candidate, 101))
    assert found.headline.verdict is Verdict.WITHHELD
    assert f"a step of the {whose} holds 2 iterations" in found.headline.reason
    assert "batches loaded 1 to 2" in found.headline.reason or "batches loaded 2 to 1" in found.headline.reason
    assert "--step-marker 'enumerate(DataLoader)*' compares these recordings" in found.headline.reason
    assert {"verdict", "ledger"} <= set(marker(found).invalidates)


def test_twice_the_iterations_of_a_step_that_has_several_by_design_are_a_change() -> None:
    found = compared(side(TWICE, 1), side(BASE.changed(iterations=4), 101))
    assert found.headline.verdict is Verdict.SLOWER
    assert marker(found).status == "warn"
    assert "does 2 times what one of the other side does (batches loaded 2 to 4" in marker(found).detail
    assert causes(found) == ["more_calls"]


@pytest.mark.parametrize(
    ("candidate", "rule"),
    [(DEEPER, "more_calls"), (BASE.changed(copies=4), "more_copies"), (BASE.changed(loader_us=900.0), None)],
    ids=["twice the layers", "more copies", "a slow loader"],
)
def test_more_work_within_one_iteration_is_no_other_unit(candidate: Program, rule: str | None) -> None:
    found = compared(side(BASE, 1), side(candidate, 101))
    assert marker(found).status == "ok"
    assert found.headline.verdict is Verdict.SLOWER
    assert causes(found) == ([rule] if rule else [])


def test_the_same_iterations_by_another_marker_are_the_same() -> None:
    found = compared(side(BASE, 1), side(WITHOUT, 101))
    assert found.headline.verdict is Verdict.SAME
    assert causes(found) == []


def test_other_work_by_another_marker_withholds_the_verdict() -> None:
    found = compared(side(TWICE, 1), side(WITHOUT, 101))
    assert found.headline.verdict is Verdict.WITHHELD
    assert "an iteration by ProfilerStep#*, a candidate step an iteration by enumerate" in found.headline.reason
