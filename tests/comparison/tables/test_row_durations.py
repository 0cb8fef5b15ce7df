"""Durations of single launches of a row, in bins common to both sides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tb_perfcompare.analysis.entities import device_work
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.comparison.tables.path_source import path_source
from tb_perfcompare.comparison.tables.row_related import MAX_BINS, LaunchDurations, launch_durations
from tb_perfcompare.model.summary.groups import DURATION_TABLES, class_start_ns, duration_class
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.attribution.test_call_paths import with_paths
from tests.build import TraceBuilder


def launches(*steps: Sequence[float], span: str = "1") -> Summary:
    """A kernel `gemm` of each length in µs, by step, and one other kernel per step."""
    trace = TraceBuilder()
    for step, lengths in enumerate(steps):
        at = step * 100_000.0
        trace.step(step + 1, at, at + 90_000)
        trace.op("aten::mm", at + 1, at + 400)
        for number, length in enumerate(lengths):
            start = at + 1000 + 1000 * number
            trace.kernel("gemm", start, start + length, launch=(at + 2 + number, at + 2.5 + number))
        trace.kernel("other", at + 80_000, at + 80_007, launch=(at + 300, at + 301))
    return with_paths(trace, span)


def durations_of(a: Summary, b: Summary, row: str = "gemm", table: str = "kernels") -> LaunchDurations | None:
    return launch_durations(table, row, path_source(a), path_source(b))


def durations(a: Summary, b: Summary) -> LaunchDurations:
    both = durations_of(a, b)
    assert both is not None
    return both


def test_both_sides_share_their_bins() -> None:
    both = durations(launches([10, 10, 40]), launches([10], [40, 40]))
    assert both.baseline is not None and both.candidate is not None
    assert (both.baseline[0], both.baseline[-1]) == (2, 1)
    assert (both.candidate[0], both.candidate[-1]) == (1, 2)
    assert both.start_ns[0] <= 10_000 < both.start_ns[1] and both.start_ns[-2] <= 40_000 < both.start_ns[-1]


def test_a_side_without_the_row_is_absent_not_empty() -> None:
    both = durations(launches([10]), launches([]))
    assert both.candidate is None and both.baseline == (1,)
    assert durations_of(launches([]), launches([])) is None
    assert durations_of(launches([10]), launches([10]), "aten::mm", "operators") is None


def test_swapped_sides_have_the_same_bins_and_a_side_equals_itself() -> None:
    a, b = launches([10, 12, 300]), launches([9, 11])
    one, other = durations(a, b), durations(b, a)
    assert (one.start_ns, one.baseline, one.candidate) == (other.start_ns, other.candidate, other.baseline)
    same = durations(a, a)
    assert same.baseline == same.candidate


def test_captures_are_pooled_and_only_chosen_steps_count() -> None:
    first, second = launches([10, 10]), launches([10], [40], span="2")
    pooled = durations(pool([first, second]), first).baseline or ()
    assert (pooled[0], pooled[-1], sum(pooled)) == (3, 1, 4)
    chosen = durations(select_steps(second, (2, 2)), second).baseline or ()
    assert (chosen[-1], sum(chosen)) == (1, 1)


@pytest.mark.parametrize(("a", "b"), [([0.001], []), ([5], [5]), ([0.001, 0.5, 900], [7, 7.1, 899])])
def test_every_launch_is_in_one_of_a_few_bins(a: list[float], b: list[float]) -> None:
    both = durations(launches(a), launches(b))
    assert len(both.start_ns) - 1 <= MAX_BINS
    assert list(both.start_ns) == sorted(set(both.start_ns))
    assert sum(both.baseline or ()) == len(a) and sum(both.candidate or ()) == len(b)


def test_a_class_holds_its_durations() -> None:
    lengths = np.array([0, 1, 2, 999, 1000, 123_456_789, 2**40], dtype=np.int64)
    for length, number in zip(lengths.tolist(), duration_class(lengths).tolist(), strict=True):
        assert class_start_ns(number) <= length < class_start_ns(number + 1)


def test_too_many_names_keep_those_with_the_most_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_work, "MAX_CELLS", 32)
    both = launches([10, 20])
    keys = both.groups[DURATION_TABLES["kernels"]].keys
    assert {name for name, _ in keys} == {"gemm"}
    assert durations_of(both, both, "other") is None
