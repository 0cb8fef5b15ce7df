"""Call paths of rows: their frames, and that the paths of a row sum to it."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.attribution import call_paths as module
from tb_perfcompare.analysis.entities.python_stacks import stack_of
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.errors import CorruptInput, SelectionError
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.call_tree import CallTree, FrameKind
from tb_perfcompare.model.summary.summary import BY_OPERATOR, BY_PYTHON, Summary
from tests.analysis.attribution.test_call_tree import paths_of
from tests.analysis.attribution.test_owned_modules import ENGINE, network, traces_with_modules
from tests.analysis.summaries import recording
from tests.build import MAIN, TraceBuilder


def with_paths(trace: TraceBuilder, span: str = "1") -> Summary:
    """The summary of a drawn trace with the call paths of its rows."""
    origin = Origin("drawn", "drawn", "worker0", span, 0)
    return summarize(recording(trace), origin, paths_of_rows=True)


def paths_us(of: Summary, way: str = BY_OPERATOR) -> dict[str, float]:
    """`a > b` -> self time in microseconds, of frames with any time or call."""
    tree = of.call_paths[way]
    own, calls = tree.own()
    rows = zip(paths_of(tree), own.tolist(), calls.tolist(), strict=True)
    return {path: time / 1000 for path, time, count in rows if time or count}


def linear() -> TraceBuilder:
    trace = network()
    trace.op("aten::linear", 30, 60)
    trace.op("aten::addmm", 35, 55)
    trace.kernel("gemm", 210, 250, launch=(40, 45))
    return trace


def test_frames_have_total_not_exposed_kernel_time() -> None:
    trace = linear()
    trace.kernel("overlapped", 210, 250, launch=(46, 48), stream=9)
    below = "Net_0 > Linear_0 > aten::linear > aten::addmm"
    assert paths_us(with_paths(trace)) == {
        "Net_0": 190 - 100, "Net_0 > Linear_0": 100, "Net_0 > Linear_0 > aten::linear": 10, below: 20 - 5 - 2,
        f"{below} > gemm": 40, f"{below} > overlapped": 40, f"{below} > device work": 80,
    }  # fmt: skip


def test_an_operator_without_time_has_a_path() -> None:
    trace = network()
    trace.op("aten::linear", 30, 60)
    trace.op("aten::view", 35, 35)
    assert "Net_0 > Linear_0 > aten::linear > aten::view" in paths_us(with_paths(trace))


def test_python_functions_enclose_the_operators_they_call() -> None:
    trace = network()
    trace.python("model.py(7): forward", 25, 100, number=3, parent=2)
    trace.op("aten::linear", 30, 60)
    trace.op("aten::addmm", 35, 55)
    trace.kernel("gemm", 210, 250, launch=(40, 45))
    trace.op("aten::sum", 210, 220)
    stack = "nn.Module: Net_0 > nn.Module: Linear_0 > model.py(7): forward"
    found = paths_us(with_paths(trace), BY_PYTHON)
    assert found == {
        "Net_0": 90,
        "nn.Module: Net_0 > Linear_0": 100,
        f"{stack} > aten::linear": 10,
        f"{stack} > aten::addmm": 15,
        f"{stack} > aten::addmm > gemm": 40,
        f"{stack} > aten::addmm > device work": 40,
        "aten::sum": 10,
    }


def test_the_call_stack_argument_of_older_traces_is_read_innermost_first() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    stack: dict[str, Any] = {"Call stack": "model.py(7): forward;train.py(3): <module>"}
    trace.op("aten::linear", 10, 50, **stack)
    trace.op("aten::addmm", 20, 40)  # without a stack
    assert paths_us(with_paths(trace), BY_PYTHON) == {
        "train.py(3): <module> > model.py(7): forward > aten::linear": 20,
        "train.py(3): <module> > model.py(7): forward > aten::addmm": 20,
    }


@pytest.mark.parametrize("raw", ["", "5", "null", '""', '";;"', "no json", "[1]"])
def test_an_unreadable_or_empty_stack_has_no_functions(raw: str) -> None:
    assert stack_of(raw) == []


def test_backward_work_is_called_from_the_module_of_its_forward_operator() -> None:
    trace = network()
    trace.op("aten::linear", 30, 60)
    trace.forward_backward(7, 30, 212)
    trace.op(ENGINE + "AddmmBackward0", 210, 240, thread=MAIN + 1)
    trace.op("AddmmBackward0", 212, 238, thread=MAIN + 1)
    assert paths_us(with_paths(trace))[f"Net_0 > Linear_0 > {ENGINE}AddmmBackward > AddmmBackward"] == 26


def test_a_kernel_without_a_recorded_launch_has_no_callers() -> None:
    trace = linear()
    trace.kernel("lost", 260, 270)
    assert paths_us(with_paths(trace))["(launch not recorded) > lost"] == 10


def test_a_trace_without_operators_has_no_paths() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.kernel("gemm", 10, 20)
    assert with_paths(trace).call_paths == {}


def test_without_stacks_there_are_no_paths_by_python_function() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 50)
    assert list(with_paths(trace).call_paths) == [BY_OPERATOR]


def test_call_paths_are_computed_only_on_request() -> None:
    assert summarize(recording(linear()), Origin("drawn", "drawn", "w", "1", 0)).call_paths == {}


def sums(tree: CallTree, kind: FrameKind) -> Counter[str]:
    """Time by name of the frames of a kind; launched device work counts for its operator."""
    found: Counter[str] = Counter()
    own, keys = tree.own()[0].tolist(), tree.keys()
    for parent, key, time in zip(tree.parent.tolist(), keys, own, strict=True):
        if key[0] == kind:
            found[keys[parent][2] if kind == FrameKind.LAUNCHED else key[2]] += time
    return found


def table(of: Summary, name: str, measure: str) -> Counter[str]:
    group = of.groups.get(name)
    if group is None:
        return Counter()
    return Counter(
        dict(zip((key[0] for key in group.keys), group.measures_ns[measure].sum(axis=1).tolist(), strict=True))
    )


def assert_paths_sum_to_rows(of: Summary) -> None:
    for tree in of.call_paths.values():
        for kind, name, measure in (
            (FrameKind.OPERATOR, "operators", "host_self"), (FrameKind.LAUNCHED, "operators", "device_self"),
            (FrameKind.DEVICE, "kernels", "total"), (FrameKind.MODULE, "modules", "host_self"),
        ):  # fmt: skip
            found, expected = sums(tree, kind), table(of, name, measure)
            assert {key: found[key] for key in expected} == dict(expected)


@given(traces_with_modules())
def test_the_paths_of_a_row_sum_to_it(trace: TraceBuilder) -> None:
    with suppress(CorruptInput):
        assert_paths_sum_to_rows(with_paths(trace))


@given(st.lists(traces_with_modules(), min_size=2, max_size=2), st.integers(0, 9))
def test_the_paths_of_pooled_captures_and_selected_steps_sum_to_their_rows(
    drawn: list[TraceBuilder], choice: int
) -> None:
    captures = []
    for span, trace in enumerate(drawn):
        with suppress(CorruptInput):
            captures.append(with_paths(trace, str(span)))
    try:
        pooled = pool(captures)
    except SelectionError:  # nothing drawn, or steps by different markers
        return
    assert_paths_sum_to_rows(pooled)
    if pooled.marked:
        number = int(pooled.steps.label[choice % len(pooled.steps)].partition(" ")[0])
        assert_paths_sum_to_rows(select_steps(pooled, (number, number)))


def test_frames_beyond_the_limit_are_pooled_per_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PATHS", 3)
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 200)
    for name, start, end in (("outer", 0, 150), ("big", 10, 100), ("small", 110, 113), ("little", 120, 122)):
        trace.op(name, start, end)
    assert paths_us(with_paths(trace)) == {"outer": 55, "outer > big": 90, "outer > (smaller frames)": 5}
