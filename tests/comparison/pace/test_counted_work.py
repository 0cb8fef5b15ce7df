"""Counted calls and inputs decide when untraced time varies too much between captures."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.pace.counted_work import CountedWork, counted_work
from tb_perfcompare.comparison.result.headline import Basis, Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import capture, judge, sequence

OPTIONS = CompareOptions(resamples=200)
OPERATORS = {f"aten::op{number:02}": 400 + 60 * number for number in range(12)}
GAPS = (50, 800, 400)
"""Untraced µs in a step of each capture: a few percent of it."""


Rows = int | tuple[int, int]
"""Hundred thousands of one operator's input in each step, or in even and odd ones."""


@cache
def recorded(span: int, gap: int, sorts: int, rows: Rows) -> Summary:
    """Eight steps of the operators, of `sorts` others of 100 µs and of `gap` untraced µs. The last operator has `rows`
    and takes 300 µs more if they are more than nine."""
    of_step = rows if isinstance(rows, tuple) else (rows, rows)
    steps = []
    for number in range(8):
        calls: list[tuple[Any, ...]] = []
        for place, (name, us) in enumerate(OPERATORS.items()):
            size = of_step[number % 2] if name == "aten::op11" else 8
            us += (7 * number + 5 * place + span) % 5 + (300 if size > 9 else 0)
            calls.append((name, us, [[100_000 * size, place + 1]]))
        steps.append([*calls, *[("aten::sort", 100, [[4]])] * sorts, ("", gap)])
    return capture(sequence(steps), str(span))


def sides(sorts: tuple[int, ...], rows: Rows = 8) -> tuple[Summary, Summary]:
    """Alternating captures; `sorts` are calls of aten::sort per step in each capture of the candidate."""
    one = [recorded(2 * at, gap, 0, 8) for at, gap in enumerate(GAPS)]
    other = [
        recorded(2 * at + 1, gap, more, rows)
        for at, (gap, more) in enumerate(zip((GAPS[1] + 60, *GAPS[::2]), sorts, strict=True))
    ]
    return pool(one), pool(other)


@cache
def headline(*sorts: int, rows: Rows = 8, swapped: bool = False) -> Headline:
    pair = sides(sorts, rows)
    return judge(*(pair[::-1] if swapped else pair)).headline


def test_more_calls_decide_an_inconclusive_pair() -> None:
    found = headline(3, 3, 3)
    assert found.program is not None and found.counted is not None
    assert found.program.verdict is Verdict.INCONCLUSIVE
    assert (found.verdict, found.basis) == (Verdict.PROBABLY_SLOWER, Basis.PROGRAM)
    assert found.sentence == "Probably slower: 3 more operator calls per step."
    uninterrupted = sum(OPERATORS.values()) + min(GAPS)
    assert found.counted.change == pytest.approx(300 / uninterrupted, abs=0.001)
    (text,) = [fact.text for fact in found.facts if fact.label == "Counted"]
    assert text == "the candidate runs every operator of the baseline as often"


def test_one_more_call_decides_although_captures_differ_far_more() -> None:
    assert headline(1, 1, 1).sentence == "Probably slower: 1 more operator call per step."


@pytest.mark.parametrize(("steps", "counted"), [((5,), False), (range(5), True)])
def test_calls_of_one_step_are_no_work_of_the_program(steps: Iterable[int], counted: bool) -> None:
    """A validation, as against a layer."""
    def program(further: Iterable[int]) -> Summary:
        calls = [(name, us, [[100_000, place + 1]]) for place, (name, us) in enumerate(OPERATORS.items())]
        return summary(sequence(
            [*calls, *[("aten::op05", 700, [[100_000, 6]])] * 6 * (number in further)] for number in range(8)
        ))  # fmt: skip

    pair = program(()), program(steps)
    samples = tuple(map(observations, pair))
    assert (counted_work(pair, (samples[0], samples[1]), "operators_by_shape") is not None) == counted


def test_swapped_sides_have_the_opposite_verdict() -> None:
    found, back = headline(3, 3, 3), headline(3, 3, 3, swapped=True)
    assert found.counted is not None and back.counted is not None
    assert back.verdict is Verdict.PROBABLY_FASTER
    assert back.sentence == "Probably faster: 3 fewer operator calls per step."
    assert back.counted.calls == -found.counted.calls
    assert 1 + back.counted.change == pytest.approx(1 / (1 + found.counted.change))


def test_the_same_calls_are_inconclusive() -> None:
    assert headline(0, 0, 0).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("sorts", "rows"), [((3, 3, 3), 7), ((3, 4, 3), 8)], ids=["smaller inputs", "another number in each capture"]
)
def test_ambiguous_counts_do_not_decide(sorts: tuple[int, ...], rows: int) -> None:
    found = headline(*sorts, rows=rows)
    assert (found.verdict, found.counted) == (Verdict.INCONCLUSIVE, None)


def test_more_calls_decide_on_larger_inputs_too() -> None:
    found, back = headline(3, 3, 3, rows=9), headline(3, 3, 3, rows=9, swapped=True)
    assert (found.verdict, back.verdict) == (Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER)
    assert found.sentence == "Probably slower: 3 more operator calls per step and more input."
    assert back.sentence == "Probably faster: 3 fewer operator calls per step and less input."
    (text,) = [fact.text for fact in found.facts if fact.label == "Counted"]
    assert text.endswith("as often, none on smaller inputs")


def counted_of(*steps: list[tuple[Any, ...]], operators: str = "operators_by_shape") -> CountedWork | None:
    """Counted work of two sides of eight equal steps each."""
    made = [summary(sequence([calls] * 8, vendor="cpu")) for calls in steps]
    return counted_work((made[0], made[1]), (observations(made[0]), observations(made[1])), operators)


@pytest.mark.parametrize(("further", "each_us", "more"), [(1, 100, 1), (3, 90, 3), (1, 50, None)], ids=str)
def test_without_input_shapes_additional_calls_have_to_be_as_long(further: int, each_us: int, more: int | None) -> None:
    """Shorter ones may be parts of the others."""
    loop, longer = [("aten::mm", 100)], [("aten::mm", each_us)] * (1 + further)
    one, two = ([("aten::conv2d", 300), *calls] for calls in (loop, longer))
    counted, back = counted_of(one, two, operators=""), counted_of(two, one, operators="")
    assert (counted and counted.calls, back and back.calls) == (more, more and -more)


@pytest.mark.parametrize(("conv_us", "more"), [(230, 3), (100, None)], ids=str)
def test_without_input_shapes_other_calls_may_vary_by_a_quarter_of_the_added_ones(
    conv_us: int, more: int | None
) -> None:
    one, two = [("aten::conv2d", 300), ("aten::mm", 100)], [("aten::conv2d", conv_us), *[("aten::mm", 100)] * 4]
    counted = counted_of(one, two, operators="")
    assert (counted and counted.calls) == more


@pytest.mark.parametrize("devices", [0, 1])
def test_without_input_shapes_calls_decide_if_no_device_does_the_work(devices: int) -> None:
    def without(side: Summary) -> Summary:
        named = {name: table for name, table in side.groups.items() if name == "operators"}
        device = replace(side.device, count=devices)
        return replace(side, groups=named, device=device, other_window=side.steps.total_ns)

    one, two = map(without, sides((5, 5, 5)))
    found, back = judge(one, two), judge(two, one)
    assert found.in_other_window is not None
    verdicts = found.headline.verdict, found.in_other_window.verdict, back.headline.verdict
    decided = Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER
    assert verdicts == ((Verdict.INCONCLUSIVE,) * 3 if devices else decided)


SOME, MASK = [64, 1000], [640, 1000]


@pytest.mark.parametrize("larger", [1, 2])
def test_a_new_operand_makes_no_input_larger(larger: int) -> None:
    """A mask of ten times the size of the query, filled by new calls."""
    query = [64 * larger, 1000]
    plain = [("aten::attention", 900, [SOME, []]), ("aten::fill_", 10, [SOME])]
    masked = [("aten::attention", 900, [query, MASK]), ("aten::fill_", 10, [SOME]), ("aten::fill_", 90, [MASK])]
    counted, back = counted_of(plain, masked), counted_of(masked, plain)
    assert counted is not None and back is not None and back.log == -counted.log
    assert (counted.calls or math.exp(counted.inputs or 0)) == pytest.approx(larger, abs=0.1)


def test_the_same_work_in_more_calls_is_not_more() -> None:
    """Two calls on halves, and a product on a third more rows."""
    whole = [("aten::mul", 500, [[64, 1000]]), ("aten::mm", 500, [[64, 1000]])]
    halves = [*[("aten::mul", 250, [[32, 1000]])] * 2, ("aten::mm", 500, [[86, 1000]])]
    assert counted_of(whole, halves) is None


def test_larger_inputs_of_the_same_operators_decide() -> None:
    found, back = headline(0, 0, 0, rows=64), headline(0, 0, 0, rows=64, swapped=True)
    assert found.counted is not None
    assert (found.verdict, found.counted.calls) == (Verdict.PROBABLY_SLOWER, None)
    assert found.sentence == "Probably slower: the same operators on 85 % more input."
    share = OPERATORS["aten::op11"] / sum(OPERATORS.values())
    assert found.counted.change == pytest.approx(share * (64 / 8 - 1), abs=0.01)
    assert back.sentence == "Probably faster: the same operators on 54 % of the input."


@pytest.mark.parametrize("rows", [7, (64, 80)], ids=["one is smaller", "they change from step to step"])
def test_ambiguous_inputs_do_not_decide(rows: Rows) -> None:
    found = headline(0, 0, 0, rows=rows)
    assert (found.verdict, found.counted) == (Verdict.INCONCLUSIVE, None)


def test_a_single_element_that_becomes_many_hardly_counts() -> None:
    """Its operator takes 1 % of the time, most of it for the call; the product has a fifth more rows."""

    def calls(rows: int, filled: int) -> list[tuple[Any, ...]]:
        return [("aten::mm", 990, [[rows, 1000]]), ("aten::fill_", 10, [[filled]])]

    counted = counted_of(calls(1000, 1), calls(1200, 10_000))
    assert counted is not None and counted.inputs == pytest.approx(math.log(1.2), abs=0.03)


def test_decisive_times_come_before_counts() -> None:
    found = headline(40, 40, 40)
    assert (found.verdict, found.counted) == (Verdict.SLOWER, None)


def test_steps_with_nothing_in_common_are_not_counted() -> None:
    a, b = (sequence(([(f"aten::op{at}", us, [[8]])] for at in range(3)), between=100 - us) for us in (90, 91))
    found = judge(a, b).headline
    assert (found.delta, found.counted) == (1, None)


@pytest.mark.parametrize(("shown", "verdict"), [(0.03, Verdict.PROBABLY_SLOWER), (0.01, None)])
def test_times_must_show_a_quarter_of_the_counted_change(shown: float, verdict: Verdict | None) -> None:
    calls = CountedWork(0.075, "operator calls", 27)
    assert calls.verdict((shown, -0.02, 0.06), OPTIONS) is verdict


def test_an_interval_that_includes_the_counted_change_may_show_less() -> None:
    assert CountedWork(0.075, "operator calls", 27).verdict((0.01, -0.06, 0.08), OPTIONS) is Verdict.PROBABLY_SLOWER


def test_inputs_of_compiled_regions_are_not_counted() -> None:
    """Graph breaks change the inputs of regions."""

    def counted(name: str) -> CountedWork | None:
        made = []
        for size in (8, 16):
            trace = TraceBuilder(vendor="cpu")
            for number in range(8):
                trace.step(number, 1000 * number, 1000 * number + 900)
                trace.op(name, 1000 * number, 1000 * number + 800, dims=[[1000 * size, 8]])
            made.append(summary(trace))
        return counted_work((made[0], made[1]), (observations(made[0]), observations(made[1])), "operators_by_shape")

    assert counted("aten::mm") is not None
    assert counted("CompiledFunction") is None


def on_device(sorts: int) -> Summary:
    """Steps of four products and of `sorts` operators, each with a kernel that takes longer than its launch."""
    trace = TraceBuilder()
    for step in range(4):
        at, device = 1000 * step, 1000 * step + 8
        trace.step(step, at, at + 1000)
        for number, name in enumerate(["aten::mm"] * 4 + ["aten::sort"] * sorts):
            begin = at + 1 + 10 * number
            trace.op(name, begin, begin + 6, dims=[[8, 8]])
            trace.kernel(f"{name}_kernel", device, device + 60, launch=(begin + 1, begin + 5))
            device += 61
    return summary(trace)


@pytest.mark.parametrize("sorts", [(0, 2), (2, 0)])
def test_launches_are_counted_without_the_operators_that_make_them(sorts: tuple[int, int]) -> None:
    one, two = map(on_device, sorts)
    found = counted_work((one, two), (observations(one), observations(two)), "operators_by_shape")
    assert found is not None
    assert (found.noun, found.calls) == ("kernel launches", sorts[1] - sorts[0])
