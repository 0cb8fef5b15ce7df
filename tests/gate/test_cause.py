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
from tb_perfcompare.model.note import Note, NoteCode
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


ONE_ON_THE_CPU = Note(NoteCode.TABLE_ABSENT, "candidate: no device events", "kernels (one side only), device_timeline")


@pytest.mark.parametrize(("rule", "tables", "notes", "says"), [
    ("kernel_slower", ["kernels"], [], "kernel_slower was not found"),
    ("kernel_slower", ["kernels"], [ONE_ON_THE_CPU], "cannot tell about kernel_slower: candidate: no device events"),
    ("kernel_slower", [], [], "cannot tell about kernel_slower: neither side recorded what the rule looks at"),
    ("kernel_time", ["operators"], [], "cannot tell about kernel_time: neither side recorded what the rule looks at"),
    ("workload_changed", ["kernels"], [], "workload_changed was not found"),  # kernels tell it as well as shapes
    ("data_type_changed", ["kernels"], [],
     "cannot tell about data_type_changed: neither side recorded what the rule looks at"),
    ("slow_steps", [], [], "slow_steps was not found"),
])  # fmt: skip
def test_a_rule_without_what_it_looks_at_has_not_passed(
    rule: str, tables: list[str], notes: list[Note], says: str
) -> None:
    plain = comparison(findings=())
    assert plain.tables
    some = {name: next(iter(plain.tables.values())) for name in tables}
    found = no_cause(comparison(findings=(), tables=some, notes=tuple(notes)), rule)
    assert found.sentence == says
    assert (found.status is Status.PASSED) is says.endswith("was not found")


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
