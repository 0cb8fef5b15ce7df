"""Activations that are recomputed in the backward pass have a cause of their own."""

from __future__ import annotations

from tests.build import TraceBuilder
from tests.comparison.compare import compare, rules_of

AUTOGRAD = "autograd::engine::evaluate_function: "


def trained(
    *, recompute: bool = False, doubled: bool = False, steps: int = 4, differentiated: int = 2
) -> TraceBuilder:  # fmt: skip
    """Steps of two layers, forward and backward. `recompute`: the backward pass calls each layer again; `doubled`: the
    forward pass calls each layer twice; `differentiated`: calls of the backward pass."""
    trace, at = TraceBuilder(), 0
    for step in range(steps):
        start = at
        for _ in range(4 if doubled else 2):
            trace.op("aten::linear", at + 5, at + 55)
            trace.op("aten::addmm", at + 10, at + 50)
            at += 60
        for _ in range(differentiated):
            trace.op(f"{AUTOGRAD}AddmmBackward0", at, at + 130)
            if recompute:
                trace.op("aten::linear", at + 5, at + 55)
                trace.op("aten::addmm", at + 10, at + 50)
            trace.op("AddmmBackward0", at + 60, at + 120)
            trace.op("aten::mm", at + 70, at + 110)
            at += 140
        trace.step(step, start, at)
    return trace


def test_layers_that_run_again_in_the_backward_pass_are_recomputed() -> None:
    (forward,) = compare(trained(), trained(recompute=True)).findings
    assert forward.rule == "recomputation"
    assert forward.sentence.startswith("Activations are recomputed in the backward pass: ")
    assert "calls per step: aten::linear 2 → 4, aten::addmm 2 → 4" in forward.sentence
    (swapped,) = compare(trained(recompute=True), trained()).findings
    assert swapped.rule == "recomputation_gone"
    assert swapped.sentence.startswith("Activations are no longer recomputed in the backward pass: ")
    assert forward.delta_us == -(swapped.delta_us or 0.0)


def test_layers_that_the_forward_pass_runs_again_are_more_calls() -> None:
    rules = set(rules_of(compare(trained(), trained(doubled=True))))
    assert rules and not any(rule.startswith("recomputation") for rule in rules)


def test_more_calls_of_the_backward_pass_alone_say_so() -> None:
    """Another model, such as a teacher, runs without torch.no_grad()."""
    (finding,) = compare(trained(), trained(differentiated=4)).findings
    assert finding.sentence.startswith("More calls, all in the backward pass: +280 µs per step, ")
    assert finding.look_at.startswith("torch.no_grad()")
