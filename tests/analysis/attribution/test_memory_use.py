"""Memory by operator and step, and its curve by device."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.attribution.memory_use import CURVE_POINTS
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.tables.views import view_tables
from tb_perfcompare.model.summary.categories import OUTSIDE_OPERATORS
from tb_perfcompare.model.summary.memory import MemoryUse
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def two_steps(first: int = 100, second: int = 300) -> TraceBuilder:
    """aten::empty allocates in both steps; the second releases the first allocation outside operators."""
    trace = TraceBuilder()
    trace.step(1, 0, 1000)
    trace.op("aten::add", 100, 500)
    trace.op("aten::empty", 200, 300)
    trace.memory(250, first, allocated=1000 + first, reserved=4096)
    trace.step(2, 1000, 2000)
    trace.op("aten::empty", 1200, 1300)
    trace.memory(1250, second, allocated=1000 + first + second, reserved=4096)
    trace.memory(1500, -first, allocated=1000 + second, reserved=4096)
    return trace


def use(found: Summary) -> MemoryUse:
    assert found.memory is not None
    return found.memory


def rows(found: MemoryUse) -> dict[str, tuple[list[int], list[int], list[int]]]:
    return {
        operator: (found.allocated[i].tolist(), found.released[i].tolist(), found.calls[i].tolist())
        for i, (operator, _) in enumerate(found.keys)
    }


def test_allocations_count_for_the_innermost_operator() -> None:
    assert rows(use(summary(two_steps()))) == {
        "aten::empty": ([100, 300], [0, 0], [1, 1]),
        OUTSIDE_OPERATORS: ([0, 0], [0, 100], [0, 0]),
    }


def test_the_curve_has_the_profilers_totals_and_peaks() -> None:
    (curve,) = use(summary(two_steps())).curves
    assert curve.absolute and curve.allocated.tolist() == [1100, 1400, 1300]
    assert (curve.peak_allocated, curve.peak_reserved) == (1400, 4096)
    assert curve.time_ns.tolist() == [250_000, 1_250_000, 1_500_000]
    assert curve.place.tolist() == [0.25, 1.25, 1.5]


def test_curve_positions_are_in_steps_of_any_length() -> None:
    trace = TraceBuilder(vendor="cpu")
    for number, (start, end) in enumerate(((0, 100), (100, 500), (600, 1000))):
        trace.step(number, start, end)
    for at in (50, 200, 550, 700):
        trace.memory(at, 1, allocated=at, reserved=0)
    (curve,) = use(summary(trace, window="marker")).curves
    assert curve.time_ns.tolist() == [50_000, 200_000, 550_000, 700_000]
    # the second step lasts until the third begins
    assert curve.place.tolist() == [0.5, 1.2, 1.9, 2.25]


def test_without_memory_events_the_reason_says_what_to_record() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::add", 0, 90)
    found = summary(trace)
    assert found.memory is None
    assert found.absent["memory"] == "no memory events; record with profile_memory=True"


def test_long_curves_are_thinned_and_keep_their_peak() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100_000)
    trace.op("aten::empty", 0, 99_000)
    for at in range(5000):
        trace.memory(at * 10, 1, allocated=7_000_000 if at == 2500 else at, reserved=0)
    (curve,) = use(summary(trace)).curves
    assert len(curve.time_ns) <= CURVE_POINTS + 2
    assert curve.peak_allocated == 7_000_000 == int(curve.allocated.max())


def test_memory_is_pooled_by_capture_and_selected_by_step() -> None:
    both = pool([summary(two_steps(), span="1"), summary(two_steps(second=500), span="2")])
    assert rows(use(both))["aten::empty"][0] == [100, 300, 100, 500]
    assert [curve.capture for curve in use(both).curves] == [0, 1]
    second = select_steps(both, (2, 2))
    assert rows(use(second))["aten::empty"][0] == [300, 500]
    assert [(curve.capture, curve.peak_allocated) for curve in use(second).curves] == [(0, 1400), (1, 1600)]


def test_two_sides_are_compared_by_device_and_operator() -> None:
    found = compare_summaries(summary(two_steps()), summary(two_steps(second=500)), CompareOptions()).tables
    device = {row[1]: row[3:7] for row in found["memory"].rows}
    assert device["allocated per step"] == (200.0, 300.0, 100.0, 0.5)
    assert device["peak allocated"] == (1400, 1600, 200, 200 / 1400)
    assert found["memory_operators"].rows[0][:5] == ("aten::empty", "CPU", 200.0, 300.0, 100.0)
    assert {row[0] for row in found["memory_curves"].rows} == {"baseline", "candidate"}


def test_one_sided_operators_are_added_or_removed() -> None:
    other = two_steps()
    other.op("aten::clone", 1600, 1700)
    other.memory(1650, 64, allocated=1364, reserved=4096)
    there = compare_summaries(summary(two_steps()), summary(other), CompareOptions()).tables["memory_operators"]
    back = compare_summaries(summary(other), summary(two_steps()), CompareOptions()).tables["memory_operators"]
    assert {row[0]: (row[2], row[3], row[-1]) for row in there.rows}["aten::clone"] == (None, 32.0, "added")
    assert {row[0]: (row[2], row[3], row[-1]) for row in back.rows}["aten::clone"] == (32.0, None, "removed")
    assert np.allclose(sorted(row[4] for row in there.rows), sorted(-row[4] for row in back.rows))


def test_a_single_run_shows_memory_by_device_and_operator() -> None:
    views = view_tables(summary(two_steps()))
    assert ("CPU", "released per step", "bytes", 50.0) in views["memory"].rows
    assert views["memory_operators"].rows[0] == ("aten::empty", "CPU", 200.0, 0.0, 1.0)
