"""The call tree of one side: callers and callees, and that frames sum to the step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tb_perfcompare.analysis.attribution import call_tree as module
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.pooling.select import select_steps
from tb_perfcompare.model.summary.call_tree import MIXED, CallTree, FrameKind
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.attribution.test_owned_modules import ENGINE, network, traces_with_modules
from tests.analysis.summaries import summarized, summary
from tests.build import MAIN, TraceBuilder
from tests.picture import picture

NOTHING = "(nothing recorded)"


def tree_of(of: Summary) -> CallTree:
    assert of.call_tree is not None
    return of.call_tree


def paths_of(tree: CallTree) -> list[str]:
    """`a > b` of every frame; the root is ""."""
    paths: list[str] = []
    for parent, (_, _, name) in zip(tree.parent.tolist(), tree.keys(), strict=True):
        paths.append("" if parent < 0 else f"{paths[parent]} > {name}" if parent else name)
    return paths


def own_us(of: Summary) -> dict[str, float]:
    """Path -> self time in microseconds of all steps, of frames with any."""
    tree = tree_of(of)
    return {path: ns / 1000 for path, ns in zip(paths_of(tree), tree.own()[0].tolist(), strict=True) if ns}


def calls(of: Summary) -> dict[str, int]:
    """Path -> calls in all steps, of frames with any."""
    tree = tree_of(of)
    return {path: n for path, n in zip(paths_of(tree), tree.own()[1].tolist(), strict=True) if n}


def test_a_path_has_modules_then_operators_then_a_call_or_device_work() -> None:
    trace = network()
    trace.op("aten::linear", 30, 60)
    trace.op("aten::addmm", 35, 55)
    trace.kernel("gemm", 210, 250, launch=(40, 45))
    assert own_us(summary(trace)) == {
        "Net_0": 90,
        "Net_0 > Linear_0": 70,
        "Net_0 > Linear_0 > aten::linear": 10,
        "Net_0 > Linear_0 > aten::linear > aten::addmm": 15,
        "Net_0 > Linear_0 > aten::linear > aten::addmm > cudaLaunchKernel": 5,
        "Net_0 > Linear_0 > aten::linear > aten::addmm > gemm": 40,
        NOTHING: 300 - 190 - 40,
    }


def test_backward_work_is_in_the_module_of_its_forward_operator() -> None:
    trace = network()
    trace.op("aten::linear", 30, 60)
    trace.forward_backward(7, 30, 212)
    trace.op(ENGINE + "AddmmBackward0", 210, 240, thread=MAIN + 1)
    trace.op("AddmmBackward0", 212, 238, thread=MAIN + 1)
    trace.kernel("gemm", 270, 290, launch=(220, 222), thread=MAIN + 1)
    found = own_us(summary(trace))
    below = f"Net_0 > Linear_0 > {ENGINE}AddmmBackward > AddmmBackward"
    assert (found[below], found[f"{below} > gemm"]) == (24, 20)


def test_an_operator_around_a_module_keeps_the_work_outside_it() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.python("nn.Module: Wrapper_0", 0, 100, number=1, module=0)
    trace.op("Wrapper.forward", 10, 90)
    trace.python("nn.Module: Net_0", 20, 60, number=2, parent=1, module=1)
    trace.op("aten::mm", 30, 50)
    trace.op("aten::sum", 70, 80)
    assert own_us(summary(trace)) == {
        "Wrapper_0": 20,
        "Wrapper_0 > Wrapper.forward": 80 - 20 - 10,
        "Wrapper_0 > Wrapper.forward > aten::sum": 10,
        "Wrapper_0 > Net_0 > aten::mm": 20,
    }


def test_without_modules_paths_begin_with_operators_and_calls_are_counted() -> None:
    trace = picture("""
        main     |[ProfilerStep#1.....][ProfilerStep#2.....]
        main     | [aten::mm]           [aten::mm]
        main     |  [aten::mm]
        main.api |   a                   a
        stream7  |        aaaa                 aa
    """, names={"a": "gemm"})  # fmt: skip
    drawn = summary(trace)
    assert own_us(drawn) == {
        "aten::mm": (100 - 10 - 30) + (100 - 10 - 20),
        "aten::mm > cudaLaunchKernel": 20,
        "aten::mm > gemm": 60,
        NOTHING: sum(drawn.steps.total_ns.tolist()) / 1000 - 130 - 20 - 60,
    }
    # a single nested call of the same name counts once
    assert calls(drawn) == {"aten::mm": 2, "aten::mm > cudaLaunchKernel": 2, "aten::mm > gemm": 2}


def test_a_kernel_without_a_recorded_launch_is_separate() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 30)
    trace.kernel("lost", 40, 60)
    assert own_us(summary(trace)) == {"aten::mm": 20, "(launch not recorded) > lost": 20, NOTHING: 60}


def test_siblings_are_in_order_of_their_first_run() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    for name, start in (("b", 10), ("c", 30), ("a", 50), ("b", 70)):
        trace.op(name, start, start + 5)
    assert paths_of(tree_of(summary(trace))) == ["", NOTHING, "b", "c", "a"]


def test_the_smallest_frames_are_pooled_per_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FRAMES", 5)
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 200)
    for name, start, end in (
        ("outer", 0, 150), ("big", 10, 100), ("tiny", 20, 21), ("small", 110, 113), ("little", 120, 122),
        ("sum", 160, 161), ("mul", 170, 171),
    ):  # fmt: skip
        trace.op(name, start, end)
    found = summary(trace)
    assert own_us(found) == {
        "outer": 150 - 90 - 3 - 2, "outer > big": 89,
        # a single small frame keeps its name
        "outer > big > tiny": 1,
        "outer > small": 3, "outer > little": 2,
        "(smaller frames)": 2, NOTHING: 48,
    }  # fmt: skip
    tree = tree_of(found)
    assert dict(zip(paths_of(tree), tree.merged.tolist(), strict=True))["(smaller frames)"] == 2


def test_without_operators_there_is_no_tree_and_the_reason_says_what_to_record() -> None:
    trace = TraceBuilder()
    trace.step(1, 0, 100)
    trace.kernel("gemm", 10, 20)
    drawn = summary(trace)
    assert drawn.call_tree is None
    assert "profile_all_threads=True" in drawn.absent["call_tree"]  # markers need ProfilerActivity.CPU


@given(traces_with_modules(), st.sampled_from(("device", "marker")), st.sampled_from((2, 8_000)))
def test_frames_sum_to_the_step_and_to_each_category(trace: TraceBuilder, window: str, most: int) -> None:
    before, module.MAX_FRAMES = module.MAX_FRAMES, most
    try:
        drawn = summarized(trace, window=window)
    finally:
        module.MAX_FRAMES = before
    assume(drawn.call_tree is not None)
    tree = tree_of(drawn)
    by_step = np.bincount(tree.step, weights=tree.time_ns, minlength=len(drawn.steps)).astype(int)
    assert by_step.tolist() == drawn.steps.total_ns.tolist()
    assert (tree.parent[1:] < np.arange(1, len(tree))).all() and tree.parent[0] == -1
    places = list(zip(tree.parent.tolist(), tree.keys(), strict=True))
    assert len(set(places)) == len(places)
    if FrameKind.REST not in tree.kind:
        time = tree.own()[0]
        for category, expected in enumerate(drawn.owned.by_category().sum(axis=1).tolist()):
            assert int(time[tree.category == category].sum()) == expected
        assert int(time[tree.category == MIXED].sum()) == 0


def two_steps(*lengths: int) -> Summary:
    trace = TraceBuilder(vendor="cpu")
    for number, length in enumerate(lengths):
        trace.step(number, 100 * number, 100 * number + 100)
        trace.op(f"op_{number}", 100 * number, 100 * number + length)
    return summary(trace)


def test_selected_steps_keep_their_frames() -> None:
    drawn = select_steps(two_steps(10, 20, 30), (1, 2))
    assert own_us(drawn) == {"op_1": 20, "op_2": 30, NOTHING: 150}
    assert tree_of(drawn).step.max() == 1


def test_captures_are_pooled_by_frame() -> None:
    both = pool([two_steps(10, 20), two_steps(5)])
    assert own_us(both) == {"op_0": 15, "op_1": 20, NOTHING: 300 - 35}
    assert sorted(set(tree_of(both).step.tolist())) == [0, 1, 2]
