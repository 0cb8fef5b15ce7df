"""Findings that are not reported: too small, side effects of others, or noise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_perfcompare.comparison.causes.minor_findings import without_minor_changes, without_unknown_pace
from tb_perfcompare.comparison.result.finding import REPEATABILITY_UNKNOWN, Finding
from tb_perfcompare.comparison.result.headline import Part, Verdict
from tests.render.examples import headline

COUNTED = "certain: calls are counted"
LARGEST = Finding("operator_slower", "mm", "CPU Exec", 1000.0, 1.0, "", (), "")


@pytest.mark.parametrize(
    ("rule", "confidence", "us", "is_kept"),
    [
        ("unrecorded_time", "", 39.0, False),
        ("unrecorded_time", "", 41.0, True),
        ("more_calls", COUNTED, 9.0, True),
        ("layout_copies", COUNTED, 149.0, False),
        ("layout_copies", COUNTED, 151.0, True),
        ("slow_steps", "few steps, which may not recur", 149.0, False),
        ("slow_steps", "few steps, which may not recur", 151.0, True),
    ],
)
def test_small_findings_need_to_be_counted_and_no_side_effect(
    rule: str, confidence: str, us: float, is_kept: bool
) -> None:
    small = replace(LARGEST, rule=rule, confidence=confidence, delta_us=us)
    for way in (1, -1):
        findings = (LARGEST, replace(small, delta_us=way * us))
        assert without_minor_changes(findings, 0.0, 5.0) == findings[: 1 + is_kept]


def test_a_small_replacement_does_not_stay_for_the_name_of_a_large_one() -> None:
    """Exchanged sides name another operator first, which two replacements may share."""
    large, small = (
        Finding("operator_replaced", "aten::add_", "all", us, 1.0, f"{us}", (), COUNTED) for us in (-9000.0, -20.0)
    )
    assert without_minor_changes((large, small), -9000.0, 5.0, {large.sentence}) == (large,)
    assert without_minor_changes((large, small), -9000.0, 5.0, {small.sentence}) == (large, small)


@pytest.mark.parametrize(
    ("low", "us", "is_kept"),
    [
        (-0.1, 300.0, False),  # perhaps no change of the machine
        (0.02, 300.0, True),
        (-0.1, -300.0, True),  # hides a part of the program's change
    ],
)
def test_an_unknown_pace_is_only_told_where_it_hides_the_change(low: float, us: float, is_kept: bool) -> None:
    machine = Part(0.05, low, 0.2, 0.3, Verdict.INCONCLUSIVE, 9, 9, 0.5, 0.01)
    pace = Finding("host_pace", "operators", "CPU Exec", us, None, "", (), REPEATABILITY_UNKNOWN)
    reported = without_unknown_pace((LARGEST, pace), headline(verdict=Verdict.SLOWER, machine=machine))
    assert reported == (LARGEST, pace)[: 1 + is_kept]
