"""A side whose iterations are graph launches against one that launches the same kernels one by one."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tests.build import TraceBuilder
from tests.comparison.test_comparison_laws import compare, summarised

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
    found = compare(summarised(replayed()), summarised(eager()))
    assert step_marker(found) == (
        "ok",
        "a graph launch of the baseline runs the kernels of one iteration of the candidate (6 and 6 launches per step)",
    )
    assert found.headline.verdict is Verdict.SLOWER
    assert found.findings[0].rule == "graph_lost"


@pytest.mark.parametrize("kernels", [(*KERNELS, *KERNELS), tuple(f"other_{number}" for number in range(6))])
def test_a_graph_of_several_iterations_or_of_other_kernels_is_another_unit(kernels: tuple[str, ...]) -> None:
    found = compare(summarised(replayed(kernels)), summarised(eager()))
    assert step_marker(found)[0] == "fail"
    assert found.headline.verdict is Verdict.WITHHELD
