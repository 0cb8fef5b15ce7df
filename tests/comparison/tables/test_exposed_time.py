"""Exposed time of operators, modules and kernels by operator: parts of the ledger."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare


def run(mm_us: int = 30, overlap_us: int = 0) -> Summary:
    """Two steps of 100 µs: aten::mm within aten::linear within Net_0, with a launch of 5 µs and a kernel from 40 on;
    `overlap_us` of another kernel overlap its start."""
    trace = TraceBuilder()
    for number in range(2):
        at = 100 * number
        trace.step(number, at, at + 100)
        trace.python("nn.Module: Net_0", at + 5, at + 36, number=10 * number, module=0)
        trace.op("aten::linear", at + 10, at + 35)
        trace.op("aten::mm", at + 15, at + 30)
        trace.kernel("gemm", at + 40, at + 40 + mm_us, launch=(at + 20, at + 25))
        if overlap_us:
            trace.kernel("overlap", at + 40, at + 40 + overlap_us, stream=9)
    return summary(trace)


def exposed(found: Comparison, table: str, keys: int = 1) -> dict[tuple[Cell, ...], tuple[Cell, ...]]:
    """Key -> exposed time of both sides and its change."""
    places = found.tables[table].places
    at = [places[name] for name in ("baseline_exposed_us", "candidate_exposed_us", "exposed_delta_us")]
    return {row[:keys]: tuple(row[place] for place in at) for row in found.tables[table].rows}


def test_an_operator_owns_its_host_work_its_calls_and_its_kernels() -> None:
    """aten::mm: 10 µs of its own, 5 µs of its launch, and the kernel."""
    found = compare(run(30), run(50))
    assert exposed(found, "operators") == {("aten::mm",): (45.0, 65.0, 20.0), ("aten::linear",): (10.0, 10.0, 0.0)}
    assert found.tables["operators"].rows[0][0] == "aten::mm"


def test_overlapped_work_is_not_exposed_twice() -> None:
    found = compare(run(30), run(30, overlap_us=20))
    assert exposed(found, "operators")["aten::mm",] == (45.0, 35.0, -10.0)


def test_operators_and_the_rest_of_the_ledger_sum_to_the_step() -> None:
    found = compare(run(30), run(50, overlap_us=20))
    for side, (total, overlap, untraced) in enumerate(((100.0, 0.0, 45.0), (100.0, 10.0, 25.0))):
        operators = sum(float(str(cells[side])) for cells in exposed(found, "operators").values())
        assert operators + overlap + untraced == total


def test_a_module_owns_what_runs_in_it() -> None:
    """5 and 1 µs of the module alone, and its operators with their kernel."""
    assert exposed(compare(run(30), run(50)), "modules") == {("Net_0",): (61.0, 81.0, 20.0)}


def test_a_kernel_is_exposed_by_the_operator_that_launched_it() -> None:
    found = exposed(compare(run(30, 20), run(30, 20)), "kernels_by_operator", 2)
    assert found == {("gemm", "aten::mm"): (20.0, 20.0, 0.0), ("overlap", ""): (10.0, 10.0, 0.0)}


def test_a_table_has_no_exposed_time_where_the_ledger_is_coarser() -> None:
    found = compare(run(), run())
    assert "baseline_exposed_us" in found.tables["operators"].places
    assert "baseline_exposed_us" not in found.tables["kernels_by_launch"].places
    side = run()
    assert side.owned.parts is not None
    pooled = replace(side, owned=replace(side.owned, parts=replace(side.owned.parts, pooled=1)))
    assert "baseline_exposed_us" not in compare(run(), pooled).tables["operators"].places
