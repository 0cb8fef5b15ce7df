"""The books between two sides close on every level, and say how many calls and how long each."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.compare.comparison import Ledger, LedgerRow
from tb_perfcompare.compare.ledger import build_ledger
from tb_perfcompare.compare.ledger_rows import count_effect
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def cpu_steps(*steps: list[tuple[str, int]]) -> TraceBuilder:
    """Steps of 100 us with operators of the given lengths one after another."""
    trace = TraceBuilder(vendor="cpu")
    for number, operators in enumerate(steps):
        start = number * 100
        trace.step(number, start, start + 100)
        at = start
        for name, length in operators:
            trace.op(name, at, at + length)
            at += length
    return trace


def row(ledger: Ledger, *path: str) -> LedgerRow:
    return next(row for row in ledger.rows if row.path == path)


def test_more_calls_of_the_same_length_are_a_count_effect() -> None:
    ledger = build_ledger(summary(cpu_steps([("mm", 10)])), summary(cpu_steps([("mm", 10), ("mm", 10), ("mm", 10)])))
    mm = row(ledger, "CPU Exec", "mm")
    assert (mm.delta, mm.count_effect, mm.rate_effect, mm.calls) == (20_000, 20_000, 0, (1, 3))


def test_longer_calls_are_a_rate_effect() -> None:
    ledger = build_ledger(summary(cpu_steps([("mm", 10)])), summary(cpu_steps([("mm", 30)])))
    mm = row(ledger, "CPU Exec", "mm")
    assert (mm.delta, mm.count_effect, mm.rate_effect) == (20_000, 0, 20_000)


def test_what_appears_is_all_count_and_is_called_added() -> None:
    ledger = build_ledger(summary(cpu_steps([("mm", 10)])), summary(cpu_steps([("mm", 10), ("new", 7)])))
    new = row(ledger, "CPU Exec", "new")
    assert (new.status, new.baseline, new.delta, new.count_effect) == ("added", 0, 7_000, 7_000)


def test_different_numbers_of_steps_meet_at_their_common_multiple() -> None:
    """Two steps of 10 and 20 us of mm against three of 10: means 15 and 10 us."""
    ledger = build_ledger(
        summary(cpu_steps([("mm", 10)], [("mm", 20)])), summary(cpu_steps([("mm", 10)], [("mm", 10)], [("mm", 10)]))
    )
    mm = row(ledger, "CPU Exec", "mm")
    assert ledger.denominator == 6
    assert (mm.baseline, mm.candidate) == (15_000 * 6, 10_000 * 6)


def test_all_eight_categories_are_there_largest_change_first() -> None:
    ledger = build_ledger(summary(cpu_steps([("mm", 10)])), summary(cpu_steps([("mm", 30)])))
    heads = [row.path[0] for row in ledger.rows if len(row.path) == 1]
    assert heads[:2] == ["CPU Exec", "Other"]
    assert len(heads) == 8


CALLS = st.fractions(0, 50, max_denominator=12)


@given(st.integers(0, 10**9), CALLS, st.integers(0, 10**9), CALLS)
def test_effects_change_sign_with_the_sides(time_a: int, calls_a: Fraction, time_b: int, calls_b: Fraction) -> None:
    assert count_effect(time_a, calls_a, time_b, calls_b) == -count_effect(time_b, calls_b, time_a, calls_a)
