"""Figures of one event: self time, launched work, waiting."""

from __future__ import annotations

import pytest
from hypothesis import given

from tb_perfcompare.analysis.step_view.event_figures import event_figures, name_totals, own_times
from tb_perfcompare.analysis.step_view.step_events import StepCutter
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.summary.step_events import KINDS, EventFigures, StepEvents
from tests.analysis.summaries import recording
from tests.build import TraceBuilder
from tests.steps.drawn import US, cut, named, two_steps
from tests.strategies import traces


def figures_of(step: StepEvents, name: str, place: int = 0) -> EventFigures:
    return event_figures(step, named(step, name)[place])


def test_self_time_excludes_children_and_calls() -> None:
    step = cut(two_steps())
    assert figures_of(step, "aten::mm").self_ns == 10 * US, "140 us, 130 of them in addmm"
    assert figures_of(step, "aten::addmm").self_ns == 110 * US, "130 us, 20 of them in two launches"
    assert figures_of(step, "cudaLaunchKernel").self_ns == 10 * US
    assert figures_of(step, "gemm").self_ns is None


def test_an_operator_has_the_device_work_below_it() -> None:
    step = cut(two_steps())
    for name in ("ProfilerStep#1", "aten::mm", "aten::addmm"):
        assert (figures_of(step, name).device_ns, figures_of(step, name).launches) == (60 * US, 2)
    launch = figures_of(step, "cudaLaunchKernel")
    assert (launch.device_ns, launch.launches) == (30 * US, 1)
    assert figures_of(step, "gemm").launches is None


def test_device_work_has_queue_and_idle_time() -> None:
    step = cut(two_steps())
    assert (figures_of(step, "gemm").queue_ns, figures_of(step, "gemm").idle_ns) == (10 * US, 40 * US)
    assert (figures_of(step, "relu").queue_ns, figures_of(step, "relu").idle_ns) == (10 * US, 10 * US)
    assert (figures_of(step, "aten::mm").queue_ns, figures_of(step, "aten::mm").idle_ns) == (None, None)


def test_an_event_has_its_enclosing_and_linked_events() -> None:
    step = cut(two_steps())
    assert figures_of(step, "gemm").enclosing == ("ProfilerStep#1", "aten::mm", "aten::addmm")
    assert [link.role for link in figures_of(step, "gemm").linked] == ["operator", "launcher"]
    assert [link.role for link in figures_of(step, "aten::addmm").linked] == ["launched", "launched"]
    assert figures_of(step, "gemm").args["grid"] == "[64,1,1]"


def test_names_of_two_areas_sum_to_those_of_the_step() -> None:
    step = cut(two_steps())
    first, last = step.extent
    middle = step.total_ns // 3
    whole, *areas = (
        {one.name: one.own_ns for one in name_totals(step, area)} for area in (None, (first, middle), (middle, last))
    )
    assert whole == {name: sum(area.get(name, 0) for area in areas) for name in whole}
    assert set(areas[0]) < set(whole), "what is not active in an area is not in it"


def test_figures_count_all_events_of_a_name() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    for start in (0, 30, 60):
        trace.op("aten::add", start, start + 10)
    figures = figures_of(cut(trace), "aten::add", 1)
    assert (figures.same_count, figures.same_ns) == (3, 30 * US)


def test_an_unknown_number_is_an_error() -> None:
    step = cut(two_steps())
    with pytest.raises(SelectionError, match=f"0 to {len(step) - 1}"):
        event_figures(step, len(step))


@given(traces())
def test_own_times_of_a_thread_sum_to_its_busy_time(trace: TraceBuilder) -> None:
    """Without clipped or parallel events, every instant of a lane belongs to one event or call."""
    cutter = StepCutter(recording(trace), "device")
    for label in cutter.labels:
        step = cutter.cut(label)
        own = own_times(step)
        assert (own >= 0).all()
        assert (own <= step.dur_ns).all()
        for lane in step.lanes:
            if lane.kind in ("stream", "communication", "copies"):
                rows = (step.row >= lane.first) & (step.row < lane.first + lane.rows)
                starts = step.start_ns[rows].clip(*step.extent)
                ends = step.end_ns[rows].clip(*step.extent)
                assert int(own[rows].sum()) == int((ends - starts).sum())
        listed = [KINDS.index(kind) for kind in ("python", "module")]
        ranges = [lane for lane in step.lanes if lane.kind == "ranges"]
        if not ranges and not any(name.kind in listed for name in step.names):
            assert sum(total.own_ns for total in name_totals(step)) == int(own[step.inside].sum())
            assert sum(total.calls for total in name_totals(step)) == int(step.inside.sum())


def test_only_work_of_the_step_counts_not_all_that_is_drawn() -> None:
    """The device is one step behind, so that work of steps 1 and 3 is drawn in step 2."""
    trace = TraceBuilder()
    for number in range(4):
        start = 100 * number
        trace.step(number + 1, start, start + 98)
        trace.op("aten::mm", start + 2, start + 40)
        trace.kernel("gemm", start + 115, start + 195, launch=(start + 5, start + 10))
    for window in ("device", "marker"):
        step = StepCutter(recording(trace), window).cut("2")
        shown = [name.name for name in step.names]
        assert (step.name == shown.index("gemm")).sum() > 1
        totals = {total.name: (total.calls, total.own_ns) for total in name_totals(step)}
        assert totals["gemm"] == (1, 80 * US)
        assert totals["aten::mm"] == (1, 33 * US)
