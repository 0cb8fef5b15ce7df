"""JUnit XML, read with junitparser."""

from __future__ import annotations

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.gate.outcome import Outcome, Status, Unsure
from tb_perfcompare.gate.reports import junit
from tests.render.examples import NASTY_NAMES, comparison

OUTCOMES = (
    Outcome("step time", "+3 %", Status.PASSED, "+1 %", "not slower"),
    Outcome("Communication", "+5 %", Status.TRIPPED, "1 ms → 2 ms", "takes longer"),
    Outcome("late_rank", "none", Status.CANNOT_TELL, "none found", "cannot tell"),
)


def read(found: Comparison, outcomes: tuple[Outcome, ...], unsure: Unsure) -> list[tuple[str, list[type]]]:
    (suite,) = JUnitXml.fromstring(junit(found, outcomes, unsure))
    return [(case.name, [type(result) for result in case.result]) for case in suite]


@pytest.mark.parametrize(("unsure", "kind"), [(Unsure.REPORT, Error), (Unsure.FAIL, Failure), (Unsure.PASS, Skipped)])
def test_every_gate_is_a_test_case(unsure: Unsure, kind: type) -> None:
    assert read(comparison(), OUTCOMES, unsure) == [
        ("step time: +3 %", []),
        ("Communication: +5 %", [Failure]),
        ("late_rank: none", [kind]),
    ]


def test_the_counts_match_the_cases() -> None:
    whole = JUnitXml.fromstring(junit(comparison(), OUTCOMES, Unsure.REPORT))
    (suite,) = whole
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (3, 1, 1, 0)
    suite.update_statistics()  # counted by the reader
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (3, 1, 1, 0)
    assert {entry.name: entry.value for entry in suite.properties()}["verdict"] == "slower"


def test_any_text_gives_valid_xml() -> None:
    nasty = tuple(Outcome(name, name, Status.TRIPPED, name, f"]]> {name} \x00 \ufffe") for name in NASTY_NAMES)
    found = JUnitXml.fromstring(junit(comparison(), nasty, Unsure.REPORT))
    (suite,) = found
    assert [case.name for case in suite][2] == "=SUM(A1): =SUM(A1)"


def test_the_same_comparison_gives_the_same_bytes() -> None:
    assert junit(comparison(), OUTCOMES, Unsure.FAIL) == junit(comparison(), OUTCOMES, Unsure.FAIL)
    assert b"time" not in junit(comparison(), (), Unsure.FAIL)  # neither how long it took nor when
