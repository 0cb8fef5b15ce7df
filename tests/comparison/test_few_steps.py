"""Five steps a side and one slow first step on both: what the other steps say is still said."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.entity_tests import Change, entity_tests
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def training(
    seed: int, *, slower: float = 1.0, kernels: int = 40, first_us: float = 30_000, shapes: bool = False
) -> Summary:
    """Steps of 40 kernels, the first kernel `slower` times as long in every step; the first step loads data for about
    `first_us` more. With `shapes` the pace of the machine is known."""
    trace, chance, at = TraceBuilder(), random.Random(seed), 0.0
    for number in range(5):
        begin = at
        wait = 100 + (first_us * chance.uniform(1, 1.2) if number == 0 else 0)
        trace.loader(at + 1, at + wait)
        at += wait + 10
        for kernel in range(kernels):
            length = (300 * slower if kernel == 0 else 60) * chance.uniform(0.99, 1.01)
            trace.op(f"aten::op{kernel}", at, at + 12, dims=[[kernel, 8]] if shapes else None)
            trace.kernel(f"kernel_{kernel}", at + 14, at + 14 + length, launch=(at + 3, at + 6))
            at += 16 + length
        trace.step(number + 1, begin, at)
        at += 1
    return summary(trace)


def compared() -> Comparison:
    return compare_summaries(training(1), training(2, slower=2.7), CompareOptions())


def test_the_kernel_that_is_slower_in_every_step_is_slower() -> None:
    found = {row[0]: row[4] for row in compared().tables["kernels"].rows}
    assert found["kernel_0"] == "slower"
    assert [name for name, change in found.items() if change in ("slower", "faster")] == ["kernel_0"]


def test_a_slow_step_on_both_sides_is_no_cause() -> None:
    rules = [finding.rule for finding in compared().findings]
    assert rules[0] == "kernel_slower"
    assert "slow_steps" not in rules


def test_the_verdict_says_in_its_second_clause_what_hides_it_and_how_to_leave_it_out() -> None:
    clauses = compared().headline.reason.split("; ")
    assert clauses[1] == (
        '"slower" without steps 1 (baseline) and 1 (candidate): leave them out with --steps 2-5, or by dragging over '
        "the others in the step chart"
    )


def test_at_one_pace_the_line_below_the_verdict_says_so() -> None:
    sides = training(1, shapes=True), training(2, slower=2.7, shapes=True)
    headline = compare_summaries(*sides, CompareOptions()).headline
    assert headline.program is not None
    assert headline.facts[0].text == (
        '"slower" without steps 1 (baseline) and 1 (candidate): leave them out with --steps 2-5, or by dragging over '
        "the others in the step chart"
    )



def test_exchanging_the_sides_mirrors_the_rows() -> None:
    there = compared().tables["kernels"]
    back = compare_summaries(training(2, slower=2.7), training(1), CompareOptions()).tables["kernels"]
    mirror = {"slower": "faster", "faster": "slower"}
    assert {row[0]: mirror.get(row[4], row[4]) for row in there.rows} == {row[0]: row[4] for row in back.rows}


def test_the_first_cause_is_no_smaller_than_the_largest_entry() -> None:
    found = compared()
    unit = found.ledger.denominator * 1000
    entry = max(
        (row for row in found.ledger.rows if len(row.path) == 2 and row.path[0] == "Kernel"), key=lambda r: r.delta
    )
    assert (found.findings[0].delta_us or 0) >= entry.delta / unit - 1


@pytest.mark.parametrize("steps", [3, 5])
def test_random_rows_stay_undecided(steps: int) -> None:
    """Of 400 tables of 60 rows without any difference, next to none has a row that is called changed."""
    chance = np.random.default_rng(7)
    wrong = 0
    for _ in range(400):
        a, b = (np.rint(chance.normal(1e6, 5e4, (60, steps))).astype(np.int64) for _ in range(2))
        at = np.zeros(steps, dtype=np.int32)
        present = np.ones(60, dtype=bool), np.ones(60, dtype=bool)
        delta = b.mean(axis=1) - a.mean(axis=1)
        found = entity_tests(a, b, (at, at), present, delta, 0.0, CompareOptions())
        wrong += any(change in (Change.SLOWER, Change.FASTER) for change in found.change)
    assert wrong <= 0.05 * 400
