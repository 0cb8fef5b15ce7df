"""The events of one step: lanes, rows, times and launches."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.step_view.step_events import StepCutter, pack
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.summary.step_events import NO_EVENT, StepEvents
from tests.analysis.summaries import recording
from tests.build import TraceBuilder
from tests.picture import picture
from tests.steps.drawn import US, cut, kinds, lanes, named, spans_us, two_steps
from tests.strategies import traces


def test_times_count_from_the_beginning_of_the_step() -> None:
    second = cut(two_steps(), "2")
    assert (second.label, second.total_ns, second.extent) == ("2", 230 * US, (0, 230 * US))
    assert spans_us(second, "ProfilerStep#2") == [(0, 230)]
    assert spans_us(second, "gemm") == [(40, 80)]
    assert named(second, "ProfilerStep#1") == []


def test_device_lanes_come_first_and_calls_below_their_thread() -> None:
    trace = picture(
        """
        main      |[ProfilerStep#1.......]
        main      |[aten::mm....]
        thread1   |   [AddBackward]
        main.api  | a  b
        thread1.api |   c
        stream7   |  aaa
        stream20  |     b
        stream21  |       c
        """,
        names={"a": "gemm", "b": "ncclDevKernel_AllReduce(x)", "c": "Memcpy HtoD"},
    )
    assert lanes(cut(trace)) == [
        ("stream.0", "GPU 0 stream 7", 1), ("communication.0", "GPU 0 stream 20", 1),
        ("copies.0", "GPU 0 stream 21", 1), ("host.0", "thread 100", 2), ("calls.0", "thread 100", 1),
        ("host.1", "thread 101", 1), ("calls.1", "thread 101", 1),
    ]  # fmt: skip


def test_nested_events_are_one_row_lower() -> None:
    step = cut(two_steps())
    host = next(lane for lane in step.lanes if lane.key == "host.0")
    names = ("ProfilerStep#1", "aten::mm", "aten::addmm")
    assert [int(step.row[named(step, name)[0]]) - host.first for name in names] == [0, 1, 2]


def test_device_work_knows_its_call_and_its_operator() -> None:
    step = cut(two_steps())
    (kernel,), (operator,) = named(step, "relu"), named(step, "aten::addmm")
    call = int(step.launcher[kernel])
    assert step.names[int(step.name[call])].name == "cudaLaunchKernel"
    assert (int(step.operator[kernel]), int(step.operator[call])) == (operator, operator)
    assert int(step.operator[operator]) == NO_EVENT


def test_launches_before_the_window_are_drawn() -> None:
    """The device lags: calls of step 2 lie before its window."""
    trace = picture(
        """
        main     |[ProfilerStep#1.][ProfilerStep#2.]
        main     |[aten::mm]       [aten::mm]
        main.api | a                a
        stream7  |  aaaaaaaaaaaaaaaaaaaaaaaaaa  aaaaaa
        """
    )
    step = cut(trace, "2")
    assert step.extent == (-110 * US, step.total_ns)
    assert spans_us(step, "aten::mm") == [(-110, -10)]
    late = named(step, "a")[-1]
    assert int(step.start_ns[int(step.launcher[late])]) < 0
    assert cut(trace, "2", "marker").extent == (0, 190 * US)


def test_partly_overlapping_events_have_separate_rows() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    for name, start, end in (("a", 0, 40), ("b", 20, 60), ("c", 45, 90)):
        trace.op(name, start, end)
    step = cut(trace)
    rows = [int(step.row[named(step, name)[0]]) for name in "abc"]
    assert rows == [1, 2, 1], "a is over when c begins"
    assert spans_us(step, "b") == [(20, 60)], "nothing is cut"


SPANS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 15), st.sampled_from((0, 1, 2, 3, 5, 9))), max_size=16)


@given(SPANS)
def test_no_two_events_of_a_row_overlap(spans: list[tuple[int, int, int]]) -> None:
    lane, start, length = (np.array([span[i] for span in spans], dtype=np.int64) for i in range(3))
    row, _ = pack(lane, start, start + length, np.arange(len(spans)))
    for i in range(len(spans)):
        for j in range(i):
            if (lane[i], row[i]) == (lane[j], row[j]) and length[i] and length[j]:
                assert start[i] >= start[j] + length[j] or start[j] >= start[i] + length[i]


@given(traces())
def test_every_event_of_a_step_is_drawn_once_or_counted_as_left_out(trace: TraceBuilder) -> None:
    drawn = recording(trace)
    try:
        cutter = StepCutter(drawn, "device")
    except (SelectionError, ValueError):
        return
    for label in cutter.labels:
        first, last = cutter.extent(label)
        step = cutter.cut(label)
        ends = drawn.events.start_ns + drawn.events.dur_ns
        instants = (drawn.events.dur_ns == 0) & (drawn.events.start_ns >= first) & (drawn.events.start_ns < last)
        touched = ((drawn.events.start_ns < last) & (ends > first)) | instants
        undrawn = sum(step.left_out.values()) + int((touched & (drawn.events.category == 12)).sum())
        assert len(step) + undrawn == int(touched.sum())
        _rows_are_in_order(step)


def _rows_are_in_order(step: StepEvents) -> None:
    same = step.row[1:] == step.row[:-1]
    assert (np.diff(step.row) >= 0).all()
    assert (step.start_ns[1:][same] >= step.end_ns[:-1][same]).all()


@given(traces(), st.randoms())
def test_the_order_of_events_in_the_file_does_not_matter(trace: TraceBuilder, random: Random) -> None:
    order = list(range(len(trace.events)))
    random.shuffle(order)
    straight, shuffled = (StepCutter(recording(trace, chosen), "device") for chosen in (None, order))
    assert straight.labels == shuffled.labels
    for label in straight.labels:
        one, other = straight.cut(label), shuffled.cut(label)
        for column in ("row", "start_ns", "dur_ns"):
            assert (getattr(one, column) == getattr(other, column)).all()
        assert [one.names[i].name for i in one.name] == [other.names[i].name for i in other.name]


@pytest.mark.parametrize(
    ("vendor", "stream"), [("cuda", "GPU"), ("rocm", "GPU"), ("mlu", "MLU"), ("mtia", "MTIA"), ("xpu", "XPU")]
)
def test_every_vendor_has_its_lanes(vendor: str, stream: str) -> None:
    trace = TraceBuilder(vendor=vendor)
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 60)
    trace.kernel("gemm", 30, 50, launch=(12, 14))
    step = cut(trace)
    assert [name for _, name, _ in lanes(step)] == [f"{stream} 0 stream 7", "thread 100", "thread 100"]
    names = ("gemm", trace.vendor.launch, "aten::mm")
    assert [kinds(step, name) for name in names] == [{"kernel"}, {"runtime"}, {"operator"}]


def test_a_cpu_trace_has_its_threads() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.loader(5, 30)
    trace.op("aten::mm", 40, 60)
    trace.memory(45, 512)
    step = cut(trace)
    assert lanes(step) == [("host.0", "thread 100", 2)]
    assert kinds(step, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__") == {"dataloader"}
    assert dict(step.left_out) == {"allocations and releases of memory": 1}


def test_python_functions_and_modules_have_a_lane_of_their_own() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.python("train.py(3): step", 0, 90, number=1)
    trace.python("nn.Module: Linear_0", 10, 60, number=2, parent=1, module=0)
    trace.op("aten::linear", 12, 50)
    step = cut(trace)
    assert lanes(step) == [("host.0", "thread 100", 2), ("python.0", "thread 100", 2)]
    assert kinds(step, "nn.Module: Linear_0") == {"module"}


def test_events_keep_their_arguments() -> None:
    step = cut(two_steps())
    grid = step.args["grid"]
    at = grid.rows.tolist().index(named(step, "gemm")[0])
    assert step.texts[int(grid.values[at])] == "[64,1,1]"


def test_without_markers_the_whole_recording_is_one_step() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.op("aten::mm", 10, 60)
    assert spans_us(cut(trace, "0"), "aten::mm") == [(0, 50)]


def test_an_unknown_step_is_an_error_with_the_known_ones() -> None:
    with pytest.raises(SelectionError, match="there are: 1, 2"):
        cut(two_steps(), "7")
