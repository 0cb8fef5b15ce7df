"""The gate of --fail-on."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.causes.evidence.significant_categories import repeatability
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding, is_sure
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.gate.gates import checked_rule, no_cause
from tb_perfcompare.gate.outcome import Status
from tests.render.examples import comparison, headline

SURE = repeatability(0.001, Verdict.SLOWER, 0.05)
WITHIN = repeatability(0.4, Verdict.SLOWER, 0.05)
UNKNOWN = repeatability(None, Verdict.SLOWER, 0.05)


def with_finding(
    delta_us: float | None, confidence: str = SURE, rule: str = "data_loader", **changes: object
) -> Comparison:
    finding = Finding(rule, "x", "DataLoader", delta_us, None, "Waiting takes longer.", (), confidence)
    return comparison(**{"findings": (finding,), **changes})


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (with_finding(50.0), Status.TRIPPED),
        (with_finding(None), Status.TRIPPED),  # a clock has no time of its own
        (with_finding(50.0, "certain: calls are counted"), Status.TRIPPED),
        (with_finding(-50.0), Status.PASSED),  # it got better
        (with_finding(50.0, rule="late_rank"), Status.PASSED),
        (comparison(findings=()), Status.PASSED),
        (with_finding(50.0, WITHIN), Status.CANNOT_TELL),
        (with_finding(50.0, UNKNOWN), Status.CANNOT_TELL),
        (with_finding(50.0, headline=headline(Verdict.WITHHELD)), Status.CANNOT_TELL),
        (comparison(findings=(), headline=headline(Verdict.WITHHELD)), Status.CANNOT_TELL),
        (comparison(findings=(), headline=headline(metric="cycle_time")), Status.CANNOT_TELL),  # it looks at steps
    ],
)  # fmt: skip
def test_status_of_a_finding(found: Comparison, status: Status) -> None:
    assert no_cause(found, "data_loader").status is status


def test_the_sentence_is_that_of_the_finding() -> None:
    assert no_cause(with_finding(50.0), "data_loader").sentence == "data_loader: Waiting takes longer."
    unsure = no_cause(with_finding(50.0, WITHIN), "data_loader").sentence
    assert unsure == ("cannot tell about data_loader: Waiting takes longer; within the spread of the steps (p = 0.40)")


def test_only_significant_findings_are_sure() -> None:
    words = {SURE: True, WITHIN: False, UNKNOWN: False, "by the names of the kernels": True}
    for confidence, sure in words.items():
        assert is_sure(Finding("r", "s", "c", 1.0, None, "x", (), confidence)) is sure


def test_an_unknown_rule_is_refused_with_a_suggestion() -> None:
    assert checked_rule("late_rank") == "late_rank"
    with pytest.raises(PerfCompareError, match="there is no rule 'laterank'; did you mean 'late_rank'"):
        checked_rule("laterank")
    with pytest.raises(PerfCompareError, match="a limit of the step time is --fail-if-slower; there are: "):
        checked_rule("3%")
