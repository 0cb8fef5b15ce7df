"""Untraced time around operators of one side alone counts as theirs: Python code calls them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tb_perfcompare.comparison.result.finding import Finding
from tests.build import TraceBuilder
from tests.comparison.compare import compare, sequence


def program(*names: str, us: int = 20, gaps: dict[tuple[str, str], int] | None = None) -> TraceBuilder:
    """Six steps of operators of 20 µs (quantized ones of `us`), each after 5 µs or the gap of the pair."""
    calls: list[tuple[str, int]] = []
    for before, name in zip(("", *names), names, strict=False):
        calls += [("", (gaps or {}).get((before, name), 5)), (name, us if name.startswith("quantized") else 20)]
    return sequence([calls] * 6)


A = ("aten::gru", "aten::linear", "aten::relu", "aten::gru", "aten::linear", "aten::argmax")
B = tuple(name.replace("aten::linear", "quantized::linear") for name in A)
SLOW = {("aten::gru", "quantized::linear"): 25, ("quantized::linear", "aten::relu"): 15}


def findings(one: TraceBuilder, two: TraceBuilder) -> list[Finding]:
    return list(compare(one, two).findings)


def test_a_faster_operator_called_by_slower_code_is_the_cause() -> None:
    """Two calls take 5 µs less each; the code around them takes 2 x 20 + 10 µs more."""
    (found,) = findings(program(*A), program(*B, us=15, gaps=SLOW))
    assert found.sentence == (
        "Operator replaced: +40.0 µs per step (−10.0 µs in the calls, +50.0 µs untraced host time around them); "
        "2 aten::linear → 2 quantized::linear."
    )


def test_swapping_the_sides_negates_the_finding() -> None:
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


@pytest.mark.parametrize("few", [1, 2])
def test_code_around_many_more_short_calls_is_theirs(few: int) -> None:
    """Ten more calls of 1 µs, each after 15 µs of Python code: an average over parameters. With two calls, both sides
    have such code between them."""

    def averaged(number: int) -> TraceBuilder:
        return sequence([[("aten::mm", 300), *[("", 15), ("aten::lerp_", 1)] * number, ("aten::sum", 20)]] * 6)

    few_many = averaged(few), averaged(few + 10)
    for (found,), word, sign in ((findings(*few_many), "More", "+"), (findings(*few_many[::-1]), "Fewer", "−")):
        gaps = f"{sign}150 µs of it untraced host time around the calls"
        assert found.sentence.startswith(f"{word} calls: {sign}160 µs per step, {gaps}")


@pytest.mark.parametrize(("pause_us", "is_theirs"), [(30, True), (3000, False)])
def test_a_pause_much_longer_than_the_operators_is_untraced_time(pause_us: int, is_theirs: bool) -> None:
    two = program(*A[:3], "quantized::new", *A[3:], gaps={("quantized::new", "aten::gru"): pause_us})
    rules = {found.rule for found in findings(program(*A), two)}
    assert ("unrecorded_time" not in rules) is is_theirs


def test_no_place_is_named_for_what_another_cause_leaves() -> None:
    """The largest gaps belong to the replaced operators; the rest is spread."""
    others = {("aten::relu", "aten::gru"): 30, ("", "aten::gru"): 30}
    replaced, rest = findings(program(*A), program(*B, us=15, gaps=SLOW | others))
    assert (replaced.rule, rest.rule) == ("operator_replaced", "unrecorded_time")
    assert rest.sentence.startswith("Remaining untraced host time") and "mostly" not in rest.sentence


FIRST, SECOND, THIRD = pairwise(A[:4])
EVERY = ("", "aten::gru"), FIRST, SECOND, THIRD, ("aten::gru", "aten::argmax")


@pytest.mark.parametrize(
    ("gaps", "place"),
    [
        ({FIRST: 105}, "; mostly between aten::gru and aten::linear."),
        ({FIRST: 105, SECOND: 75}, "; mostly between aten::gru and aten::linear."),
        ({FIRST: 75, SECOND: 105}, "; mostly between aten::linear and aten::relu."),
        ({FIRST: 85, SECOND: 75, THIRD: 70}, "; mostly between aten::gru and aten::relu."),
        (dict.fromkeys(EVERY, 80), "."),
    ],
    ids=["one", "first of two", "second of two", "two in a row", "spread"],
)
def test_the_place_of_most_untraced_time_is_named(gaps: dict[tuple[str, str], int], place: str) -> None:
    names = (*A[:3], "aten::gru", "aten::argmax")
    plain, slow = program(*names), program(*names, gaps=gaps)
    for sides in ((plain, slow), (slow, plain)):
        (finding,) = findings(*sides)
        assert finding.rule == "unrecorded_time"
        assert finding.sentence.rpartition(")")[2] == place
