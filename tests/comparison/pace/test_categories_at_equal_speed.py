"""Categories at equal machine speed: where the program's part of a change is."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.causes.detect_causes import DetectedCauses
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.significant_categories import PacedChange, repeatability
from tb_perfcompare.comparison.causes.general_findings import find_causes
from tb_perfcompare.comparison.kinds.strata import Strata
from tb_perfcompare.comparison.pace.program_estimate import EstimateKind
from tb_perfcompare.comparison.pace.split import common_work
from tb_perfcompare.comparison.pace.table import categories_at_equal_speed
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, StepCategory
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.render.ledger_tables import category_table
from tests.comparison.amount.test_amount_of_work import pair as requests
from tests.comparison.compare import compare, finding_of, rows_of
from tests.comparison.pace.test_noisy_machine import OPERATORS, recorded
from tests.planted.causes.test_device_paces import COMPUTING, LAUNCHING, captures, layers
from tests.planted.programs import Program

LONG_GAP = 1550
"""Untraced time of the candidate's steps in µs; the baseline's is 50."""


Stalls = tuple[tuple[int, ...], ...]


def side(paces: tuple[float, ...], first: int, gap: int = 50, stalls: Stalls = ((), (), ())) -> Summary:
    """Captures at these paces; `stalls`: steps of each in which nothing is recorded for 30 ms."""
    return pool([
        recorded(first + 2 * at, pace, 0, gap=round(gap * pace), stalls=own)
        for at, (pace, own) in enumerate(zip(paces, stalls, strict=False))
    ])  # fmt: skip


@cache
def uneven(*, swapped: bool = False) -> Comparison:
    """1.5 ms more between the operators, on a machine whose pace varies by 60 % within both sides."""
    sides = side((0.8, 1.3, 1.05), 0), side((1.25, 0.85, 1.1), 1, LONG_GAP)
    return compare(*(sides[::-1] if swapped else sides))


def changes(found: Comparison) -> dict[str, tuple[float | None, float | None]]:
    rows = rows_of(found.tables["categories"])
    return {category: (row.get("paced_delta_us"), row.get("paced_p")) for category, row in rows.items()}


def test_the_program_is_in_one_category_and_the_machine_in_all() -> None:
    found = uneven()
    (cpu, cpu_p), (other, other_p) = changes(found)["CPU Exec"], changes(found)["Other"]
    assert other == pytest.approx(LONG_GAP - 50, rel=0.1) and other_p is not None and other_p < 0.05
    assert abs(cpu or 0) < 0.02 * sum(OPERATORS.values()) and cpu_p is not None and cpu_p > 0.05


def test_the_changes_add_up_to_that_of_the_mean_step_at_equal_speed() -> None:
    found = uneven()
    total = dict(zip((row[0] for row in category_table(found).rows), category_table(found).rows, strict=True))["total"]
    assert total[-2] == pytest.approx(math.fsum(change or 0.0 for change, _ in changes(found).values()))


def test_swapped_sides_have_the_opposite_changes() -> None:
    there, back = changes(uneven()), changes(uneven(swapped=True))
    assert {category: (-(change or 0.0), p) for category, (change, p) in there.items()} == {
        category: (change or 0.0, p) for category, (change, p) in back.items()
    }


def test_a_run_has_no_change_against_itself() -> None:
    one = side((0.8, 1.3, 1.05), 0)
    assert {change for change, _ in changes(compare(one, one)).values()} <= {0.0, None}


def test_a_category_without_time_has_no_change_and_no_p() -> None:
    assert changes(uneven())["DataLoader"] == (None, None)


def test_uninterrupted_steps_that_decide_are_split_by_category() -> None:
    found = compare(side((0.8, 1.3, 1.05), 0), side((1.25, 0.85, 1.1), 1, LONG_GAP, ((2, 5), (), ())))
    assert "leaves out interruptions" in found.headline.method
    for category in ("CPU Exec", "Other"):
        parts = [row[4] for row in found.tables["without_interruptions"].rows if row[1] == category]
        assert changes(found)[category][0] == pytest.approx(sum(part for part in parts if isinstance(part, float)))


def test_stalls_that_decide_are_in_the_changes() -> None:
    """Uninterrupted steps are known, but do not show the stalls."""
    found = compare(side((0.8, 1.3, 1.05), 0), side((1.25, 0.85, 1.1), 1, stalls=((1, 6), (0, 3), (2, 5))))
    assert "means of the captures" in found.headline.method and "without_interruptions" in found.tables
    assert changes(found)["Other"][0] == pytest.approx(30_000 * 2 / 8, rel=0.2)


SLOW_HOST = (1.5, 1.55, 1.47)


def at_pace(sides: tuple[Summary, Summary], low_by: float = 0.0) -> tuple[np.ndarray, float]:
    """Changes of the categories in µs, and that of the mean step at equal speed; `low_by`: ln by which the steps at
    equal speed are shorter than they were estimated."""
    work = common_work(*sides, CompareOptions())
    assert work.clocked is not None
    steps = work.clocked.at_pace[0] - low_by, work.clocked.at_pace[1] - low_by
    shorter = replace(work, clocked=replace(work.clocked, at_pace=steps))
    found = categories_at_equal_speed(sides, shorter, None, EstimateKind.STEPS, 0.05)
    assert found is not None
    return np.nan_to_num(found[0]), float(np.exp(steps[1]).mean() - np.exp(steps[0]).mean()) / 1000


@pytest.mark.parametrize("program", [LAUNCHING, COMPUTING])
def test_a_slower_host_of_a_device_changes_no_category(program: Program) -> None:
    sides = captures(program, 1), captures(program, 5, host_paces=SLOW_HOST)
    one, two = (side.owned.by_category().mean(axis=1) / 1000 for side in sides)
    step = float(one.sum())
    changes_us, whole = at_pace(sides)
    assert abs(changes_us).max() < 0.02 * step
    assert changes_us.sum() == pytest.approx(whole)
    assert program is COMPUTING or abs(two - one).max() > 0.2 * step


def test_device_and_host_of_a_slower_program_are_told_apart_on_a_slower_host() -> None:
    slower = replace(LAUNCHING, layers=layers(3.0, first=9.0), loader_us=300)
    changes_us, whole = at_pace((captures(LAUNCHING, 1), captures(slower, 5, host_paces=SLOW_HOST)))
    assert changes_us[StepCategory.KERNEL] == pytest.approx(2 * 8 * 3.0, rel=0.1)  # eight times longer, two launches
    assert changes_us[StepCategory.DATALOADER] == pytest.approx(300 / 1.5, rel=0.1)  # as if the host's pace made it
    assert changes_us.sum() == pytest.approx(whole)


@pytest.mark.parametrize("low_by", [0.5, 3.0])
def test_categories_never_add_up_to_more_than_the_step(low_by: float) -> None:
    """Steps estimated shorter than their device work alone."""
    changes_us, whole = at_pace((captures(COMPUTING, 1), captures(COMPUTING.changed(op_us=30.0), 5)), low_by)
    assert changes_us.sum() == pytest.approx(whole)


def test_kinds_of_steps_have_other_means_than_each_kind() -> None:
    sides = side((0.8, 1.3, 1.05), 0), side((1.25, 0.85, 1.1), 1, LONG_GAP)
    work = common_work(*sides, CompareOptions())
    assert work.clocked is not None
    kinds = Strata((np.arange(24) % 2, np.arange(24) % 2))
    of_kinds = replace(work, clocked=replace(work.clocked, strata=kinds))
    assert categories_at_equal_speed(sides, work, None, EstimateKind.STEPS, 0.05) is not None
    assert categories_at_equal_speed(sides, of_kinds, None, EstimateKind.STEPS, 0.05) is None


def test_one_capture_a_side_does_not_show_what_is_the_machines() -> None:
    found = compare(recorded(0, 1.0, 0), recorded(1, 1.3, 0, gap=LONG_GAP))
    assert "paced_delta_us" not in rows_of(found.tables["categories"])["Other"]
    assert [column.name for column in category_table(found).columns][-1] == "candidate_calls"


def test_requests_of_any_length_are_split_at_equal_work() -> None:
    found = requests(longer=(12, 40), more=42)
    assert found.headline.amount is not None and found.headline.basis is Basis.PROGRAM
    cpu = rows_of(found.tables["categories"])["CPU Exec"]
    tokens = (found.headline.amount.baseline + found.headline.amount.candidate) / 2
    assert cpu["delta_us"] > 5 * tokens * 42
    assert cpu["paced_p"] < 0.05 and cpu["paced_delta_us"] == pytest.approx(tokens * 42, rel=0.25)


def test_a_finding_tells_what_only_equal_speed_shows() -> None:
    """Two captures a side, and so no uninterrupted steps."""
    found = compare(side((0.8, 1.3), 0, 3000), side((1.25, 0.85), 1, 3000 + LONG_GAP))
    assert "without_interruptions" not in found.tables
    assert changes(found)["Other"][0] == pytest.approx(LONG_GAP, rel=0.1)
    confidence = finding_of(found, "unrecorded_time").confidence
    assert confidence.startswith("within the spread of the steps (p ")
    assert confidence.endswith("but significant at equal machine speed (p < 0.001)")


@pytest.mark.parametrize(("paced_p", "says"), [(0.01, True), (0.3, False)])
def test_with_an_open_verdict_a_category_has_to_differ_at_equal_speed(paced_p: float, says: bool) -> None:
    """A busy machine lengthens the wait for data as it lengthens the rest."""
    sides = side((0.8, 1.3), 0, 3000), side((1.25, 0.85), 1, 3000 + LONG_GAP)
    compared = compare(*sides)
    context = RuleContext(
        *sides, compared.ledger, replace(compared.headline, verdict=Verdict.INCONCLUSIVE), CompareOptions(),
        p_values=dict.fromkeys(CATEGORY_LABELS, 0.001), paced={"Other": PacedChange(1500.0, paced_p, 1500.0)},
    )  # fmt: skip
    found = find_causes(context, DetectedCauses())
    assert ("unrecorded_time" in {finding.rule for finding in found}) is says


@pytest.mark.parametrize(("known_us", "says"), [(0.0, True), (500.0, False)])
def test_a_finding_on_what_other_causes_leave_tells_nothing_of_its_category(known_us: float, says: bool) -> None:
    sides = side((0.8, 1.3), 0, 3000), side((1.25, 0.85), 1, 3000 + LONG_GAP)
    compared = compare(*sides)
    context = RuleContext(
        *sides, compared.ledger, replace(compared.headline, verdict=Verdict.SLOWER), CompareOptions(),
        p_values=dict.fromkeys(CATEGORY_LABELS, 0.5), paced={"Other": PacedChange(1500.0, 0.01, 1500.0)},
    )  # fmt: skip
    (found,) = find_causes(context, DetectedCauses(explained={"Other": known_us}))
    assert found.sentence.startswith("Remaining") is not says
    assert ("significant at equal machine speed" in found.confidence) is says


@pytest.mark.parametrize(("p", "paced", "words"), [
    (0.3, PacedChange(900.0, 0.01, 1000.0),
     "within the spread of the steps (p = 0.30), but significant at equal machine speed (p = 0.010)"),
    (0.3, PacedChange(-900.0, 0.01, 1000.0), "within the spread of the steps (p = 0.30)"),
    (0.3, PacedChange(900.0, 0.2, 1000.0), "within the spread of the steps (p = 0.30)"),
    (0.01, PacedChange(20.0, 0.6, 1000.0),
     "significant over steps (p = 0.010); at equal machine speed +20.0 µs (p = 0.60)"),
    (0.01, PacedChange(900.0, 0.2, 1000.0), "significant over steps (p = 0.010)"),
    (0.01, PacedChange(20.0, 0.01, 1000.0), "significant over steps (p = 0.010)"),
])  # fmt: skip
def test_confidence_names_equal_speed_where_it_tells_more(p: float, paced: PacedChange, words: str) -> None:
    assert repeatability(p, Verdict.SLOWER, 0.05, paced=paced) == words
