"""The gate of --fail-if-slower."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.result.headline import Alternative, Headline, Part, RecordedMore, Shift, Verdict
from tb_perfcompare.gate.gates import step_time
from tb_perfcompare.gate.limits import Limit
from tb_perfcompare.gate.outcome import Status
from tests.render.examples import headline


def with_interval(low: float, high: float, verdict: Verdict, level: float | None = 0.95) -> Headline:
    """A baseline of 1 ms and the interval of its change."""
    return headline(verdict, Shift((low + high) / 2, low, high, 0.0, low * 1000, high * 1000, level))


@pytest.mark.parametrize(
    ("low", "high", "verdict", "limit", "status"),
    [
        (0.04, 0.09, Verdict.SLOWER, 0.03, Status.TRIPPED),
        (0.04, 0.09, Verdict.PROBABLY_SLOWER, 0.03, Status.TRIPPED),
        (0.04, 0.09, Verdict.INCONCLUSIVE, 0.03, Status.CANNOT_TELL),  # the interval alone is not enough
        (0.03, 0.09, Verdict.SLOWER, 0.03, Status.CANNOT_TELL),  # "more than 3 %" needs the low end above it
        (0.01, 0.09, Verdict.SLOWER, 0.03, Status.CANNOT_TELL),
        (-0.20, 0.40, Verdict.INCONCLUSIVE, 0.03, Status.CANNOT_TELL),
        (-0.01, 0.03, Verdict.SAME, 0.03, Status.PASSED),
        (-0.01, 0.02, Verdict.INCONCLUSIVE, 0.03, Status.PASSED),  # whatever it is, it is not more than 3 % slower
        (0.01, 0.02, Verdict.SLOWER, 0.03, Status.PASSED),
        (-0.50, -0.40, Verdict.FASTER, 0.0, Status.PASSED),
    ],
)
def test_the_interval_against_the_limit(
    low: float, high: float, verdict: Verdict, limit: float, status: Status
) -> None:
    found = with_interval(low, high, verdict)
    assert step_time(found, Limit(fraction=limit)).status is status
    assert step_time(found, Limit(us=limit * 1000)).status is status


def test_without_an_interval_only_identical_recordings_pass() -> None:
    limit = Limit(fraction=0.03)
    assert step_time(with_interval(5.0, 5.0, Verdict.INCONCLUSIVE, None), limit).status is Status.CANNOT_TELL
    assert step_time(with_interval(0.0, 0.0, Verdict.SAME, None), limit).status is Status.PASSED


def test_a_withheld_verdict_and_a_missing_shift_cannot_tell() -> None:
    limit = Limit(fraction=0.03)
    assert step_time(with_interval(-0.2, -0.1, Verdict.WITHHELD), limit).status is Status.CANNOT_TELL
    assert step_time(replace(headline(), shift=None), limit).status is Status.CANNOT_TELL


def test_the_outcome_has_limit_and_measurement() -> None:
    found = step_time(with_interval(0.04, 0.09, Verdict.SLOWER), Limit(fraction=0.03))
    assert (found.gate, found.limit) == ("step time", "+3 %")
    assert found.measured == "+6.50 % [+4.00 %, +9.00 %]"
    assert found.sentence == "the candidate is more than 3 % slower, [+4.00 %, +9.00 %]"
    in_time = step_time(with_interval(0.04, 0.09, Verdict.SLOWER), Limit(us=30))
    assert in_time.sentence == "the candidate is more than 30.0 µs slower, [+40.0 µs, +90.0 µs]"


@given(st.floats(-1, 1), st.floats(-1, 1), st.sampled_from(list(Verdict)), st.floats(0, 1), st.floats(0, 1))
def test_a_more_generous_limit_never_turns_a_pass_into_a_trip(
    one: float, other: float, verdict: Verdict, limit: float, more: float
) -> None:
    found = with_interval(min(one, other), max(one, other), verdict)
    order = {Status.TRIPPED: 0, Status.CANNOT_TELL: 1, Status.PASSED: 2}
    strict, generous = (
        order[step_time(found, Limit(fraction=value)).status] for value in sorted((limit, limit + more))
    )
    assert strict <= generous


def test_what_profiler_options_of_one_side_can_cost_is_no_excess() -> None:
    slower = with_interval(0.04, 0.09, Verdict.SLOWER)
    options = RecordedMore("candidate", ("with_stack",), 30.0, 0.03)
    for limit in (Limit(fraction=0.03), Limit(us=30)):
        found = step_time(replace(slower, recorded_more=options), limit)
        assert found.status is Status.CANNOT_TELL and "only the candidate recorded with_stack" in found.sentence
    assert step_time(replace(slower, recorded_more=options), Limit(fraction=0.005)).status is Status.TRIPPED
    same = with_interval(-0.01, 0.01, Verdict.SAME)
    hidden = replace(same, recorded_more=replace(options, side="baseline"))
    for limit in (Limit(fraction=0.03), Limit(us=30)):
        assert step_time(same, limit).status is Status.PASSED
        assert step_time(hidden, limit).status is Status.CANNOT_TELL


def test_a_mean_beyond_the_limit_does_not_pass() -> None:
    still = replace(with_interval(-0.01, 0.02, Verdict.SAME), baseline=1000.0)
    assert still.shift is not None
    stalls = replace(still, shift=replace(still.shift, mean=0.4))
    for limit in (Limit(fraction=0.03), Limit(us=30)):
        found = step_time(stalls, limit)
        assert found.status is Status.CANNOT_TELL and "mean step +40.0 %: a few steps" in found.sentence
        assert step_time(replace(still, shift=replace(still.shift, mean=0.02)), limit).status is Status.PASSED
    program = Part(0.0, -0.02, 0.01, 0.9, Verdict.INCONCLUSIVE, rows=9, kept=9, coverage=0.9, tau=0.0, mean=0.2)
    parts = replace(still, program=program, machine=replace(program, mean=None))
    assert "mean step +20.0 %" in step_time(parts, Limit(fraction=0.03)).sentence
    assert step_time(replace(parts, program=replace(program, mean=-0.1)), Limit(fraction=0.03)).status is Status.PASSED


def test_a_mean_below_the_limit_does_not_trip() -> None:
    slower = replace(with_interval(0.04, 0.09, Verdict.SLOWER), baseline=1000.0)
    assert slower.shift is not None
    for mean, status in ((0.02, Status.CANNOT_TELL), (0.05, Status.TRIPPED), (None, Status.TRIPPED)):
        found = step_time(replace(slower, shift=replace(slower.shift, mean=mean)), Limit(fraction=0.03))
        assert found.status is status
    program = Part(0.1, 0.05, 0.2, 0.001, Verdict.SLOWER, rows=9, kept=9, coverage=0.9, tau=0.0, mean=0.02)
    parts = replace(slower, program=program, machine=replace(program, mean=None, verdict=Verdict.SAME))
    assert "[+5.00 %, +20.0 %], but mean step +2.00 %; record" in step_time(parts, Limit(fraction=0.03)).sentence


def test_cannot_tell_says_what_to_record() -> None:
    limit, wide = Limit(fraction=0.03), with_interval(-0.2, 0.4, Verdict.INCONCLUSIVE)
    assert step_time(wide, limit).sentence.endswith("; record more captures per side, on an idle machine")
    more = Alternative("record_more", "record 2 more captures of the candidate", more=(0, 2), unit="captures")
    assert step_time(replace(wide, alternatives=(more,)), limit).sentence.endswith(f"; {more.what}")
    unsure = step_time(with_interval(0.04, 0.4, Verdict.INCONCLUSIVE), limit).sentence
    assert "[+4.00 %, +40.0 %], which is too uncertain for a verdict; record" in unsure
