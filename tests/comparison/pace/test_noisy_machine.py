"""Alternating captures of an equal and of a changed program on a machine whose pace varies."""

from __future__ import annotations

import random
from functools import cache
from statistics import median
from typing import Any

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.gate.gates import step_time
from tb_perfcompare.gate.limits import Limit
from tb_perfcompare.gate.outcome import Status
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.comparison.compare import capture, compare, finding_of, judge, rows_of, rules_of, sequence

OPERATORS = {f"aten::op{number:02}": 400 + 60 * number for number in range(12)}
UNEVEN = (0.8, 1.3, 1.05)
"""Pace of the machine in three captures."""


@cache
def recorded(span: int, pace: float, extra: int, *, shapes: bool = True, slow_step: int = -1, new: int = 0,
            gap: int = 50, uneven: int = 0, evaluates: bool = False, last: float = 1.0,
            stalls: tuple[int, ...] = ()) -> Summary:  # fmt: skip
    """Eight steps of the operators at `pace`, `extra` µs more in one of them, `new` others and `gap` untraced µs,
    `uneven` µs more in every second step; every fourth step `evaluates`, with twice the work on other shapes; all
    work takes `last` times as long in the last step. 4 ms untraced in `slow_step`, 30 ms in `stalls`."""
    steps = []
    for number in range(8):
        calls: list[tuple[Any, ...]] = []
        for place, (name, us) in enumerate(OPERATORS.items()):
            wobble = (1 + 0.004 * ((7 * number + 5 * place + span) % 5 - 2)) * (last if number == 7 else 1)
            length = round((us + (extra if name == "aten::op03" else 0)) * pace * wobble)
            calls.append((name, length, *([[[place, 8]]] if shapes else [])))
        if evaluates and number % 4 == 3:
            calls += [(name, round(2 * us * pace), [[place, 16]]) for place, (name, us) in enumerate(OPERATORS.items())]
        sort = [("aten::sort", 100 * pace, *([[[4]]] if shapes else [])), ("", round(110 * pace) - 100 * pace)]
        untraced = 4000 if number == slow_step else 30_000 if number in stalls else gap + number % 2 * uneven
        steps.append([*calls, *sort * new, ("", untraced)])
    return capture(sequence(steps), str(span))


@cache
def compared(
    extra: int, machine: float = 1.0, *, captures: int = 3, shapes: bool = True, slow_in: tuple[int, ...] = ()
) -> Comparison:
    """Alternating captures; the candidate takes `extra` µs more, on a machine `machine` times as slow."""
    paces = UNEVEN[:captures]
    one = pool([recorded(2 * at, pace, 0, shapes=shapes) for at, pace in enumerate(paces)])
    other = [
        recorded(2 * at + 1, machine * pace * 1.02, extra, shapes=shapes, slow_step=4 if at in slow_in else -1)
        for at, pace in enumerate(paces[1:] + paces[:1])
    ]
    return compare(one, pool(other))


def change_of(found: Comparison, operator: str) -> object:
    return rows_of(found.tables["operators"])[operator]["change"]


def test_equal_programs_are_the_same_and_have_no_findings() -> None:
    found = compared(0)
    assert (found.headline.verdict, found.headline.basis) == (Verdict.SAME, Basis.PROGRAM)
    assert found.headline.sentence == "Same: the program changed by less than 1 %."
    assert found.headline.recorded is not None
    assert found.headline.recorded.verdict is Verdict.INCONCLUSIVE
    assert found.findings == ()


def test_a_change_hidden_by_the_captures_is_found_in_the_step_and_its_row() -> None:
    found = compared(400)
    program = found.headline.program
    assert program is not None
    assert found.headline.verdict is Verdict.SLOWER
    truth = 400 / (sum(OPERATORS.values()) + 50)
    assert program.low <= truth <= program.high
    assert found.headline.sentence.startswith("Slower: the step takes 4.5 % longer")
    assert found.headline.sentence.endswith(", on the same inputs.")
    assert change_of(found, "aten::op03") == "slower"
    assert change_of(found, "aten::op05") != "slower"
    used = {row[1]: row[3] for row in found.tables["common_work"].rows}
    assert used["aten::op03"] == "excluded: changed on its own"
    assert used["aten::op05"] == "used"


def test_the_step_is_slower_by_the_same_work_only_if_that_makes_the_change() -> None:
    """An operator that takes 400 µs more, alone or with four new calls of 100 µs."""
    one = pool([recorded(2 * at, pace, 0) for at, pace in enumerate(UNEVEN)])
    for new, subject, share in ((0, "the step", 1.0), (4, "the program", 0.5)):
        other = pool([recorded(2 * at + 1, pace, 400, new=new) for at, pace in enumerate(UNEVEN)])
        found, back = judge(one, other).headline, judge(other, one).headline
        assert found.program is not None and back.program is not None
        assert found.program.same_work == pytest.approx(share, abs=0.1)
        assert back.program.same_work == pytest.approx(found.program.same_work)
        assert found.sentence.startswith(f"Slower: {subject} takes ")
        assert back.sentence.startswith(f"Faster: {subject} takes ")


def test_without_shapes_recorded_times_decide() -> None:
    found = compared(400, shapes=False)
    assert (found.headline.verdict, found.headline.basis) == (Verdict.INCONCLUSIVE, Basis.RECORDED)
    assert (found.headline.program, found.headline.machine) == (None, None)
    assert found.headline.unsplit == "record both sides with record_shapes=True"
    assert "common_work" not in found.tables


VIEWED, PRODUCTS = ("view", "t", "expand"), ("mm", "bmm", "addmm", "baddbmm")


def viewed(span: int, views: int, machine: float = 1.0, data: float = 1.0, calls: int = 1) -> Summary:
    """Eight steps of so many views and of products in `calls` calls each, that take `data` times as long, without
    input shapes."""
    looks = [(f"aten::{name}", 20 * machine) for name in VIEWED[:views]]
    steps = (
        [*looks, *[(f"aten::{name}", 400 * machine * data + (7 * number + span) % 5) for name in PRODUCTS] * calls]
        for number in range(8)
    )
    return capture(sequence(steps), str(span))


@pytest.mark.parametrize(
    ("views", "other", "decides"),
    [(3, (1.1, 1.0, 1), False), (2, (1.1, 1.0, 1), True), (3, (1.0, 1.1, 1), True), (3, (1.1, 0.5, 2), True)],
    ids=["slower machine", "few views", "larger inputs", "more and shorter calls"],
)
def test_without_shapes_views_show_a_slower_machine_if_calls_are_equal(
    views: int, other: tuple[float, float, int], *, decides: bool
) -> None:
    one = pool([viewed(span, views) for span in (0, 2)])
    two = pool([viewed(span, views, *other) for span in (1, 3)])
    found, back = compare(one, two).headline, judge(two, one).headline
    assert [side.verdict is not Verdict.INCONCLUSIVE for side in (found, back)] == [decides, decides]
    if not decides:
        assert found.sentence.endswith("take 10 % longer, too: the machine may have changed")
        assert "becomes" not in found.sensitivity


def test_a_slower_machine_is_the_verdict_and_the_gate_cannot_tell() -> None:
    found = compared(0, machine=4.0)
    headline = found.headline
    assert (headline.verdict, headline.basis) == (Verdict.SLOWER, Basis.MACHINE)
    assert headline.sentence == "Slower: the same work runs 4.1 times slower, by machine or thread count."
    assert rules_of(found) == ["host_pace"]
    assert "(the machine or its number of threads)" in found.findings[0].sentence
    gate = step_time(headline, Limit(fraction=0.03))
    assert gate.status is Status.CANNOT_TELL
    assert gate.sentence.startswith("cannot tell: ") and "record again" in gate.sentence
    assert step_time(headline, Limit(fraction=0.03), fail_on_machine=True).status is Status.TRIPPED


def test_steps_at_one_pace_are_alike_on_a_slower_machine() -> None:
    table = compared(0, machine=4.0).tables["steps"]
    at = {column.name: place for place, column in enumerate(table.columns)}

    def ratio(column: str) -> float:
        one, two = (
            [float(row[at[column]]) for row in table.rows if row[0] == side] for side in ("baseline", "candidate")
        )
        return median(two) / median(one)

    assert ratio("total_us") > 3.5
    assert ratio("at_one_pace_us") == pytest.approx(1, abs=0.05)
    assert "at_one_pace_us" not in [column.name for column in compared(0, shapes=False).tables["steps"].columns]


def test_a_changed_program_trips_the_gate_and_an_equal_one_passes() -> None:
    assert step_time(compared(400).headline, Limit(fraction=0.03)).status is Status.TRIPPED
    assert step_time(compared(0).headline, Limit(fraction=0.03)).status is Status.PASSED


def test_the_verdict_of_single_captures_is_about_these_two_captures() -> None:
    found = compared(400, captures=1)
    assert found.headline.sentence.startswith("Slower in these two captures: step +4.5 %")
    other = compared(0, captures=1, machine=1.5)
    assert other.headline.verdict is Verdict.INCONCLUSIVE
    assert other.headline.sentence == (
        "No change found in the program (−0.25 to 0 %), but in these captures the same work runs 1.5 times slower."
    )


def test_two_captures_of_equal_length_have_no_direction_within_the_threshold() -> None:
    """Operators are 0.8 % faster, and untraced time takes as much more."""
    sides = recorded(0, 1.0, 0), recorded(1, 0.992, 0, gap=110, uneven=40)
    found = judge(*sides).headline
    assert found.program is not None and found.program.verdict in (Verdict.SLOWER, Verdict.PROBABLY_SLOWER)
    assert (found.verdict, found.sentence) == (Verdict.INCONCLUSIVE, "No change found; at most 1.2 % slower.")


def contended(seed: int) -> Summary:
    """A capture in which other processes lengthen every call by another factor."""
    chance = random.Random(seed)
    steps = ([(name, round(us * chance.choice((1, 1, 1.2, 3))), [[place, 8]]) for place, (name, us) in
              enumerate(OPERATORS.items())] for _ in range(8))  # fmt: skip
    return summary(sequence(steps), span=str(seed))


def uneven(span: int, factors: tuple[float, ...], activation: str) -> Summary:
    """A capture whose operators take these multiples of their time in turn, in steps of uneven length."""
    chance, steps = random.Random(span), list[list[tuple[Any, ...]]]()
    for _ in range(8):
        pace = 1 + 0.25 * chance.random()
        calls = [
            (name, round(us * factors[place % len(factors)] * pace), [[place, 8]])
            for place, (name, us) in enumerate(OPERATORS.items())
        ]
        steps.append([*calls, (activation, round(900 * pace), [[99, 8]])])
    return capture(sequence(steps, vendor="cpu"), str(span))


def test_the_pace_that_the_headline_of_two_captures_names_has_a_finding() -> None:
    """The operators are faster, not all alike; one is replaced, which explains nothing of it."""
    sides = uneven(1, (1.0,), "aten::relu"), uneven(2, (0.5, 0.7, 0.9), "aten::softplus")
    found, back = compare(*sides), compare(*sides[::-1])
    assert found.headline.sentence.startswith("Inconclusive: in these captures the same work runs ")
    assert rules_of(found) == rules_of(back) == ["host_pace", "operator_replaced"]
    assert "12 operators of the same work ×0.7" in found.findings[0].sentence
    assert found.findings[0].delta_us == -(back.findings[0].delta_us or 0.0)


def test_the_mean_decides_where_only_some_steps_do_more_and_the_typical_step_is_shorter() -> None:
    one = pool([recorded(2 * at, pace, 0) for at, pace in enumerate(UNEVEN)])
    two = pool([recorded(2 * at + 1, pace, -300, evaluates=True) for at, pace in enumerate((1.3, 1.05, 0.8))])
    for sides, verdict in (((one, two), Verdict.SLOWER), ((two, one), Verdict.FASTER)):
        headline = judge(*sides).headline
        assert (headline.verdict, headline.basis) == (verdict, Basis.PROGRAM)
        assert headline.program is not None and abs(headline.program.estimate) > 0.3


def test_a_pace_with_an_interval_around_zero_is_not_in_the_headline() -> None:
    headline = judge(contended(32), contended(33)).headline
    machine = headline.machine
    assert machine is not None and machine.low < 0 < machine.high and abs(machine.estimate) > headline.margin
    assert headline.sentence.startswith("Inconclusive: the program changed by ")


def test_a_step_that_decides_at_one_pace_is_not_in_the_reason_of_recorded_times() -> None:
    sides = contended(8), recorded(8, 1.5, 0, slow_step=4)
    headline = compare(*sides).headline
    assert headline.program is not None
    assert headline.sensitivity.startswith('becomes "faster" when dropping the slowest step of each side')
    assert " without steps " not in headline.reason


@pytest.mark.parametrize(("slow_in", "rules"), [((0,), []), ((0, 1, 2), ["slow_steps"])])
def test_slow_steps_in_one_capture_are_no_finding(slow_in: tuple[int, ...], rules: list[str]) -> None:
    assert rules_of(compared(0, slow_in=slow_in))[:1] == rules


@pytest.mark.parametrize("machine", [1.0, 1.3])
def test_stalls_at_any_step_are_a_finding_at_any_pace_of_the_machine(machine: float) -> None:
    stalls = ((1, 6), (0, 3), (2, 5), (4, 7), (1, 3))
    one = pool([recorded(2 * at, 1, 0) for at in range(5)])
    two = pool([recorded(2 * at + 1, machine, 0, stalls=own) for at, own in enumerate(stalls)])
    for found in (compare(one, two), compare(two, one)):
        assert rules_of(found)[0] == "slow_steps"


def test_untraced_time_counts_next_to_operators_that_explain_little_of_it() -> None:
    """New operators, and far more Python than what is around them; other captures hide it in the recorded steps."""
    one = pool([recorded(2 * at, pace, 0) for at, pace in enumerate((1.9, 1.0, 1.2))])
    two = pool([recorded(2 * at + 1, pace, 0, gap=1500, new=4) for at, pace in enumerate((0.9, 1.1, 0.8))])
    found = compare(one, two)
    assert {"operators_changed", "unrecorded_time"} <= {*rules_of(found)}
    assert finding_of(found, "unrecorded_time").confidence.endswith("interruptions left out")


def test_steps_that_turn_the_mean_against_the_verdict_are_a_finding_behind_the_pace() -> None:
    """All work is 1.6 times slower, but the machine held one step of one baseline capture for a long time."""
    one = pool([recorded(2 * at, 1, 0, last=25.0 if at == 1 else 1.0) for at in range(3)])
    two = pool([recorded(2 * at + 1, 1.6, 0) for at in range(3)])
    for found in (compare(one, two), compare(two, one)):
        way, delta = found.headline.verdict.way, found.headline.delta
        assert delta is not None and way * delta < 0
        assert rules_of(found) == ["host_pace", "slow_steps"]
        assert [way * (finding.delta_us or 0.0) > 0 for finding in found.findings] == [True, False]
        assert sum(finding.delta_us or 0.0 for finding in found.findings) == pytest.approx(delta, rel=0.01)


def test_sentences_have_at_most_twelve_words() -> None:
    for found in (compared(0), compared(400), compared(0, machine=4.0), compared(400, captures=1)):
        words = [word for word in found.headline.sentence.split() if any(letter.isalpha() for letter in word)]
        assert len(words) <= 12, found.headline.sentence


def test_a_faster_machine_does_not_lead_the_findings_of_a_slower_program() -> None:
    """The faster machine saves more than the new operators take, but varies between captures."""
    one = pool([recorded(2 * at, pace, 0) for at, pace in enumerate((1.9, 1.0, 1.2))])
    two = pool([recorded(2 * at + 1, pace, 0, new=10) for at, pace in enumerate((0.9, 1.1, 0.8))])
    found = compare(one, two)
    assert (found.headline.verdict, found.headline.basis) == (Verdict.SLOWER, Basis.PROGRAM)
    assert found.findings[0].rule == "operators_changed"
    least = min(found.findings, key=lambda finding: finding.delta_us or 0.0)
    assert (least.rule, -(least.delta_us or 0.0) > (found.findings[0].delta_us or 0.0)) == ("host_pace", True)


def test_untraced_time_that_a_faster_machine_hides_is_the_cause() -> None:
    """The recorded steps are shorter; without the machine the program is slower."""
    one = pool([recorded(2 * at, pace, 0) for at, pace in enumerate((1.9, 1.0, 1.2))])
    two = pool([recorded(2 * at + 1, pace, 0, gap=1200) for at, pace in enumerate((0.9, 1.1, 0.8))])
    found, swapped = (compare(*sides) for sides in ((one, two), (two, one)))
    assert (found.headline.verdict, found.headline.basis) == (Verdict.SLOWER, Basis.PROGRAM)
    assert found.headline.delta is not None and found.headline.delta < 0
    assert rules_of(found) == ["unrecorded_time", "host_pace"]
    assert "in these captures" in found.findings[1].sentence
    assert [finding.delta_us for finding in swapped.findings] == [-(one.delta_us or 0.0) for one in found.findings]
