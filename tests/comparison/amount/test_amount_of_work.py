"""Steps of random length are compared at equal amount of work."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork, amount_of_work, follows
from tb_perfcompare.comparison.judged import judge_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import AmountFacts, Basis, Headline, Part, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.verdict.equal_amount import by_amount
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import assert_finite, capture, compare, rows_of, rules_of, sequence

Calls = list[tuple[Any, ...]]
Lengths = tuple[int, int]
PACES = (1.0, 1.4, 0.8), (1.2, 0.9, 1.5)
"""How long the same work takes in each capture: far apart within both sides."""


def request(
    tokens: int, pace: float, noise: random.Random, *, layers: int = 3, more: float = 0, slower: float = 1
) -> Calls:
    """A request: a prompt, then tokens one after another; `more` µs of another operator for each, one `slower`."""

    def us(usual: float) -> float:
        return round(usual * pace * noise.uniform(0.98, 1.02), 1)

    calls: Calls = [("aten::embedding", us(200), [[500, 8], [32]])]
    for token in range(tokens):
        for _ in range(layers):
            calls += [("aten::mm", us(60), [[8, 8], [8, 8]]), ("aten::gelu", us(25 * slower), [[8, 8]])]
            calls += [("aten::add", us(15), [[8, 8], [8, 8]]), ("aten::cat", us(20), [[8 * token + 8]])]
        calls += [("aten::argmax", us(20), [[500]])]
        calls += [("aten::pow", us(more), [[8]])] if more else []
    return [*calls, ("", us(150))]


def batch(length: int, pace: float, noise: random.Random, *, wide: int = 8, **_: Any) -> Calls:
    """A training step on a batch of this length."""

    def us(usual: float) -> float:
        return round((40 + usual * length) * pace * noise.uniform(0.98, 1.02), 1)

    return [
        ("aten::embedding", us(1), [[500, 8], [4, length]]),
        *[("aten::mm", us(4 * wide / 8), [[4 * length, 8], [8, wide]]), ("aten::gelu", us(2), [[4, length, 8]])] * 4,
        ("aten::sum", us(1), [[4, length]]), ("", 150),
    ]  # fmt: skip


@cache
def recorded(
    side: int, lengths: Lengths, steps: int = 14, of: Callable[..., Calls] = request, **changes: Any
) -> Summary:
    """Three captures of a side, made once."""
    captures = []
    for number, pace in enumerate(PACES[side]):
        noise = random.Random(31 * number + 7 * side + 1)
        drawn = [of(noise.randint(*lengths), pace, noise, **changes) for _ in range(steps)]
        captures.append(capture(sequence(drawn), str(2 * number + (side + number) % 2)))
    return pool(captures)


@cache
def pair(longer: Lengths = (4, 24), swapped: bool = False, **changes: Any) -> Comparison:
    sides = recorded(0, (4, 24)), recorded(1, longer, **changes)
    return compare(*(sides[::-1] if swapped else sides))


def parts(headline: Headline) -> tuple[AmountFacts, Part, Part]:
    assert headline.amount is not None and headline.program is not None and headline.machine is not None
    return headline.amount, headline.program, headline.machine


def found(baseline: Summary, candidate: Summary) -> AmountOfWork:
    amount = amount_of_work((baseline, candidate))
    assert amount is not None
    return amount


def test_equal_programs_have_a_narrow_interval_whatever_the_lengths_and_the_machine() -> None:
    headline = pair().headline
    amount, program, _ = parts(headline)
    assert headline.recorded is not None and headline.recorded.high is not None
    assert headline.recorded.high > 0.5
    assert (headline.verdict.way, headline.basis) == (0, Basis.PROGRAM)
    assert program.low < 0 < program.high < 0.03
    assert program.low > -0.03
    assert amount.low < 0 < amount.high
    assert (amount.operator, amount.of) == ("aten::argmax", "calls")


def test_what_each_token_takes_more_is_the_program() -> None:
    headline = pair(more=42).headline
    _, program, _ = parts(headline)
    token = 3 * (60 + 25 + 15 + 20) + 20
    steps_at = 14 * token + 350
    assert headline.verdict is Verdict.SLOWER
    assert program.estimate == pytest.approx(14 * 42 / steps_at, abs=0.02)


def test_longer_requests_are_more_work_and_not_the_program() -> None:
    headline = pair(longer=(12, 40)).headline
    amount, program, _ = parts(headline)
    assert (headline.verdict, headline.basis) == (Verdict.SLOWER, Basis.AMOUNT)
    assert amount.estimate == pytest.approx(amount.candidate / amount.baseline - 1)
    assert program.low < 0 < program.high
    assert headline.sentence.startswith("Slower: ") and " more work per step, +" in headline.sentence
    (line,) = [fact.text for fact in headline.facts if fact.label == "Amount of work"]
    assert "by calls of aten::argmax per step, p " in line


def test_swapped_sides_have_the_opposite_figures() -> None:
    there, back = pair(longer=(12, 40), more=42).headline, pair(longer=(12, 40), more=42, swapped=True).headline
    figures = [
        [(part.estimate, part.low, part.high) for part in (amount, program, machine)]
        for amount, program, machine in map(parts, (there, back))
    ]
    for (estimate, low, _), (opposite, _, high) in zip(*figures, strict=True):
        assert 1 + estimate == pytest.approx(1 / (1 + opposite))
        assert 1 + low == pytest.approx(1 / (1 + high))
    assert there.verdict.way == -back.verdict.way == 1


def test_a_run_against_itself_is_the_same() -> None:
    side = recorded(0, (4, 24))
    headline = judge_summaries(side, side, CompareOptions()).headline
    assert headline.verdict is Verdict.SAME
    assert headline.amount is None or headline.amount.estimate == 0


def test_more_layers_for_each_token_are_the_program_although_most_calls_grow_alike() -> None:
    headline = pair(layers=6).headline
    assert headline.amount is not None
    assert headline.amount.operator == "aten::argmax"
    assert headline.amount.low < 0 < headline.amount.high
    assert headline.verdict is Verdict.SLOWER and headline.basis is not Basis.AMOUNT


def test_batches_of_any_length_are_compared_by_the_elements_of_their_inputs() -> None:
    headline = compare(recorded(0, (16, 160), of=batch), recorded(1, (16, 160), of=batch)).headline
    amount, program, _ = parts(headline)
    assert (amount.operator, amount.of) == ("aten::sum", "input elements")  # without weights among its inputs
    assert program.low < 0 < program.high < 0.04


def test_steps_that_differ_in_a_second_size_are_compared_as_recorded() -> None:
    assert amount_of_work((recorded(0, (16, 160), of=batch), recorded(1, (16, 160), of=batch, wide=16))) is None


def test_few_steps_show_no_amount() -> None:
    three, two = ((recorded(0, (4, 24), steps), recorded(1, (4, 24), steps)) for steps in (3, 2))
    assert amount_of_work(three) is not None
    assert amount_of_work(two) is None


def test_equal_steps_have_no_amount() -> None:
    assert amount_of_work((recorded(0, (9, 9)), recorded(1, (9, 9)))) is None


def test_an_amount_that_explains_little_is_none() -> None:
    def anyhow(run: Summary, seed: int) -> Summary:
        times = np.random.default_rng(seed).integers(5_000_000, 90_000_000, len(run.steps))
        return replace(run, steps=replace(run.steps, total_ns=times))

    one, other = recorded(0, (4, 24)), recorded(1, (4, 24))
    assert amount_of_work((one, other)) is not None
    assert amount_of_work((anyhow(one, 1), anyhow(other, 2))) is None


def test_sides_without_a_common_amount_are_compared_as_recorded() -> None:
    assert amount_of_work((recorded(0, (2, 8)), recorded(1, (40, 80)))) is None


def test_nothing_is_extrapolated_to_amounts_that_few_steps_of_a_side_have() -> None:
    assert amount_of_work((recorded(0, (4, 24)), recorded(1, (18, 44)))) is not None
    assert amount_of_work((recorded(0, (4, 24)), recorded(1, (21, 44)))) is None


def test_work_that_half_of_the_steps_have_is_no_amount() -> None:
    def sometimes(tokens: int, pace: float, noise: random.Random, **_: Any) -> Calls:
        return request(tokens if tokens % 2 else 0, pace, noise)

    assert amount_of_work((recorded(0, (4, 24), of=sometimes), recorded(1, (4, 24), of=sometimes))) is None


def test_little_work_that_varies_is_no_amount() -> None:
    def mostly_alike(tokens: int, pace: float, noise: random.Random, **_: Any) -> Calls:
        return [("aten::bmm", round(9000 * pace, 1), [[8]])] * 4 + request(tokens, pace, noise)

    one, other = (recorded(side, (4, 24), of=mostly_alike) for side in (0, 1))
    assert amount_of_work((one, other)) is None


def test_a_short_step_of_much_work_keeps_a_time_above_zero() -> None:
    amount = found(recorded(0, (4, 24)), recorded(1, (4, 24)))
    times = [side.astype(float) * 100 for side in amount.amounts]
    most = int(amount.amounts[0].argmax())
    times[0][most] = 10.0
    moved = amount.at_level((times[0], times[1]))
    assert moved[0][most] == pytest.approx(10 * amount.level / amount.amounts[0][most] / 2)


def test_steps_need_no_marks() -> None:
    one, other = (replace(recorded(side, (4, 24)), marked=False) for side in (0, 1))
    headline = judge_summaries(one, other, CompareOptions()).headline
    assert headline.amount is not None and headline.program is not None


def test_more_work_by_chance_is_called_so_and_is_no_other_workload() -> None:
    calls = pair(longer=(6, 24)).findings
    assert [(one.rule, one.confidence.partition(" (")[0]) for one in calls] == [
        ("more_calls", "within the spread of the steps' lengths")
    ]
    larger = compare(recorded(0, (16, 160), of=batch), recorded(1, (30, 170), of=batch))
    assert larger.headline.amount is not None and not larger.headline.amount.differs
    assert larger.headline.amount.low < 0 < larger.headline.amount.high and larger.headline.amount.estimate > 0.05
    assert "workload_changed" not in rules_of(larger)


def test_more_work_than_the_lengths_vary_by_is_told_even_if_it_is_not_clear() -> None:
    """A schedule of lengths that ends higher, in one capture of a dozen steps per side."""
    one, two = (
        sequence([batch(16 + most * step // 11, 1, random.Random(step)) for step in range(12)]) for most in (48, 94)
    )
    for sides, way in (((one, two), 1), ((two, one), -1)):
        found = compare(*sides)
        amount = found.headline.amount
        assert amount is not None and not amount.differs and way * amount.low > 0 < way * amount.high
        (finding,) = (one for one in found.findings if one.rule == "workload_changed")
        assert finding.change_us * way > 0 and "; with few steps, inputs may differ by chance" in finding.confidence


def verdict_by(**changes: Any) -> tuple[Verdict, Basis]:
    """What the amounts make of an open verdict on requests that are clearly longer."""
    headline = replace(pair(longer=(12, 40)).headline, verdict=Verdict.INCONCLUSIVE, basis=Basis.PROGRAM)
    assert headline.amount is not None and headline.recorded is not None and headline.program is not None
    headline = replace(
        headline,
        amount=replace(headline.amount, differs=changes.get("differs", True)),
        recorded=replace(headline.recorded, verdict=changes.get("recorded", Verdict.INCONCLUSIVE)),
        program=replace(headline.program, low=changes.get("low", headline.program.low)),
        verdict=changes.get("verdict", Verdict.INCONCLUSIVE),
    )
    decided = by_amount(headline, CompareOptions())
    return decided.verdict, decided.basis


OPEN, MORE_WORK = (Verdict.INCONCLUSIVE, Basis.PROGRAM), (Verdict.SLOWER, Basis.AMOUNT)


def test_amounts_decide_where_they_exceed_all_that_the_program_may_save() -> None:
    assert verdict_by() == MORE_WORK
    assert verdict_by(low=-0.6) == OPEN


def test_amounts_decide_where_the_step_as_recorded_agrees() -> None:
    assert verdict_by(low=-0.6, recorded=Verdict.SLOWER) == MORE_WORK
    assert verdict_by(low=-0.6, recorded=Verdict.FASTER) == OPEN


def test_amounts_that_may_differ_by_chance_decide_nothing() -> None:
    assert verdict_by(differs=False) == OPEN


def test_a_direction_of_the_program_stays() -> None:
    assert verdict_by(verdict=Verdict.FASTER) == (Verdict.FASTER, Basis.PROGRAM)


def test_a_side_whose_steps_are_equal_has_no_amount() -> None:
    assert amount_of_work((recorded(0, (4, 24)), recorded(1, (9, 9)))) is None


def test_captures_left_out_are_judged_at_equal_amount_too() -> None:
    assert "unchanged when dropping" in pair(more=42).headline.sensitivity


def test_the_same_work_is_shown_per_call() -> None:
    rows = rows_by_name_of(pair())
    row = rows["aten::mm"]
    assert row["work"] == pytest.approx(3 * rows["aten::argmax"]["work"])
    assert row["baseline_us"] == pytest.approx(60 * math.prod(PACES[0]) ** (1 / 3), rel=0.02)


def rows_by_name_of(comparison: Comparison) -> dict[str, dict[str, Any]]:
    table = comparison.tables["common_work"]
    return {str(row[1]): dict(zip(table.places, row, strict=True)) for row in table.rows}


def test_the_answer_is_finite() -> None:
    assert_finite(pair(longer=(12, 40)))


def test_step_times_at_equal_amount_no_longer_depend_on_it() -> None:
    amount = found(recorded(0, (4, 24)), recorded(1, (4, 24)))
    for times, amounts, at in zip(amount.times_ns, amount.amounts, amount.captures, strict=True):
        for which in (0, 1, 2):
            inside = at == which
            assert abs(np.polyfit(amounts[inside], times[inside] / times[inside].mean(), 1)[0]) < 1e-3


@pytest.mark.parametrize(
    ("values", "is_function"),
    [
        ([3.0, 5, 7, 9, 11, 13], True),
        ([1.0, 4, 9, 16, 25, 36], True),
        ([7.0, 7, 7, 7, 7, 7], True),
        ([3.0, 5, 7, 18, 22, 26], False),
    ],
)
def test_calls_that_are_a_line_or_a_parabola_are_the_same_work(values: list[float], is_function: bool) -> None:
    amounts = np.array([1.0, 2, 3, 4, 5, 6])
    assert follows(np.array([values]), amounts).tolist() == [is_function]


def test_captures_with_amounts_of_their_own_do_not_clearly_differ() -> None:
    """All steps of one side are longer, as its three captures happen to be."""
    capture = np.repeat([0, 1, 2], 8).astype(np.int32)
    wave = np.tile([0.0, 1.0], 12)
    sides = np.repeat([10.0, 20, 30], 8) + wave, np.repeat([16.0, 27, 38], 8) + wave
    times = np.ones(24, dtype=np.int64), np.ones(24, dtype=np.int64)
    facts = AmountOfWork("aten::mm", "calls", sides, (capture, capture), 24.0, times, 1.0).facts(times, 0.05)
    assert facts.estimate == pytest.approx(27.5 / 20.5 - 1) and facts.low < 0
    assert not facts.differs
    one = np.zeros(24, dtype=np.int32)
    assert AmountOfWork("aten::mm", "calls", sides, (one, one), 24.0, times, 1.0).facts(times, 0.05).differs


def test_interruptions_are_the_machine_and_not_the_program() -> None:
    def interrupted(tokens: int, pace: float, noise: random.Random, *, often: float = 0.0) -> Calls:
        calls = request(tokens, pace, noise)
        return [(name, us + (noise.random() < often) * 900, *shapes) for name, us, *shapes in calls]

    one, other = (recorded(side, (4, 24), of=interrupted, often=0.03 * side) for side in (0, 1))
    _, program, machine = parts(judge_summaries(one, other, CompareOptions()).headline)
    assert machine.estimate > 0.3
    assert program.low < 0 < program.high
    assert program.high - program.low < 0.06  # operator by operator it would be 0.08


def test_the_part_in_time_and_the_rest_make_up_the_mean_as_recorded() -> None:
    one, other = recorded(0, (4, 24)), recorded(1, (12, 40))
    amount = found(one, other)
    times = one.steps.total_ns.astype(float), other.steps.total_ns.astype(float)
    rest = amount.times_ns[1].mean() / amount.times_ns[0].mean()
    in_time = 1 + amount.facts(times, 0.05).in_time
    assert in_time * rest == pytest.approx(times[1].mean() / times[0].mean())


def test_operators_are_tested_at_equal_amount() -> None:
    """Requests twice as long take all operators longer as recorded; one, here, takes longer for each token."""
    rows = rows_of(pair(longer=(12, 40), slower=1.5).tables["operators"])
    changed = {name for name, row in rows.items() if row["change"] not in ("cannot tell", "unchanged")}
    assert changed == {"aten::gelu"}
    assert all(row["delta_us"] > 0.5 * row["baseline_us"] for name, row in rows.items() if name != "aten::embedding")


def test_rows_of_few_steps_stay_as_they_are() -> None:
    sides = recorded(0, (4, 24)), recorded(1, (4, 24))
    amount = found(*sides)
    rare = [np.where(np.arange(len(side)) % 3 == 0, 10 * side, 0).astype(np.int64)[None, :] for side in amount.amounts]
    often = [(10 * side).astype(np.int64)[None, :] for side in amount.amounts]
    for one, moved in zip(amount.rows_at_level((rare[0], rare[1])), rare, strict=True):
        assert (one == moved).all()
    for one in amount.rows_at_level((often[0], often[1])):
        assert one[0] == pytest.approx(np.full(len(one[0]), 10 * amount.level), rel=0.01)
