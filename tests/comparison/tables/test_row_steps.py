"""Times of one row in each step."""

from __future__ import annotations

import pytest

from tb_perfcompare.comparison.tables.entity_tables import diff_tables
from tb_perfcompare.comparison.tables.row_steps import RowSteps, row_steps, step_source
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.summary.summary import Summary
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import rows_of


def steps(table: str, row: str, a: Summary, b: Summary) -> RowSteps:
    return row_steps(table, row, step_source(a), step_source(b))


def gemms(*lengths: float, name: str = "gemm") -> Summary:
    """A kernel per step."""
    trace = TraceBuilder()
    for number, length in enumerate(lengths):
        start = 1000.0 * number
        trace.step(number + 7, start, start + 900)
        trace.op("aten::mm", start, start + 400)
        trace.kernel(name, start + 50, start + 50 + length, launch=(start + 3, start + 5))
    return summary(trace)


def test_every_step_has_its_time() -> None:
    found = steps("kernels", "gemm", gemms(10, 20, 30), gemms(15, 25))
    assert found.baseline.steps == ("7", "8", "9")
    assert found.baseline.time_us == {"": (10.0, 20.0, 30.0)}
    assert (found.candidate.time_us, found.candidate.captures) == ({"": (15.0, 25.0)}, (0, 0))


def test_the_mean_of_the_steps_is_the_tables_figure() -> None:
    a, b = gemms(10, 20, 30), gemms(15, 25)
    row = rows_of(diff_tables(("kernels",), a, b, None).get("kernels"))["gemm"]
    found = steps("kernels", "gemm", a, b)
    for side in ("baseline", "candidate"):
        times = getattr(found, side).time_us[""]
        assert sum(times) / len(times) == pytest.approx(row[f"{side}_us"])


def test_a_side_without_the_row_has_no_times() -> None:
    found = steps("kernels", "gemm", gemms(10), gemms(15, name="other"))
    assert found.candidate.time_us is None and found.candidate.steps == ("7",)


@pytest.mark.parametrize(("table", "row", "expected"), [("kernels", "none", "no row"), ("steps", "7", "no times of")])
def test_an_unknown_table_or_row_is_refused(table: str, row: str, expected: str) -> None:
    with pytest.raises(SelectionError, match=expected):
        steps(table, row, gemms(10), gemms(15))
