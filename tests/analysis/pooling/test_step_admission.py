"""Which steps of a trace are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.step_admission import admit_steps, leading_warm_up
from tb_perfcompare.model.formats import LISTING
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def run(
    lengths: list[int], kernels: dict[int, int] | None = None, span: str = "1", worker: str = "worker0",
    operators: dict[int, int] | None = None,
) -> Summary:  # fmt: skip
    """Steps of ten kernels and one operator, or as many as `kernels` and `operators` have for a step."""
    trace = TraceBuilder()
    at = 0
    for number, length in enumerate(lengths):
        trace.step(number, at, at + length)
        count = (operators or {}).get(number, 1)
        for k in range(count):
            trace.op("aten::mm", at + k * length // count, at + (k + 1) * length // count - 1)
        for k in range((kernels or {}).get(number, 10)):
            trace.kernel("gemm", at + 20 + 5 * k, at + 24 + 5 * k, launch=(at + 1 + k, at + 2 + k))
        at += length
    return summary(trace, span=span, worker=worker)


def dropped(found: Summary) -> list[tuple[str, str]]:
    return [(step.label, step.reason) for step in found.dropped]


STEADY = [100, 101, 99, 100, 102, 98, 100, 101, 100, 99]


def test_a_steady_run_keeps_every_step() -> None:
    whole = run(STEADY)
    assert admit_steps(whole) is whole


def test_a_step_with_fewer_launches_is_incomplete() -> None:
    found = admit_steps(run(STEADY, {4: 6}))
    assert dropped(found) == [("4", "incomplete")]
    assert len(found.steps) == 9
    assert found.owned.time_ns.sum() == found.steps.total_ns.sum()


def test_steps_that_do_less_are_complete() -> None:
    """From step 4 on, the program calls its operator twice. Step 0 is cut off, and step 2 lost launches."""
    kernels = {0: 5, 2: 6, **dict.fromkeys(range(4, 10), 20)}
    operators = {**dict.fromkeys(range(1, 4), 2), **dict.fromkeys(range(4, 10), 4)}
    found = admit_steps(run(STEADY, kernels, operators=operators))
    assert dropped(found) == [("0", "incomplete"), ("2", "incomplete")]


def test_long_first_steps_are_warm_up() -> None:
    found = admit_steps(run([400, 180, *STEADY]))
    assert dropped(found) == [("0", "warm-up"), ("1", "warm-up")]


def test_a_long_step_in_the_middle_is_kept() -> None:
    assert not admit_steps(run([*STEADY[:5], 900, *STEADY[5:]])).dropped


def test_a_short_run_has_no_warm_up() -> None:
    assert not admit_steps(run([400, 100, 101, 99, 100, 100])).dropped


def test_each_capture_has_its_own_warm_up() -> None:
    both = pool([run(STEADY, span="1"), run([300, *STEADY], span="2")])
    found = admit_steps(both)
    assert [(step.capture, step.label) for step in found.dropped] == [(1, "0")]


def host_steps(calls: list[int], span: str = "1") -> Summary:
    """Host-only steps with as many operators as in `calls`."""
    trace = TraceBuilder()
    for number, count in enumerate(calls):
        trace.step(number, 1000 * number, 1000 * number + 10 * count + 1)
        for k in range(count):
            trace.op("aten::mm", 1000 * number + 10 * k, 1000 * number + 10 * k + 9)
    return summary(trace, span=span)


def test_an_almost_empty_last_step_is_incomplete() -> None:
    assert dropped(admit_steps(host_steps([40, 40, 40, 2]))) == [("3", "incomplete")]
    assert not admit_steps(host_steps([40, 40, 40, 10])).dropped


def test_a_capture_with_only_an_incomplete_step_is_left_out() -> None:
    found = admit_steps(pool([host_steps([40, 40, 40]), host_steps([2], span="2")]))
    assert [(step.capture, step.label) for step in found.dropped] == [(1, "0")]
    assert len(found.steps) == 3


def test_a_step_is_left_out_on_all_ranks() -> None:
    ranks = [run([300, *STEADY]), run([100, *STEADY], worker="worker1"), run([100, *STEADY], span="2")]
    left_out = [(step.capture, step.label) for step in admit_steps(pool(ranks)).dropped]
    assert left_out == [(0, "0"), (1, "0")]


def test_the_note_lists_dropped_steps_and_the_option_to_keep_them() -> None:
    (note,) = [note for note in admit_steps(run([400, *STEADY])).notes if note.code is NoteCode.STEPS_DROPPED]
    assert "step 0 (warm-up)" in note.message and "--all-steps" in note.message


def test_figures_of_whole_captures_are_kept() -> None:
    whole = run([400, *STEADY])
    found = admit_steps(whole)
    assert found.device_metrics == whole.device_metrics
    assert set(found.groups["kernels"].facts) == set(whole.groups["kernels"].facts)


def test_steps_of_other_formats_are_not_dropped() -> None:
    listing = replace(run([400, *STEADY]), format=LISTING)
    assert admit_steps(listing) is listing


@pytest.mark.parametrize(
    ("times", "warm"),
    [
        ([200] + [100] * 9, 1), ([200, 150] + [100] * 8, 2), ([105] + [100] * 9, 0), ([900, 800, 700] + [100] * 9, 3),
        ([], 0),
    ],
)  # fmt: skip
def test_leading_warm_up_counts_long_first_steps(times: list[int], warm: int) -> None:
    assert leading_warm_up(np.array(times, dtype=np.int64)) == warm
