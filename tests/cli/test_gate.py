"""The rule of --fail-if-slower, case by case."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.cli import gate
from tb_perfcompare.comparison.comparison import Headline, Shift, Verdict
from tests.render.examples import headline


def with_interval(low: float, high: float, verdict: Verdict, level: float | None = 0.95) -> Headline:
    return headline(verdict, Shift((low + high) / 2, low, high, 0.0, 0.0, 0.0, level))


@pytest.mark.parametrize(
    ("low", "high", "verdict", "limit", "status"),
    [
        (0.04, 0.09, Verdict.SLOWER, 0.03, gate.TRIPPED),
        (0.04, 0.09, Verdict.PROBABLY_SLOWER, 0.03, gate.TRIPPED),
        (0.04, 0.09, Verdict.INCONCLUSIVE, 0.03, gate.CANNOT_TELL),  # the interval alone is not enough
        (0.03, 0.09, Verdict.SLOWER, 0.03, gate.CANNOT_TELL),  # "more than 3 %" needs the low end above it
        (0.01, 0.09, Verdict.SLOWER, 0.03, gate.CANNOT_TELL),
        (-0.20, 0.40, Verdict.INCONCLUSIVE, 0.03, gate.CANNOT_TELL),
        (-0.01, 0.03, Verdict.SAME, 0.03, gate.PASSED),
        (-0.01, 0.02, Verdict.INCONCLUSIVE, 0.03, gate.PASSED),  # whatever it is, it is not more than 3 % slower
        (0.01, 0.02, Verdict.SLOWER, 0.03, gate.PASSED),
        (-0.50, -0.40, Verdict.FASTER, 0.0, gate.PASSED),
    ],
)
def test_the_interval_against_the_limit(low: float, high: float, verdict: Verdict, limit: float, status: int) -> None:
    assert gate.decide(with_interval(low, high, verdict), limit)[0] == status


def test_without_an_interval_only_identical_recordings_pass() -> None:
    assert gate.decide(with_interval(5.0, 5.0, Verdict.INCONCLUSIVE, None), 0.03)[0] == gate.CANNOT_TELL
    assert gate.decide(with_interval(0.0, 0.0, Verdict.SAME, None), 0.03)[0] == gate.PASSED


def test_a_withheld_verdict_and_a_missing_shift_cannot_tell() -> None:
    assert gate.decide(with_interval(-0.2, -0.1, Verdict.WITHHELD), 0.03)[0] == gate.CANNOT_TELL
    known = headline()
    without = Headline(**{name: getattr(known, name) for name in Headline.__slots__ if name != "shift"}, shift=None)
    assert gate.decide(without, 0.03)[0] == gate.CANNOT_TELL


@given(st.floats(-1, 1), st.floats(-1, 1), st.sampled_from(list(Verdict)), st.floats(0, 1), st.floats(0, 1))
def test_a_more_generous_limit_never_turns_a_pass_into_a_trip(
    one: float, other: float, verdict: Verdict, limit: float, more: float
) -> None:
    found = with_interval(min(one, other), max(one, other), verdict)
    order = {gate.TRIPPED: 0, gate.CANNOT_TELL: 1, gate.PASSED: 2}
    strict, generous = (order[gate.decide(found, value)[0]] for value in sorted((limit, limit + more)))
    assert strict <= generous
