"""One program recorded alternately on a machine whose pace changes from capture to capture, and a changed one."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from statistics import median

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Basis, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.gate.gates import step_time
from tb_perfcompare.gate.limits import Limit
from tb_perfcompare.gate.outcome import Status
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

OPERATORS = {f"aten::op{number:02}": 400 + 60 * number for number in range(12)}
UNEVEN = (0.8, 1.3, 1.05)
"""Pace of the machine in three captures."""


def capture(span: int, pace: float, extra: int, *, shapes: bool = True, slow_step: int = -1, new: int = 0,
            gap: int = 50, uneven: int = 0) -> Summary:  # fmt: skip
    """Eight steps of the operators, all `pace` times as long, `extra` µs more in one of them, `new` others and `gap` µs
    of untraced time, `uneven` µs more in every second step."""
    trace = TraceBuilder()
    at = 0
    for number in range(8):
        start = at
        for place, (name, us) in enumerate(OPERATORS.items()):
            wobble = 1 + 0.004 * ((7 * number + 5 * place + span) % 5 - 2)
            length = round((us + (extra if name == "aten::op03" else 0)) * pace * wobble)
            trace.op(name, at, at + length, dims=[[place, 8]] if shapes else None)
            at += length
        for _ in range(new):
            trace.op("aten::sort", at, at + 100 * pace, dims=[[4]] if shapes else None)
            at += round(110 * pace)
        at += 4000 if number == slow_step else gap + number % 2 * uneven
        trace.step(number, start, at)
    made = summary(trace, worker="worker0", span=str(span))
    file = replace(made.captures[0].file, sha256=f"{span} {pace} {extra}")
    return replace(made, captures=(replace(made.captures[0], file=file),))


@cache
def compared(
    extra: int, machine: float = 1.0, *, captures: int = 3, shapes: bool = True, slow_in: tuple[int, ...] = ()
) -> Comparison:
    """Equal alternating captures but for `extra` µs of the candidate, whose machine is `machine` times as slow."""
    paces = UNEVEN[:captures]
    one = pool([capture(2 * at, pace, 0, shapes=shapes) for at, pace in enumerate(paces)])
    other = [
        capture(2 * at + 1, machine * pace * 1.02, extra, shapes=shapes, slow_step=4 if at in slow_in else -1)
        for at, pace in enumerate(paces[1:] + paces[:1])
    ]
    return compare_summaries(one, pool(other), CompareOptions(resamples=200))


def change_of(found: Comparison, operator: str) -> object:
    table = found.tables["operators"]
    names = [column.name for column in table.columns]
    return next(row[names.index("change")] for row in table.rows if row[names.index("name")] == operator)


def test_equal_programs_are_the_same_and_have_no_findings() -> None:
    found = compared(0)
    assert (found.headline.verdict, found.headline.basis) == (Verdict.SAME, Basis.PROGRAM)
    assert found.headline.sentence == "Same: the program changed by less than 1 %."
    assert found.headline.recorded is not None
    assert found.headline.recorded.verdict is Verdict.INCONCLUSIVE
    assert found.findings == ()


def test_a_change_that_captures_hide_is_found_in_the_step_and_in_its_row() -> None:
    found = compared(400)
    program = found.headline.program
    assert program is not None
    assert found.headline.verdict is Verdict.SLOWER
    truth = 400 / (sum(OPERATORS.values()) + 50)
    assert program.low <= truth <= program.high
    assert found.headline.sentence.startswith("Slower: the program takes 4.5 % longer")
    assert change_of(found, "aten::op03") == "slower"
    assert change_of(found, "aten::op05") != "slower"
    used = {row[1]: row[3] for row in found.tables["common_work"].rows}
    assert used["aten::op03"] == "excluded: changed on its own"
    assert used["aten::op05"] == "used"


def test_without_shapes_the_verdict_is_that_of_the_times_as_recorded() -> None:
    found = compared(400, shapes=False)
    assert (found.headline.verdict, found.headline.basis) == (Verdict.INCONCLUSIVE, Basis.RECORDED)
    assert (found.headline.program, found.headline.machine) == (None, None)
    assert found.headline.unsplit == "no input shapes on both sides: record with record_shapes=True"
    assert "common_work" not in found.tables


def test_a_slower_machine_is_said_and_asks_for_another_recording() -> None:
    found = compared(0, machine=4.0)
    headline = found.headline
    assert (headline.verdict, headline.basis) == (Verdict.SLOWER, Basis.MACHINE)
    assert headline.sentence == "Slower, not the program: the same work runs 4.1 times slower."
    assert [finding.rule for finding in found.findings] == ["host_pace"]
    gate = step_time(headline, Limit(fraction=0.03))
    assert gate.status is Status.CANNOT_TELL
    assert "record again" in gate.sentence
    assert step_time(headline, Limit(fraction=0.03), fail_on_machine=True).status is Status.TRIPPED


def test_steps_at_one_pace_are_alike_on_a_slower_machine() -> None:
    table = compared(0, machine=4.0).tables["steps"]
    at = {column.name: place for place, column in enumerate(table.columns)}

    def middle(name: str) -> list[float]:
        sides = ("baseline", "candidate")
        return [median(float(row[at[name]]) for row in table.rows if row[0] == side) for side in sides]

    assert ratio(middle("total_us")) > 3.5
    assert ratio(middle("at_one_pace_us")) == pytest.approx(1, abs=0.05)
    assert "at_one_pace_us" not in [column.name for column in compared(0, shapes=False).tables["steps"].columns]


def ratio(sides: list[float]) -> float:
    return sides[1] / sides[0]


def test_a_changed_program_trips_the_gate_and_an_equal_one_passes() -> None:
    assert step_time(compared(400).headline, Limit(fraction=0.03)).status is Status.TRIPPED
    assert step_time(compared(0).headline, Limit(fraction=0.03)).status is Status.PASSED


def test_the_verdict_of_single_captures_is_about_these_two_captures() -> None:
    found = compared(400, captures=1)
    assert found.headline.sentence.startswith("These two captures: program +4.5 %")
    other = compared(0, captures=1, machine=1.5)
    assert other.headline.verdict is Verdict.INCONCLUSIVE
    assert other.headline.sentence.startswith("These two captures: the same work runs 1.5 times slower; program")


def test_two_captures_of_the_same_length_have_no_direction_for_what_is_within_the_threshold() -> None:
    """Operators are 0.8 % faster, and untraced time takes as much more."""
    sides = capture(0, 1.0, 0), capture(1, 0.992, 0, gap=110, uneven=40)
    found = compare_summaries(*sides, CompareOptions(resamples=200)).headline
    assert found.program is not None and found.program.verdict in (Verdict.SLOWER, Verdict.PROBABLY_SLOWER)
    assert (found.verdict, found.sentence) == (Verdict.INCONCLUSIVE, "No change found; at most 1.2 % slower.")


def disturbed(seed: int) -> Summary:
    """A capture in which other work on the machine lengthens every call by another factor."""
    chance, trace, at = random.Random(seed), TraceBuilder(), 0
    for number in range(8):
        start = at
        for place, (name, us) in enumerate(OPERATORS.items()):
            length = round(us * chance.choice((1, 1, 1.2, 3)))
            trace.op(name, at, at + length, dims=[[place, 8]])
            at += length
        trace.step(number, start, at)
    return summary(trace, span=str(seed))


def test_a_pace_that_may_as_well_be_the_same_is_no_headline() -> None:
    headline = compare_summaries(disturbed(32), disturbed(33), CompareOptions(resamples=200)).headline
    machine = headline.machine
    assert machine is not None and machine.low < 0 < machine.high and abs(machine.estimate) > headline.margin
    assert headline.sentence.startswith("Inconclusive: the program changed by ")


def test_what_one_step_changes_at_one_pace_is_no_clause_of_the_times_as_recorded() -> None:
    sides = disturbed(8), capture(8, 1.5, 0, slow_step=4)
    headline = compare_summaries(*sides, CompareOptions(resamples=100)).headline
    assert headline.program is not None
    assert headline.sensitivity.startswith('becomes "faster" when dropping the slowest step of each side')
    assert " without steps " not in headline.reason


@pytest.mark.parametrize(("slow_in", "rules"), [((0,), []), ((0, 1, 2), ["slow_steps"])])
def test_slow_steps_have_to_recur(slow_in: tuple[int, ...], rules: list[str]) -> None:
    """A slow step in one of three captures is chance, one in each of them what the program does."""
    assert [finding.rule for finding in compared(0, slow_in=slow_in).findings][:1] == rules


def test_sentences_have_at_most_twelve_words_and_figures() -> None:
    for found in (compared(0), compared(400), compared(0, machine=4.0), compared(400, captures=1)):
        words = [word for word in found.headline.sentence.split() if any(letter.isalpha() for letter in word)]
        assert len(words) <= 12, found.headline.sentence


def test_time_that_a_faster_machine_saves_does_not_lead_what_makes_the_program_slower() -> None:
    """Three of the candidate's captures are faster by more than its new operators take, but not by as much each."""
    one = pool([capture(2 * at, pace, 0) for at, pace in enumerate((1.9, 1.0, 1.2))])
    two = pool([capture(2 * at + 1, pace, 0, new=10) for at, pace in enumerate((0.9, 1.1, 0.8))])
    found = compare_summaries(one, two, CompareOptions(resamples=200))
    assert (found.headline.verdict, found.headline.basis) == (Verdict.SLOWER, Basis.PROGRAM)
    assert found.findings[0].rule == "operators_changed"
    least = min(found.findings, key=lambda finding: finding.delta_us or 0.0)
    assert (least.rule, -(least.delta_us or 0.0) > (found.findings[0].delta_us or 0.0)) == ("host_pace", True)


def test_untraced_time_that_a_faster_machine_hides_is_the_cause() -> None:
    """The recorded steps are shorter: the program's part is longer by what is left when the machine is taken out."""
    one = pool([capture(2 * at, pace, 0) for at, pace in enumerate((1.9, 1.0, 1.2))])
    two = pool([capture(2 * at + 1, pace, 0, gap=1200) for at, pace in enumerate((0.9, 1.1, 0.8))])
    found, swapped = (compare_summaries(*sides, CompareOptions(resamples=200)) for sides in ((one, two), (two, one)))
    assert (found.headline.verdict, found.headline.basis) == (Verdict.SLOWER, Basis.PROGRAM)
    assert found.headline.delta is not None and found.headline.delta < 0
    assert [finding.rule for finding in found.findings] == ["unrecorded_time", "host_pace"]
    assert "in these captures" in found.findings[1].sentence
    assert [finding.delta_us for finding in swapped.findings] == [-(one.delta_us or 0.0) for one in found.findings]
