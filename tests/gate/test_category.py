"""The gate of --budget."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Part, Verdict
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.gate.gates import category_time
from tb_perfcompare.gate.limits import Limit
from tb_perfcompare.gate.outcome import Status
from tests.render.examples import comparison, headline

FIVE = Limit(fraction=0.05)


def with_category(
    before: float | None, after: float, low: float | None, high: float | None, verdict: Verdict = Verdict.SLOWER
) -> Comparison:
    """Communication took `before`, takes `after`, and its shift is between `low` and `high`, microseconds."""
    shown = (columns.key("category", "", ""), *columns.triple("", "", "x"), *columns.interval("", ""))
    row: tuple[Cell, ...] = ("Communication", before, after, after - (before or 0), after - (before or 0), low, high)
    table = Table("categories", "", shown, (row,))
    return comparison(tables={"categories": table}, headline=headline(verdict))


@pytest.mark.parametrize(
    ("before", "after", "low", "high", "status"),
    [
        (100, 120, 15, 25, Status.TRIPPED),
        (100, 120, 5, 25, Status.CANNOT_TELL),  # "more than 5 us" needs the low end above it
        (100, 120, -10, 40, Status.CANNOT_TELL),
        (100, 103, 1, 4, Status.PASSED),
        (100, 103, -2, 5, Status.PASSED),
        (100, 80, -25, -15, Status.PASSED),
        (100, 130, 0, 0, Status.CANNOT_TELL),  # the typical step did not change, a few steps make the mean
        (100, 90, 15, 25, Status.CANNOT_TELL),  # the typical step got longer, a few steps made the baseline
        (0, 20, 10, 30, Status.TRIPPED),  # 5 % of nothing is nothing
        (0, 0, 0, 0, Status.PASSED),
        (0, 0, None, None, Status.PASSED),
        (100, 120, None, None, Status.CANNOT_TELL),
        (100, 100, None, None, Status.CANNOT_TELL),
    ],
)
def test_shift_and_mean_against_the_limit(
    before: float, after: float, low: float | None, high: float | None, status: Status
) -> None:
    assert category_time(with_category(before, after, low, high), "Communication", FIVE).status is status
    in_time = Limit(us=0.05 * before)
    assert category_time(with_category(before, after, low, high), "Communication", in_time).status is status


RECORDED = (100, 150, 40, 60)
"""Far above a limit of 5 %."""


def with_paced(
    change: float, low: float, high: float, recorded: tuple[float, ...] = RECORDED, machine: Verdict = Verdict.SLOWER
) -> Comparison:
    """The same with a change at equal machine speed, and the verdict on the machine."""
    plain = with_category(*recorded)
    table = plain.tables["categories"]
    paced = replace(
        table, columns=(*table.columns, *columns.AT_EQUAL_SPEED, *columns.SHIFT_AT_EQUAL_SPEED),
        rows=((*table.rows[0], change, 0.5, low, high),),
    )  # fmt: skip
    part = Part(0.4, 0.3, 0.5, 0.01, machine, 9, 9, 0.9, 0.0)
    return replace(plain, tables={"categories": paced}, headline=replace(plain.headline, machine=part))


@pytest.mark.parametrize(
    ("found", "fail_on_machine", "status"),
    [
        (with_paced(20, 15, 25), False, Status.TRIPPED),
        (with_paced(1, -3, 4), False, Status.CANNOT_TELL),  # the machine may be a setting of the program
        (with_paced(1, -3, 4), True, Status.TRIPPED),
        (with_paced(1, -3, 4, machine=Verdict.INCONCLUSIVE), False, Status.PASSED),  # more work per step
        (with_paced(1, -3, 4, (100, 150, -40, 160)), False, Status.PASSED),  # the captures differ
        (with_paced(1, -3, 4, (100, 150, -40, 160)), True, Status.PASSED),
        (with_paced(20, 15, 25, (100, 70, -40, -20)), False, Status.TRIPPED),  # a faster machine hides it
        (with_paced(1, -30, 40, (100, 150, -40, 160)), False, Status.CANNOT_TELL),
    ],
)
def test_the_change_at_equal_machine_speed_counts_where_it_is_known(
    found: Comparison, fail_on_machine: bool, status: Status
) -> None:
    outcome = category_time(found, "Communication", FIVE, fail_on_machine=fail_on_machine)
    assert outcome.status is status


def test_the_sentence_says_which_change_was_compared() -> None:
    machine, tripped = (
        category_time(with_paced(1, -3, 4), "Communication", FIVE, fail_on_machine=fails) for fails in (False, True)
    )
    assert machine.sentence == (
        "cannot tell whether Communication takes more than 5 % longer: 100 µs → 150 µs per step, at equal machine "
        "speed [−3.00 µs, +4.00 µs]; record again on an idle machine"
    )
    assert tripped.sentence.endswith("100 µs → 150 µs per step, shift [+40.0 µs, +60.0 µs]")


def test_a_cpu_recording_cannot_tell_about_a_device_category() -> None:
    found = category_time(with_category(None, 0, None, None), "Communication", FIVE)
    assert found.status is Status.CANNOT_TELL
    assert found.sentence == "cannot tell about Communication: the baseline recorded the CPU alone"


def test_the_sentence_has_limit_and_measurement() -> None:
    found = category_time(with_category(100, 120, 15, 25), "Communication", FIVE)
    assert (found.gate, found.limit) == ("Communication", "+5 %")
    assert found.sentence == (
        "Communication takes more than 5 % longer: 100 µs → 120 µs per step, shift [+15.0 µs, +25.0 µs]"
    )
    tail = category_time(with_category(100, 130, 0, 0), "Communication", FIVE)
    assert tail.sentence.endswith("the mean rests on a few steps; look at the longest ones")


def test_equal_recordings_pass_without_an_interval() -> None:
    same = with_category(100, 100, None, None, Verdict.SAME)
    assert category_time(same, "Communication", FIVE).status is Status.PASSED


def test_a_withheld_verdict_cannot_tell_with_its_reason() -> None:
    withheld = with_category(100, 100, 0, 0, Verdict.WITHHELD)
    found = category_time(withheld, "Communication", FIVE)
    assert found.status is Status.CANNOT_TELL
    assert found.sentence == f"cannot tell about Communication: {withheld.headline.reason}"


def test_runs_without_categories_cannot_tell_with_the_reason() -> None:
    found = category_time(replace(comparison(), tables={}), "Kernel", FIVE)
    assert found.status is Status.CANNOT_TELL
    assert "no table 'categories'" in found.sentence
