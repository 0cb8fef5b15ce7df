"""Untraced time that differs from capture to capture hides what more calls or larger inputs cost; those are counted."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.pace.counted_work import CountedWork, counted_work
from tb_perfcompare.comparison.result.headline import Basis, Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

OPTIONS = CompareOptions(resamples=200)
OPERATORS = {f"aten::op{number:02}": 400 + 60 * number for number in range(12)}
GAPS = (50, 800, 400)
"""Untraced µs in a step of each capture: a few percent of it."""


Rows = int | tuple[int, int]
"""Of one operator's input in each step, or in even and odd ones."""


def capture(span: int, gap: int, sorts: int, rows: Rows) -> Summary:
    """Eight steps of the operators, `sorts` others of 100 µs, and `rows` in the inputs of one, which takes 300 µs more
    for more than usual."""
    of_step = rows if isinstance(rows, tuple) else (rows, rows)
    trace, at = TraceBuilder(), 0
    for number in range(8):
        start = at
        for place, (name, us) in enumerate(OPERATORS.items()):
            size = of_step[number % 2] if name == "aten::op11" else 8
            length = us + (7 * number + 5 * place + span) % 5 + (300 if size > 9 else 0)
            trace.op(name, at, at + length, dims=[[size, place + 1]])
            at += length
        for _ in range(sorts):
            trace.op("aten::sort", at, at + 100, dims=[[4]])
            at += 100
        at += gap
        trace.step(number, start, at)
    made = summary(trace, worker="worker0", span=str(span))
    file = replace(made.captures[0].file, sha256=f"{span} {gap} {sorts} {rows}")
    return replace(made, captures=(replace(made.captures[0], file=file),))


def sides(sorts: tuple[int, ...], rows: Rows = 8) -> tuple[Summary, Summary]:
    """Alternating captures; so many calls of aten::sort in a step of each of the candidate's."""
    one = [capture(2 * at, gap, 0, 8) for at, gap in enumerate(GAPS)]
    other = [
        capture(2 * at + 1, gap, more, rows)
        for at, (gap, more) in enumerate(zip((GAPS[1] + 60, *GAPS[::2]), sorts, strict=True))
    ]
    return pool(one), pool(other)


@cache
def headline(*sorts: int, rows: Rows = 8, swapped: bool = False) -> Headline:
    pair = sides(sorts, rows)
    return compare_summaries(*(pair[::-1] if swapped else pair), OPTIONS).headline


def test_they_decide_what_times_leave_open() -> None:
    found = headline(3, 3, 3)
    assert found.program is not None and found.counted is not None
    assert found.program.verdict is Verdict.INCONCLUSIVE
    assert (found.verdict, found.basis) == (Verdict.PROBABLY_SLOWER, Basis.PROGRAM)
    assert found.sentence == "Probably slower: 3 more operator calls per step, +3.4 %."
    undisturbed = sum(OPERATORS.values()) + min(GAPS)
    assert found.counted.change == pytest.approx(300 / undisturbed, abs=0.001)
    (text,) = [fact.text for fact in found.facts if fact.label == "Counted"]
    assert text == "the candidate does all that the baseline does, and makes 3 more operator calls per step"


def test_exchanged_sides_say_the_opposite() -> None:
    found, back = headline(3, 3, 3), headline(3, 3, 3, swapped=True)
    assert found.counted is not None and back.counted is not None
    assert back.verdict is Verdict.PROBABLY_FASTER
    assert back.sentence == "Probably faster: 3 fewer operator calls per step, −3.3 %."
    assert back.counted.calls == -found.counted.calls
    assert 1 + back.counted.change == pytest.approx(1 / (1 + found.counted.change))


def test_the_same_calls_leave_it_open() -> None:
    assert headline(0, 0, 0).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("sorts", "rows"), [((1, 1, 1), 8), ((3, 3, 3), 9), ((3, 4, 3), 8)],
    ids=["far less than captures differ", "other input shapes", "another number in each capture"],
)  # fmt: skip
def test_other_counts_do_not_decide(sorts: tuple[int, ...], rows: int) -> None:
    found = headline(*sorts, rows=rows)
    assert (found.verdict, found.counted) == (Verdict.INCONCLUSIVE, None)


def test_larger_inputs_of_the_same_operators_decide() -> None:
    found, back = headline(0, 0, 0, rows=64), headline(0, 0, 0, rows=64, swapped=True)
    assert found.counted is not None
    assert (found.verdict, found.counted.calls) == (Verdict.PROBABLY_SLOWER, None)
    assert found.sentence == "Probably slower: the same operators on 85 % more input."
    share = OPERATORS["aten::op11"] / sum(OPERATORS.values())
    assert found.counted.change == pytest.approx(share * (64 / 8 - 1), abs=0.01)
    assert back.sentence == "Probably faster: the same operators on 54 % of the input."


@pytest.mark.parametrize("rows", [7, (64, 80)], ids=["one is smaller", "they change from step to step"])
def test_other_inputs_do_not_decide(rows: Rows) -> None:
    found = headline(0, 0, 0, rows=rows)
    assert (found.verdict, found.counted) == (Verdict.INCONCLUSIVE, None)


def test_times_that_decide_are_asked_first() -> None:
    found = headline(40, 40, 40)
    assert (found.verdict, found.counted) == (Verdict.SLOWER, None)


def test_of_steps_that_have_nothing_in_common_nothing_is_counted() -> None:
    traces = [TraceBuilder(), TraceBuilder()]
    for length, trace in enumerate(traces, 90):
        for number in range(3):
            trace.op(f"aten::op{number}", 100 * number, 100 * number + length, dims=[[8]])
            trace.step(number, 100 * number, 100 * number + length)
    found = compare_summaries(*map(summary, traces), OPTIONS).headline
    assert (found.delta, found.counted) == (1, None)


@pytest.mark.parametrize(("shown", "verdict"), [(0.03, Verdict.PROBABLY_SLOWER), (0.01, None)])
def test_times_that_have_no_room_for_all_that_calls_make_show_a_quarter_of_it(
    shown: float, verdict: Verdict | None
) -> None:
    calls = CountedWork(0.075, "operator calls", 27)
    assert calls.verdict((shown, -0.02, 0.06), OPTIONS) is verdict


def test_an_interval_with_room_for_them_need_not_show_as_much() -> None:
    assert CountedWork(0.075, "operator calls", 27).verdict((0.01, -0.06, 0.08), OPTIONS) is Verdict.PROBABLY_SLOWER


def test_inputs_of_compiled_regions_are_not_counted() -> None:
    """Where graphs break, regions are cut otherwise and have other inputs."""

    def counted(name: str) -> CountedWork | None:
        made = []
        for size in (8, 16):
            trace = TraceBuilder(vendor="cpu")
            for number in range(8):
                trace.step(number, 1000 * number, 1000 * number + 900)
                trace.op(name, 1000 * number, 1000 * number + 800, dims=[[size, 8]])
            made.append(summary(trace))
        return counted_work((made[0], made[1]), (observations(made[0]), observations(made[1])))

    assert counted("aten::mm") is not None
    assert counted("CompiledFunction") is None
