"""Activations that are recomputed in the backward pass have a cause of their own."""

from __future__ import annotations

from tests.build import TraceBuilder
from tests.comparison.test_comparison_laws import compare, summarised

AUTOGRAD = "autograd::engine::evaluate_function: "


def trained(*, again: bool = False, twice: bool = False, steps: int = 4) -> TraceBuilder:
    """Steps of two layers, forward and backward; `again`: the backward pass calls each layer before its gradient;
    `twice`: the forward pass calls each layer twice."""
    trace, at = TraceBuilder(), 0
    for step in range(steps):
        start = at
        for _ in range(4 if twice else 2):
            trace.op("aten::linear", at + 5, at + 55)
            trace.op("aten::addmm", at + 10, at + 50)
            at += 60
        for _ in range(2):
            trace.op(f"{AUTOGRAD}AddmmBackward0", at, at + 130)
            if again:
                trace.op("aten::linear", at + 5, at + 55)
                trace.op("aten::addmm", at + 10, at + 50)
            trace.op("AddmmBackward0", at + 60, at + 120)
            trace.op("aten::mm", at + 70, at + 110)
            at += 140
        trace.step(step, start, at)
    return trace


def test_layers_that_run_again_in_the_backward_pass_are_recomputed() -> None:
    (there,) = compare(summarised(trained()), summarised(trained(again=True))).findings
    assert there.rule == "recomputation"
    assert there.sentence.startswith("Activations are recomputed in the backward pass: ")
    assert "calls per step: aten::linear 2 → 4, aten::addmm 2 → 4" in there.sentence
    (back,) = compare(summarised(trained(again=True)), summarised(trained())).findings
    assert back.rule == "recomputation_gone"
    assert back.sentence.startswith("Activations are no longer recomputed in the backward pass: ")
    assert there.delta_us == -(back.delta_us or 0.0)


def test_layers_that_the_forward_pass_runs_again_are_more_calls() -> None:
    rules = {one.rule for one in compare(summarised(trained()), summarised(trained(twice=True))).findings}
    assert rules and not any(rule.startswith("recomputation") for rule in rules)
