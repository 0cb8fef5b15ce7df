"""What changes the verdict when it is dropped."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.pace.sensitivity import _grouped
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import capture, compare, sequence

STEADY = [1000, 1010, 990, 1005, 995, 1002, 998, 1008]


def run(lengths: list[int], worker: str = "worker0", span: str = "1") -> Summary:
    return capture(sequence([("aten::mm", length)] for length in lengths), span, worker)


def robustness(a: Summary, b: Summary) -> str:
    return compare(a, b).headline.sensitivity


def slower(lengths: list[int], by: float) -> list[int]:
    return [round(length * by) for length in lengths]


ONE_SLOW_STEP = run([1000, 1004, 1001, 1003, 1002, 1200]), run([1100, 1102, 1101, 1103, 1104, 1105])
"""Only the last step of the baseline overlaps the candidate."""


def test_a_clear_difference_is_robust() -> None:
    headline = compare(run(STEADY), run(slower(STEADY, 1.3))).headline
    assert headline.sensitivity == (
        "unchanged when dropping the first step of each capture or the slowest step of each side"
    )
    assert "without step" not in headline.reason


def test_one_slow_step_that_decides_is_named() -> None:
    assert robustness(*ONE_SLOW_STEP).startswith(
        'becomes "slower" when dropping the slowest step of each side (5 and 5)'
    )


def test_one_span_that_decides_is_named() -> None:
    both = pool([run(STEADY, span="1"), run(STEADY, span="2"), run(slower(STEADY, 1.25), span="3")])
    found = robustness(both, pool([run(slower(STEADY, 1.3), span=span) for span in ("1", "2", "3")]))
    assert '"slower" when dropping span 3 of the baseline' in found


def test_spans_that_all_change_the_verdict_are_one_entry() -> None:
    every = [("the first step", "first"), ("span 1", "any one capture"), ("span 2", "any one capture")]
    assert _grouped(every, Counter({"first": 1, "any one capture": 2})) == ["the first step", "any one capture"]
    assert _grouped(every, Counter({"first": 1, "any one capture": 3})) == ["the first step", "span 1", "span 2"]


def test_dropping_one_of_two_different_spans_changes_the_verdict() -> None:
    """Either span alone hides that the two differ by a quarter."""
    both = pool([run(STEADY, span="1"), run(slower(STEADY, 1.25), span="2")])
    assert robustness(both, run(slower(STEADY, 1.3))).endswith("or any one capture")


def test_a_worker_is_dropped_on_both_sides() -> None:
    base = pool([run(STEADY, worker="worker0"), run(STEADY, worker="worker1")])
    # the mean over both workers is slower only because worker1 is
    other = pool([run(STEADY, worker="worker0"), run(slower(STEADY, 1.5), worker="worker1")])
    assert '"same" when dropping worker worker1' in robustness(base, other)


def test_a_single_step_has_no_sensitivity() -> None:
    assert robustness(run([1000]), run([1200])) == ""


def test_swapped_sides_have_the_mirrored_sentence() -> None:
    a, b = ONE_SLOW_STEP
    assert robustness(b, a) == robustness(a, b).replace("slower", "faster")


def test_thousands_of_steps_have_no_sensitivity() -> None:
    many = np.random.default_rng(1).integers(1000, 1100, 1500).tolist()
    assert robustness(run(many), run(many[::-1])) == ""


def test_the_reason_names_the_steps_that_change_the_verdict() -> None:
    clause = compare(*ONE_SLOW_STEP).headline.reason.split("; ")[1]
    assert clause == (
        '"slower" without step 5 of both sides: leave them out with --steps 0-4'
    )
