"""What operators, modules and kernels of an operator own of the step: parts of the ledger, so rows close with it."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder


def run(mm_us: int = 30, beside_us: int = 0) -> Summary:
    """Two steps of 100 us: in Net_0 aten::linear with aten::mm in it, whose kernel, launched by a call of 5 us, runs
    from 40 on; `beside_us` of another kernel run at its start."""
    trace = TraceBuilder()
    for number in range(2):
        at = 100 * number
        trace.step(number, at, at + 100)
        trace.python("nn.Module: Net_0", at + 5, at + 36, number=10 * number, module=0)
        trace.op("aten::linear", at + 10, at + 35)
        trace.op("aten::mm", at + 15, at + 30)
        trace.kernel("gemm", at + 40, at + 40 + mm_us, launch=(at + 20, at + 25))
        if beside_us:
            trace.kernel("beside", at + 40, at + 40 + beside_us, stream=9)
    return summary(trace)


def compared(a: Summary, b: Summary) -> Comparison:
    return compare_summaries(a, b, CompareOptions())


def exposed(found: Comparison, table: str, keys: int = 1) -> dict[tuple[Cell, ...], tuple[Cell, ...]]:
    """Key -> exposed time of both sides and its change."""
    names = [column.name for column in found.tables[table].columns]
    at = [names.index(f"{name}exposed_us") for name in ("baseline_", "candidate_")] + [names.index("exposed_delta_us")]
    return {row[:keys]: tuple(row[place] for place in at) for row in found.tables[table].rows}


def test_an_operator_owns_its_host_work_its_calls_and_its_kernels() -> None:
    """aten::mm: 10 us beside its call, the call of 5 us, the kernel."""
    found = compared(run(30), run(50))
    assert exposed(found, "operators") == {("aten::mm",): (45.0, 65.0, 20.0), ("aten::linear",): (10.0, 10.0, 0.0)}
    assert found.tables["operators"].rows[0][0] == "aten::mm"


def test_what_runs_beside_other_work_is_not_exposed_twice() -> None:
    found = compared(run(30), run(30, beside_us=20))
    assert exposed(found, "operators")["aten::mm",] == (45.0, 35.0, -10.0)


def test_operators_and_the_rest_of_the_ledger_sum_to_the_step() -> None:
    found = compared(run(30), run(50, beside_us=20))
    for side, (total, beside, untraced) in enumerate(((100.0, 0.0, 45.0), (100.0, 10.0, 25.0))):
        operators = sum(float(str(cells[side])) for cells in exposed(found, "operators").values())
        assert operators + beside + untraced == total


def test_a_module_owns_what_runs_in_it() -> None:
    """Two stretches of 5 and 1 us in which only the module is open, and its operators with their kernel."""
    assert exposed(compared(run(30), run(50)), "modules") == {("Net_0",): (61.0, 81.0, 20.0)}


def test_a_kernel_is_exposed_by_the_operator_that_launched_it() -> None:
    found = exposed(compared(run(30, 20), run(30, 20)), "kernels_by_operator", 2)
    assert found == {("gemm", "aten::mm"): (20.0, 20.0, 0.0), ("beside", ""): (10.0, 10.0, 0.0)}


def test_a_table_has_no_exposed_time_where_the_ledger_is_coarser() -> None:
    found = compared(run(), run())
    of = {name: [column.name for column in table.columns] for name, table in found.tables.items()}
    assert "baseline_exposed_us" in of["operators"]
    assert "baseline_exposed_us" not in of["kernels_by_launch"]
    side = run()
    assert side.owned.parts is not None
    pooled = replace(side, owned=replace(side.owned, parts=replace(side.owned.parts, pooled=1)))
    columns = [column.name for column in compared(run(), pooled).tables["operators"].columns]
    assert "baseline_exposed_us" not in columns
