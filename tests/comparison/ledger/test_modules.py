"""The ledger of step time by module, where both sides have modules."""

from __future__ import annotations

from tb_perfcompare.comparison.ledger.modules import module_ledger
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import compare


def run(*steps: tuple[int, int], second: str = "Linear_1") -> TraceBuilder:
    """Steps of 100 us; in each an operator in Net_0/Linear_0 and one in Net_0/<second>, of the given lengths."""
    trace = TraceBuilder(vendor="cpu")
    for number, (one, two) in enumerate(steps):
        at = 100 * number
        trace.step(number, at, at + 100)
        for name, start, end in (("Net_0", 10, 95), ("Linear_0", 15, 45), (second, 50, 90)):
            trace.python(f"nn.Module: {name}", at + start, at + end, number=10 * number, module=0)
        trace.op("aten::mm", at + 20, at + 20 + one)
        trace.op("aten::mm", at + 55, at + 55 + two)
    return trace


def table(a: TraceBuilder, b: TraceBuilder) -> Table:
    found = module_ledger(summary(a), summary(b))
    assert found is not None
    return found


def cells(found: Table, *names: str) -> dict[tuple[Cell, Cell], tuple[Cell, ...]]:
    at = [found.places[name] for name in names]
    return {(row[0], row[1]): tuple(row[i] for i in at) for row in found.rows}


def test_each_module_has_a_row_per_category_and_the_rows_sum_to_the_change() -> None:
    found = table(run((10, 10)), run((10, 25), (10, 20)))
    assert cells(found, "baseline_us", "candidate_us", "delta_us") == {
        ("Net_0/Linear_1", "CPU Exec"): (10.0, 22.5, 12.5),
        ("Net_0/Linear_1", "Other"): (30.0, 17.5, -12.5),
        ("(outside modules)", "Other"): (15.0, 15.0, 0.0),
        ("Net_0", "Other"): (15.0, 15.0, 0.0),
        ("Net_0/Linear_0", "CPU Exec"): (10.0, 10.0, 0.0),
        ("Net_0/Linear_0", "Other"): (20.0, 20.0, 0.0),
    }


def test_the_largest_change_comes_first_and_equal_ones_by_name() -> None:
    found = table(run((10, 10)), run((12, 30)))
    assert [row[:2] for row in found.rows[:3]] == [
        ("Net_0/Linear_1", "CPU Exec"), ("Net_0/Linear_1", "Other"), ("Net_0/Linear_0", "CPU Exec"),
    ]  # fmt: skip


def test_a_module_of_one_side_is_absent_on_the_other_not_zero() -> None:
    found = table(run((10, 10)), run((10, 10), second="Conv2d_0"))
    got = cells(found, "baseline_us", "candidate_us", "status")
    assert got["Net_0/Conv2d_0", "CPU Exec"] == (None, 10.0, "added")
    assert got["Net_0/Linear_1", "CPU Exec"] == (10.0, None, "removed")


def test_without_modules_on_a_side_there_is_no_table_but_a_note() -> None:
    bare = TraceBuilder(vendor="cpu")
    bare.step(0, 0, 100)
    bare.op("aten::mm", 20, 30)
    got = compare(run((10, 10)), bare)
    assert "modules_ledger" not in got.tables
    messages = [note.message for note in got.notes if "modules_ledger" in note.where]
    assert messages == ["candidate: no nn.Module calls; record with with_stack=True"]
