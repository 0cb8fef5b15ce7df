"""Owned time by module, forward and backward, which sums to the step."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.attribution import owned_modules
from tb_perfcompare.model.note import NoteCode
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summarized, summary
from tests.build import MAIN, TraceBuilder
from tests.strategies import traces

OUTSIDE = "(outside modules)"
ENGINE = "autograd::engine::evaluate_function: "


def modules_us(of: Summary) -> dict[tuple[str, str], float]:
    """(module path, category) -> owned microseconds of all steps."""
    assert of.modules is not None
    time, _ = of.modules.totals()
    return {(key[0], key[1]): ns / 1000 for key, ns in zip(of.modules.keys, time.tolist(), strict=True)}


def network() -> TraceBuilder:
    """Net_0 from 10 to 200 us with Linear_0 from 20 to 120 inside, in a step of 300 us."""
    trace = TraceBuilder()
    trace.step(1, 0, 300)
    trace.python("nn.Module: Net_0", 10, 200, number=1, module=0)
    trace.python("nn.Module: Linear_0", 20, 120, number=2, parent=1, module=0)
    return trace


def test_work_belongs_to_the_innermost_module_around_its_operator() -> None:
    trace = network()
    trace.op("aten::linear", 30, 60)
    trace.kernel("gemm", 210, 250, launch=(40, 45))
    trace.op("aten::relu", 130, 140)
    trace.op("aten::sum", 260, 270)
    trace.kernel("lost", 280, 285)
    assert modules_us(summary(trace)) == {
        ("Net_0", "Other"): 90 - 10,
        ("Net_0", "CPU Exec"): 10,
        ("Net_0/Linear_0", "Other"): 100 - 30,
        ("Net_0/Linear_0", "CPU Exec"): 30 - 5,
        ("Net_0/Linear_0", "Runtime"): 5,
        ("Net_0/Linear_0", "Kernel"): 40,
        (OUTSIDE, "CPU Exec"): 10,
        (OUTSIDE, "Kernel"): 5,
        (OUTSIDE, "Other"): 10 + 10 + 10 + 10 + 15,
    }


def test_backward_work_belongs_to_the_module_of_its_forward_operator() -> None:
    trace = network()
    trace.op("aten::linear", 30, 60)
    trace.forward_backward(7, 30, 212)
    trace.op(ENGINE + "AddmmBackward0", 210, 240, thread=MAIN + 1)
    trace.op("AddmmBackward0", 212, 238, thread=MAIN + 1)
    trace.kernel("gemm", 270, 290, launch=(220, 222), thread=MAIN + 1)
    trace.op(ENGINE + "torch::autograd::AccumulateGrad", 245, 250, thread=MAIN + 1)
    found = modules_us(summary(trace))
    assert found["Net_0/Linear_0", "CPU Exec"] == 30 + (30 - 2)
    assert (found["Net_0/Linear_0", "Runtime"], found["Net_0/Linear_0", "Kernel"]) == (2, 20)
    assert found["(backward, outside modules)", "CPU Exec"] == 5
    assert not any(path == OUTSIDE and category != "Other" for path, category in found)


def test_without_forward_backward_arrows_backward_work_is_outside_modules_but_separate() -> None:
    trace = network()
    trace.op("aten::linear", 30, 60)
    trace.op(ENGINE + "AddmmBackward0", 210, 240, thread=MAIN + 1)
    trace.call("cudaMalloc", 215, 216, thread=MAIN + 1)
    trace.op("aten::add_", 250, 257)
    found = modules_us(summary(trace))
    assert found["(backward, outside modules)", "CPU Exec"] == 29
    assert found["(backward, outside modules)", "Runtime"] == 1
    assert found[OUTSIDE, "CPU Exec"] == 7


def test_an_ambiguous_forward_backward_arrow_is_ignored() -> None:
    trace = network()
    trace.op("aten::linear", 30, 60)
    trace.op("AddmmBackward0", 212, 238, thread=MAIN + 1)
    for _ in range(2):
        trace.forward_backward(7, 30, 212)
    assert modules_us(summary(trace))[OUTSIDE, "CPU Exec"] == 26


def test_modules_of_one_name_in_two_parents_have_two_paths() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    for number, (name, start, end) in enumerate(
        (("Net_0", 0, 40), ("ReLU_0", 10, 20), ("Net_1", 50, 90), ("ReLU_0", 60, 70))
    ):
        trace.python(f"nn.Module: {name}", start, end, number=number, module=0)
    assert modules_us(summary(trace)) == {
        ("Net_0", "Other"): 30, ("Net_0/ReLU_0", "Other"): 10, ("Net_1", "Other"): 30, ("Net_1/ReLU_0", "Other"): 10,
        (OUTSIDE, "Other"): 20,
    }  # fmt: skip


def test_the_smallest_modules_beyond_the_limit_are_pooled_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owned_modules, "MAX_KEYS", 2)
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    for number, length in enumerate((5, 9, 3)):
        trace.python(f"nn.Module: Net_{number}", 20 * number, 20 * number + length, number=number, module=number)
    drawn = summary(trace)
    assert modules_us(drawn) == {(OUTSIDE, "Other"): 83, ("Net_1", "Other"): 9, ("(smaller modules)", "Other"): 8}
    assert NoteCode.PARTS_POOLED in {note.code for note in drawn.notes}


def test_without_modules_the_reason_says_what_to_record() -> None:
    trace = TraceBuilder(vendor="cpu")
    trace.step(1, 0, 100)
    trace.op("aten::mm", 10, 20)
    drawn = summary(trace)
    assert drawn.modules is None and "modules" not in drawn.groups
    assert "with_stack" in drawn.absent["modules_ledger"] and "with_stack" in drawn.absent["modules"]


@st.composite
def traces_with_modules(draw: st.DrawFn) -> TraceBuilder:
    """A random trace with module calls and forward-backward arrows on its threads."""
    trace = draw(traces())
    for number in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, 300))
        name = f"nn.Module: {draw(st.sampled_from(('Net_0', 'Linear_0', 'Linear_1')))}"
        trace.python(name, start, start + draw(st.integers(0, 200)), number=number, module=number,
                     thread=draw(st.sampled_from((MAIN, MAIN, MAIN + 1))))  # fmt: skip
    for number in range(draw(st.integers(0, 3))):
        trace.forward_backward(number, draw(st.integers(0, 200)), draw(st.integers(0, 300)))
    return trace


@given(traces_with_modules(), st.sampled_from(("device", "marker")))
def test_modules_sum_to_the_step_and_to_each_category(trace: TraceBuilder, window: str) -> None:
    drawn = summarized(trace, window=window)
    assert drawn.modules is not None
    by_step: Counter[int] = Counter()
    for step, ns in zip(drawn.modules.step.tolist(), drawn.modules.time_ns.tolist(), strict=True):
        by_step[step] += ns
    assert [by_step[step] for step in range(len(drawn.steps))] == drawn.steps.total_ns.tolist()
    by_category: Counter[str] = Counter()
    for (_, category), us in modules_us(drawn).items():
        by_category[category] += round(us * 1000)
    assert sorted(by_category.values()) == sorted(ns for ns in drawn.owned.by_category().sum(axis=1).tolist() if ns)
