"""Work of the runtime and of libraries inside the steps: captured graphs, searches for an algorithm."""

from __future__ import annotations

from itertools import product

import pytest

from tests.build import TraceBuilder
from tests.comparison.compare import compare, finding_of, rules_of


def replaying(*, captures: bool = False, rest: int = 0, vendor: str = "cuda") -> TraceBuilder:
    """Eight steps that launch a graph of ten kernels twice. With `captures`, each step first synchronizes with the
    device, empties the cache and captures the graph again. `rest`: µs of an operator that allocates."""
    trace, at = TraceBuilder(vendor=vendor), 0.0
    for number in range(8):
        begin = at
        if captures:
            trace.call("cudaDeviceSynchronize", at, at + 20)
            trace.call("cudaFree", at + 20, at + 120)
            trace.call("cudaStreamBeginCapture", at + 120, at + 125)
            for place in range(10):
                trace.op("aten::relu", at + 130 + 30 * place, at + 155 + 30 * place)
            trace.call("cudaStreamEndCapture", at + 440, at + 445)
            trace.call("cudaGraphInstantiateWithFlags", at + 450, at + 650 + number % 3)
            at += 660
        if rest:
            trace.op("aten::mm", at, at + rest)
            trace.call("cudaMalloc", at + 10, at + 150)
            trace.call("cudaFree", at + 160, at + 380)
            at += rest + 5
        trace.op("aten::copy_", at, at + 10)
        at += 12
        for _ in range(2):
            trace.call("cudaGraphLaunch", at, at + 20)
            for place in range(10):
                trace.kernel("relu", at + 30 + 10 * place, at + 39 + 10 * place)
            at += 140
        trace.step(number, begin, at)
        at += 5
    return trace


def test_a_graph_captured_in_each_step_is_one_finding() -> None:
    found = compare(replaying(), replaying(captures=True))
    assert rules_of(found) == ["graph_captures"]
    assert found.findings[0].sentence.startswith(
        "Graphs are captured in the step: +660 µs host time per step; 0 → 1 captures per step"
    )


def test_a_graph_captured_once_is_as_much_faster() -> None:
    found = compare(replaying(captures=True), replaying())
    assert rules_of(found) == ["graph_captures"]
    assert found.findings[0].sentence.startswith("Graphs are no longer captured in the step: −660 µs host time")


def test_graphs_captured_on_both_sides_are_no_finding() -> None:
    assert "graph_captures" not in rules_of(compare(replaying(captures=True), replaying(captures=True, rest=400)))


def test_a_step_that_is_shorter_all_the_same_has_another_cause() -> None:
    assert "graph_captures" not in rules_of(compare(replaying(rest=1400), replaying(captures=True)))


def test_runtimes_of_two_vendors_are_not_counted_against_each_other() -> None:
    assert "graph_captures" not in rules_of(compare(replaying(vendor="rocm"), replaying(captures=True)))


def test_memory_that_operators_run_out_of_is_a_finding_of_its_own() -> None:
    found = compare(replaying(), replaying(captures=True, rest=400))
    assert {"memory_pressure", "graph_captures"} <= {*rules_of(found)}


def convolving(
    *, kernels: int = 2, waits: int = 0, calls: int = 4, timed: int = 4, by: str = "cudaEventSynchronize",
    backward: bool = False,
) -> TraceBuilder:  # fmt: skip
    """Eight steps of `calls` convolutions that launch `kernels` each. The first `timed` ones wait after the first
    `waits` of these; `backward` ones take longer."""
    trace, at = TraceBuilder(), 0.0
    for number in range(8):
        begin = at
        for call, name in product(range(calls), ("convolution", *(["convolution_backward"] * backward))):
            more = 20 * (name == "convolution_backward")
            length = 40 + (60 + more) * kernels + number % 3
            trace.op(f"aten::{name}", at, at + length)
            for place in range(kernels):
                start = at + 10 + (60 + more) * place
                trace.kernel(f"conv_{place}", start + 12, start + 42, launch=(start, start + 8))
                if place < waits and call < timed:
                    trace.call(by, start + 9, start + 45)
            at += length + 10
        trace.step(number, begin, at)
    return trace


def test_kernels_that_are_tried_and_timed_are_a_search() -> None:
    found = compare(convolving(), convolving(kernels=9, waits=8))
    assert rules_of(found)[0] == "algorithm_search"
    assert found.findings[0].sentence == (
        "The library searches for algorithms: +1.68 ms per step; aten::convolution launches 2 → 9 kernels per "
        "call and times them."
    )
    assert "synchronization" not in rules_of(found)
    assert "cudnn.benchmark" in found.findings[0].look_at


def test_the_operator_that_takes_longest_is_named() -> None:
    finding = compare(convolving(backward=True), convolving(kernels=9, waits=8, backward=True)).findings[0]
    assert finding.sentence.startswith(
        "The library searches for algorithms: +3.92 ms per step; aten::convolution_backward and 1 more launch 2 → 9"
    )


def test_a_search_that_is_over_is_exactly_as_much_faster() -> None:
    plain, searching = convolving(backward=True), convolving(kernels=9, waits=8, backward=True)
    there, back = (finding_of(compare(*pair), "algorithm_search") for pair in ((plain, searching), (searching, plain)))
    assert back.sentence.startswith("The library no longer searches for algorithms: −3.92 ms per step")
    assert there.delta_us == -back.delta_us


def test_a_wait_for_each_call_of_the_side_with_fewer_is_enough_in_either_order() -> None:
    plain, searching = convolving(calls=20), convolving(kernels=9, calls=21, waits=1, timed=20)
    for pair in ((plain, searching), (searching, plain)):
        assert "algorithm_search" in rules_of(compare(*pair))


@pytest.mark.parametrize(
    "candidate",
    [
        convolving(kernels=3, waits=3), convolving(kernels=9),
        convolving(kernels=9, waits=8, by="cudaStreamSynchronize"), convolving(kernels=9, waits=8, calls=8),
        convolving(kernels=9, waits=3, timed=1),
    ],
    ids=["few kernels", "no waits", "waits for the stream", "more calls", "waits in few calls"],
)  # fmt: skip
def test_more_kernels_or_waits_alone_are_no_search(candidate: TraceBuilder) -> None:
    assert "algorithm_search" not in rules_of(compare(convolving(), candidate))


def test_more_waits_with_fewer_kernels_are_no_search() -> None:
    found = compare(convolving(kernels=9), convolving(kernels=2, waits=2))
    assert "algorithm_search" not in rules_of(found)
