"""Five steps per side with a slow first step on both: findings of the other steps remain."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.entity_tests import CHANGES, Change, entity_tests
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare, rows_of, rules_of


def training(
    seed: int, *, slower: float = 1.0, kernels: int = 40, first_us: float = 30_000, shapes: bool = False
) -> Summary:
    """Five steps of `kernels` kernels, the first kernel `slower` times as long; the first step loads data for
    `first_us`. With `shapes` the pace of the machine is known."""
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


@cache
def compared() -> Comparison:
    return compare(training(1), training(2, slower=2.7))


def test_only_the_kernel_slower_in_every_step_is_slower() -> None:
    rows = rows_of(compared().tables["kernels"])
    assert [name for name, row in rows.items() if row["change"] in ("slower", "faster")] == ["kernel_0"]
    assert rows["kernel_0"]["change"] == "slower"


def test_a_slow_step_on_both_sides_is_no_cause() -> None:
    rules = rules_of(compared())
    assert rules[0] == "kernel_slower"
    assert "slow_steps" not in rules


def test_the_fact_below_the_verdict_names_the_steps_that_hide_it() -> None:
    sides = training(1, shapes=True), training(2, slower=2.7, shapes=True)
    headline = compare(*sides).headline
    assert headline.program is not None
    assert headline.facts[0].text == (
        '"slower" without step 1 of both sides: leave them out with --steps 2-5'
    )


def test_the_first_cause_is_no_smaller_than_the_largest_entry() -> None:
    found = compared()
    unit = found.ledger.denominator * 1000
    entry = max(
        (row for row in found.ledger.rows if len(row.path) == 2 and row.path[0] == "Kernel"), key=lambda r: r.delta
    )
    assert (found.findings[0].delta_us or 0) >= entry.delta / unit - 1


@pytest.mark.parametrize("steps", [3, 5])
def test_random_rows_are_seldom_called_changed(steps: int) -> None:
    """400 tables of 60 rows without a difference."""
    chance = np.random.default_rng(7)
    wrong = 0
    for _ in range(400):
        a, b = (np.rint(chance.normal(1e6, 5e4, (60, steps))).astype(np.int64) for _ in range(2))
        at = np.zeros(steps, dtype=np.int32)
        present = np.ones(60, dtype=bool), np.ones(60, dtype=bool)
        delta = b.mean(axis=1) - a.mean(axis=1)
        found = entity_tests(a, b, (at, at), present, delta, 0.0, CompareOptions())
        wrong += any(CHANGES[number] in (Change.SLOWER, Change.FASTER) for number in found.changes)
    assert wrong <= 0.05 * 400
