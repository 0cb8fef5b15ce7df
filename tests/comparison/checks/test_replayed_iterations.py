"""A side whose iterations are graph launches against one that launches the same kernels one by one."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tests.build import TraceBuilder
from tests.comparison.compare import compare, rules_of

KERNELS = tuple(f"kernel_{number}" for number in range(6))


def replayed(kernels: tuple[str, ...] = KERNELS) -> TraceBuilder:
    trace = TraceBuilder()
    for step in range(10):
        at = step * 200
        trace.call("cudaStreamIsCapturing", at - 3, at - 2)
        trace.call("cudaGraphLaunch", at, at + 20)
        for number, name in enumerate(kernels):
            trace.kernel(name, at + 30 + 25 * number, at + 54 + 25 * number)
    return trace


def eager() -> TraceBuilder:
    trace = TraceBuilder()
    for step in range(10):
        at = step * 500
        for number, name in enumerate(KERNELS):
            begin = at + 80 * number
            trace.op(f"aten::op_{number}", begin, begin + 60)
            trace.kernel(name, begin + 40, begin + 64, launch=(begin + 10, begin + 20))
    return trace


def step_marker(found: Comparison) -> tuple[str, str]:
    return next((check.status, check.detail) for check in found.comparability if check.check == "step_marker")


def test_an_iteration_that_runs_the_same_kernels_is_the_same_unit() -> None:
    found = compare(replayed(), eager())
    assert step_marker(found) == (
        "ok",
        "a baseline step (an iteration by cudaGraphLaunch) holds the work of a candidate step (an iteration by "
        "aten::op_0): 6 kernels of both sides, 100 % of their time, run equally often per step",
    )
    assert found.headline.verdict is Verdict.SLOWER
    assert found.findings[0].rule == "graph_lost"


@pytest.mark.parametrize("kernels", [(*KERNELS, *KERNELS), tuple(f"other_{number}" for number in range(6))])
def test_a_graph_of_several_iterations_or_of_other_kernels_is_another_unit(kernels: tuple[str, ...]) -> None:
    found = compare(replayed(kernels), eager())
    assert step_marker(found)[0] == "fail"
    assert found.headline.verdict is Verdict.WITHHELD


def compiled(key: str, products: int = 2) -> TraceBuilder:
    """Iterations that call a compiled graph with a key of its own."""
    trace = TraceBuilder()
    for step in range(10):
        at = step * 300
        trace.annotation(f"## Call CompiledFxGraph {key} ##", at, at + 280)
        for number in range(products):
            trace.op("extern_kernels::mm", at + 20 + 100 * number, at + 110 + 100 * number)
        trace.op("aten::expand", at + 260, at + 270)
    return trace


def test_compiled_graphs_of_other_keys_are_the_same_unit() -> None:
    found = compare(compiled("fabc2"), compiled("fxyz7"))
    assert step_marker(found)[0] == "ok"
    assert step_marker(found)[1].endswith("2 operators of both sides, 100 % of their time, run equally often per step")
    assert found.headline.verdict is not Verdict.WITHHELD
    assert "iteration_kinds" not in found.tables


def test_a_compiled_graph_that_does_half_as_much_is_another_unit() -> None:
    found = compare(compiled("fabc2"), compiled("fxyz7", products=1))
    assert step_marker(found)[0] == "fail"


def test_a_recording_of_one_iteration_is_one_step_of_a_recording_of_many() -> None:
    once, twice = TraceBuilder(), TraceBuilder()
    for trace, iterations in ((once, 1), (twice, 2)):
        for number, name in enumerate(KERNELS * iterations):
            trace.op(f"aten::{name}", 80 * number, 80 * number + 60)
    assert step_marker(compare(once, eager()))[0] == "fail"  # other operators
    marked = TraceBuilder()
    for step in range(4):
        marked.step(step, 1000 * step, 1000 * step + 900)
        for number, name in enumerate(KERNELS):
            marked.op(f"aten::{name}", 1000 * step + 80 * number, 1000 * step + 80 * number + 60)
    assert step_marker(compare(once, marked))[0] == "warn"
    assert step_marker(compare(twice, marked))[0] == "fail"


def server(*, graphs: bool, prefill_every: int = 6) -> TraceBuilder:
    """24 iterations of a server: prefills launch three long kernels, decodes replay three short ones or launch them."""
    trace, at = TraceBuilder(), 0.0
    for step in range(24):
        prefill = step % prefill_every == 0
        us, begin = (300 if prefill else 40) + step % 3, at
        if graphs and not prefill:
            trace.call("cudaGraphLaunch", at + 2, at + 12)
        device = at + 20
        for number, name in enumerate(("mm", "attention", "norm")):
            launch = None
            if prefill or not graphs:
                trace.op(f"aten::{name}", at + 2 + 60 * number, at + 60 + 60 * number)
                launch = at + 10 + 60 * number, at + 16 + 60 * number
                device = max(device, launch[1] + 4)
            trace.kernel(name, device, device + us, launch=launch)
            device += us + 1
        trace.call("cudaEventSynchronize", device - 5, device + 4)
        at = device + 10
        text = f"execute_context_{int(prefill)}({512 * prefill})_generation_8(8)"
        trace.annotation(text, begin, at - 2)
    return trace


def test_decodes_without_graphs_are_no_loop_and_prefills_no_slow_steps() -> None:
    """Operators run more often because graphs no longer replay them, and prefills, alike on both sides, last longer
    than the other steps of one side alone."""
    found = compare(server(graphs=True), server(graphs=False))
    opposite = compare(server(graphs=False), server(graphs=True))
    assert (found.findings[0].rule, opposite.findings[0].rule) == ("graph_lost", "graph_gained")
    assert not {"more_calls", "fewer_calls", "slow_steps"} & {*rules_of(found), *rules_of(opposite)}


def test_more_prefills_lose_no_graph() -> None:
    assert "graph_lost" not in rules_of(compare(server(graphs=True), server(graphs=True, prefill_every=3)))
