"""Inference that records a graph for autograd."""

from __future__ import annotations

import pytest

from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def inference(*, graph: bool, more_us: int = 0, times: int = 0, backward: bool = False) -> TraceBuilder:
    """Eight steps of twelve operators, from 10 to 120 µs and `more_us` each; or of `times` that, with shapes.
    Outside of no_grad() each has the number of its node; inputs made before the model have that of the next node on
    either side."""
    trace, node = TraceBuilder(vendor="cpu"), 7
    for step in range(8):
        at, shapes = 4_000 * step, [[8, 8]] if times else None
        trace.step(step, at, at + 220 + 780 * max(times, 1) + 12 * more_us + step % 3 + graph)
        trace.op("aten::rand", at, at + 20, **{"Sequence number": node})
        begin = at + 30
        for call in range(12):
            node += graph
            us = 10 * max(times, 1) * (call + 1) + more_us
            trace.op(f"aten::op{call}", begin, begin + us, dims=shapes, **({"Sequence number": node} if graph else {}))
            begin += us + 1
        if backward:
            trace.op("autograd::engine::evaluate_function: AddmmBackward0", begin, begin + 10)
    return trace


def compared(*sides: TraceBuilder) -> Comparison:
    return compare_summaries(summary(sides[0]), summary(sides[1]), CompareOptions(resamples=200))


def graphs(*sides: TraceBuilder) -> list[str]:
    return [dict(summary(side).environment)["autograd.graph"] for side in sides]


@pytest.mark.parametrize(("more_us", "words"), [
    (30, "Autograd records a graph that no backward pass uses: +361 µs per step."),
    (0, "Autograd records a graph that no backward pass uses."),
])  # fmt: skip
def test_a_graph_on_one_side_is_named_whether_or_not_it_takes_time(more_us: int, words: str) -> None:
    found = compared(inference(graph=False), inference(graph=True, more_us=more_us))
    assert [(finding.rule, finding.sentence) for finding in found.findings] == [("autograd_recorded", words)]


def test_a_part_may_be_the_machines_if_all_work_is_slower() -> None:
    sides = [
        pool([summary(inference(graph=graph, times=times), span=str(times)) for times in paces])
        for graph, paces in ((False, (1, 2, 1)), (True, (2, 1, 3)))
    ]
    found = compare_summaries(*sides, CompareOptions(resamples=200))
    assert [finding.sentence for finding in found.findings if finding.rule == "autograd_recorded"] == [
        "Autograd records a graph that no backward pass uses: up to +521 µs per step."
    ]


def test_without_it_it_is_gained() -> None:
    found = compared(inference(graph=True), inference(graph=False))
    assert [(finding.rule, finding.delta_us) for finding in found.findings] == [("autograd_off", None)]


def test_numbers_that_do_not_advance_are_no_graph() -> None:
    assert graphs(inference(graph=False), inference(graph=True)) == ["not recorded", "recorded"]


def test_a_backward_pass_uses_it() -> None:
    found = compared(inference(graph=False, backward=True), inference(graph=True, backward=True))
    assert not {finding.rule for finding in found.findings} & {"autograd_recorded", "autograd_off"}


def training(unused: int, *, used: int = 6) -> TraceBuilder:
    """Eight steps of 18 operators. The backward pass runs `used` of autograd's nodes and leaves out `unused`; the other
    operators are in no_grad()."""
    trace, node = TraceBuilder(vendor="cpu"), 7
    for step in range(8):
        begin = at = 4_000 * step
        nodes = []
        for call in range(18):
            node += call < unused or call >= 12
            nodes += [node] if call < used - 6 or call >= 12 else []
            trace.op(f"aten::op{call % 6}", at, at + 40 + step % 3 + (call < unused), **{"Sequence number": node})
            at += 45
        for number in reversed(nodes):
            name = f"autograd::engine::evaluate_function: Op{number % 6}Backward0"
            trace.op(name, at, at + 40, **{"Sequence number": number})
            at += 45
        trace.step(step, begin, at)
    return trace


def of_autograd(*sides: TraceBuilder) -> list[tuple[str, str]]:
    return [(one.rule, one.sentence) for one in compared(*sides).findings if one.rule.startswith("autograd")]


def test_training_may_record_a_graph_that_no_backward_pass_uses() -> None:
    """As of a target network, or of rollouts."""
    sides = training(0), training(12)
    text = "nodes that no backward pass uses:"
    assert of_autograd(*sides) == [("autograd_recorded", f"Autograd records more {text} 0 → 12 per step.")]
    assert of_autograd(*sides[::-1]) == [("autograd_off", f"Autograd records fewer {text} 12 → 0 per step.")]


@pytest.mark.parametrize("other", [training(1), training(6, used=12)])
def test_one_more_node_or_a_longer_backward_pass_is_no_graph_that_none_uses(other: TraceBuilder) -> None:
    for sides in ((training(0), other), (other, training(0)), (training(6), training(6, used=12))):
        assert of_autograd(*sides) == []
