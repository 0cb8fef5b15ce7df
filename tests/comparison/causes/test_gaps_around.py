"""Untraced time around operators that one side alone calls is theirs: Python code that calls them."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.finding import Finding
from tests.build import TraceBuilder
from tests.comparison.test_comparison_laws import compare, summarised


def program(*names: str, us: int = 20, gaps: dict[tuple[str, str], int] | None = None) -> TraceBuilder:
    """Steps of operators of 20 us (new ones of `us`) with 5 us between them, or as long as the gap of two is."""
    trace, at = TraceBuilder(), 0
    for step in range(6):
        start, before = at, ""
        for name in names:
            at += (gaps or {}).get((before, name), 5)
            trace.op(name, at, at + (us if name.startswith("quantized") else 20))
            at, before = at + (us if name.startswith("quantized") else 20), name
        trace.step(step, start, at)
    return trace


A = ("aten::gru", "aten::linear", "aten::relu", "aten::gru", "aten::linear", "aten::argmax")
B = tuple(name.replace("aten::linear", "quantized::linear") for name in A)
SLOW = {("aten::gru", "quantized::linear"): 25, ("quantized::linear", "aten::relu"): 15}


def findings(one: TraceBuilder, two: TraceBuilder) -> list[Finding]:
    return list(compare(summarised(one), summarised(two)).findings)


def test_a_faster_operator_that_is_called_by_slower_code_is_the_cause() -> None:
    """Two calls take 5 us less each; the code around them 2 x 20 + 10 more."""
    (found,) = findings(program(*A), program(*B, us=15, gaps=SLOW))
    assert found.sentence == (
        "Operator replaced: +40.0 µs per step, +50.0 µs of it untraced host time around the calls; aten::linear "
        "(2 calls) → quantized::linear (2 calls)."
    )


def test_exchanging_the_sides_negates_it() -> None:
    one, two = program(*A), program(*B, us=15, gaps=SLOW)
    forward, swapped = findings(one, two)[0], findings(two, one)[0]
    assert (swapped.rule, swapped.delta_us) == (forward.rule, -(forward.delta_us or 0.0))


def test_a_gap_with_a_new_operator_is_not_counted_twice() -> None:
    """A gap of 100 us became two of 55 around a new operator."""
    names = ("aten::mm", "aten::add", "aten::sum")
    one = program(*names, gaps={("aten::mm", "aten::add"): 100})
    two = program(
        "aten::mm", "quantized::new", "aten::add", "aten::sum",
        gaps={("aten::mm", "quantized::new"): 55, ("quantized::new", "aten::add"): 55},
    )  # fmt: skip
    (found,) = findings(one, two)
    assert found.delta_us == pytest.approx(20 + 10)


@pytest.mark.parametrize(("pause_us", "is_theirs"), [(30, True), (3000, False)])
def test_a_pause_much_longer_than_the_operators_is_another_cause(pause_us: int, is_theirs: bool) -> None:
    two = program(*A[:3], "quantized::new", *A[3:], gaps={("quantized::new", "aten::gru"): pause_us})
    rules = {found.rule for found in findings(program(*A), two)}
    assert ("unrecorded_time" not in rules) is is_theirs
