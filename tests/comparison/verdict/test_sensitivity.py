"""What changes the verdict when it is dropped."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.pace.sensitivity import _grouped
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder

STEADY = [1000, 1010, 990, 1005, 995, 1002, 998, 1008]


def run(lengths: list[int], worker: str = "worker0", span: str = "1") -> Summary:
    trace = TraceBuilder()
    at = 0
    for number, length in enumerate(lengths):
        trace.step(number, at, at + length)
        trace.op("aten::mm", at, at + length)
        at += length
    made = summary(trace, worker=worker, span=span)
    digest = f"{worker}{span}{lengths}"
    capture = replace(made.captures[0], file=replace(made.captures[0].file, sha256=digest))
    return replace(made, captures=(capture,))


def robustness(a: Summary, b: Summary) -> str:
    return compare_summaries(a, b, CompareOptions()).headline.sensitivity


def slower(lengths: list[int], by: float) -> list[int]:
    return [round(length * by) for length in lengths]


def test_a_clear_difference_is_robust() -> None:
    assert robustness(run(STEADY), run(slower(STEADY, 1.3))) == (
        "unchanged when dropping the first step of each capture or the slowest step of each side"
    )


def test_one_step_may_decide() -> None:
    # six against five steps: the slowest of the baseline is what keeps the sides from being apart
    a, b = [1000, 1004, 1001, 1003, 1002, 1200], [1100, 1102, 1101, 1103, 1104, 1105]
    found = robustness(run(a), run(b))
    assert found.startswith('becomes "slower" when dropping the slowest step of each side (5 and 5)')


def test_one_span_may_decide() -> None:
    both = pool([run(STEADY, span="1"), run(STEADY, span="2"), run(slower(STEADY, 1.25), span="3")])
    found = robustness(both, pool([run(slower(STEADY, 1.3), span=span) for span in ("1", "2", "3")]))
    assert '"slower" when dropping span 3 of the baseline' in found


def test_spans_that_all_change_the_verdict_are_one_entry() -> None:
    every = [("the first step", "first"), ("span 1", "any one capture"), ("span 2", "any one capture")]
    assert _grouped(every, Counter({"first": 1, "any one capture": 2})) == ["the first step", "any one capture"]
    assert _grouped(every, Counter({"first": 1, "any one capture": 3})) == ["the first step", "span 1", "span 2"]


def test_leaving_out_a_span_does_not_make_spans_alike() -> None:
    """Two spans that differ by a quarter: with either of them alone nobody would know that they do."""
    both = pool([run(STEADY, span="1"), run(slower(STEADY, 1.25), span="2")])
    assert robustness(both, run(slower(STEADY, 1.3))).endswith("or any one capture")


def test_each_worker_is_left_out_on_both_sides() -> None:
    base = pool([run(STEADY, worker="worker0"), run(STEADY, worker="worker1")])
    # the mean over both workers is slower only because worker1 is
    other = pool([run(STEADY, worker="worker0"), run(slower(STEADY, 1.5), worker="worker1")])
    assert '"same" when dropping worker worker1' in robustness(base, other)


def test_a_single_step_has_nothing_to_leave_out() -> None:
    assert robustness(run([1000]), run([1200])) == ""


def test_exchanging_the_sides_says_the_mirrored_thing() -> None:
    a, b = run([1000, 1004, 1001, 1003, 1002, 1200]), run([1100, 1102, 1101, 1103, 1104, 1105])
    assert robustness(b, a) == robustness(a, b).replace("slower", "faster")


def test_nothing_is_said_of_samples_of_thousands() -> None:
    many = np.random.default_rng(1).integers(1000, 1100, 1500).tolist()
    assert robustness(run(many), run(many[::-1])) == ""


def test_a_verdict_that_one_step_changes_says_so_in_its_second_clause() -> None:
    a, b = run([1000, 1004, 1001, 1003, 1002, 1200]), run([1100, 1102, 1101, 1103, 1104, 1105])
    clause = compare_summaries(a, b, CompareOptions()).headline.reason.split("; ")[1]
    assert clause == (
        '"slower" without steps 5 (baseline) and 5 (candidate): leave them out with --steps 0-4, or by dragging over '
        "the others in the step chart"
    )


def test_a_clear_verdict_has_no_such_clause() -> None:
    reason = compare_summaries(run(STEADY), run(slower(STEADY, 1.3)), CompareOptions()).headline.reason
    assert "without step" not in reason
