"""Several rows step by step: the values of single rows, thinned without losing an extreme."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.alignment.same_names import with_same_names
from tb_perfcompare.comparison.tables.entity_tables import diff_tables
from tb_perfcompare.comparison.tables.row_query import row_keys
from tb_perfcompare.comparison.tables.row_steps import reduce_to_table, row_steps, step_source
from tb_perfcompare.comparison.tables.sparklines import RowSparklines, SideLines, extremes, row_sparklines
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.summary.summary import Summary
from tests.comparison.compare import rows_of
from tests.comparison.tables.test_row_steps import gemms


def lines(rows: list[str], a: Summary, b: Summary, points: int = 60, measure: str = "") -> RowSparklines:
    return row_sparklines("kernels", rows, measure, points, step_source(a), step_source(b))


def test_a_row_has_the_same_times_as_alone() -> None:
    a, b = gemms(10, 20, 60), gemms(15, 25)
    found = lines(["gemm"], a, b)
    alone = row_steps("kernels", "gemm", step_source(a), step_source(b))
    assert (alone.baseline.time_us or {})[""] == (10.0, 20.0, 60.0)
    assert found.baseline == SideLines(3, [{"median_us": 20.0, "low_us": [10.0, 20.0, 60.0]}])
    assert found.candidate == SideLines(2, [{"median_us": 20.0, "low_us": [15.0, 25.0]}])


def present(side: SideLines) -> list[bool]:
    return [line is not None for line in side.lines]


def test_rows_keep_the_requested_order_and_mark_absent_sides() -> None:
    found = lines(["other", "none", "gemm"], gemms(10, 20), gemms(15, 25, name="other"))
    assert present(found.baseline) == [False, False, True]
    assert present(found.candidate) == [True, False, False]


def test_swapped_sides_swap_the_figures() -> None:
    a, b = gemms(10, 20, 30), gemms(15, 25, name="other")
    forward, swapped = lines(["gemm", "other"], a, b), lines(["gemm", "other"], b, a)
    assert forward.baseline == swapped.candidate
    assert forward.candidate == swapped.baseline


def test_more_steps_than_points_become_minima_and_maxima() -> None:
    found = lines(["gemm"], gemms(10, 20, 90, 40, 50, 60, 5), gemms(1), points=4).baseline
    assert found.lines == [{"median_us": 40.0, "low_us": [10.0, 5.0], "high_us": [90.0, 60.0]}]


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=90), st.integers(2, 40))
def test_thinning_keeps_every_extreme_where_it_was(values: list[int], points: int) -> None:
    low, high = extremes(np.array([values], dtype=np.int64), points)
    if high is None:
        assert low.tolist() == [values] and len(values) <= points
        return
    assert 2 * low.shape[1] <= points
    edges = [at * len(values) // low.shape[1] for at in range(low.shape[1] + 1)]
    buckets = [values[first:end] for first, end in pairwise(edges)]
    assert low.tolist() == [[min(bucket) for bucket in buckets]]
    assert high.tolist() == [[max(bucket) for bucket in buckets]]


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(SelectionError, match="no time 'device_self'") as raised:
        lines(["gemm"], gemms(10), gemms(15), measure="device_self")
    assert raised.value.hint == "leave it out: there is only the main one"


@pytest.mark.parametrize("table", ["kernels", "kernels_by_operator", "operators"])
def test_a_table_alone_has_the_same_rows_as_among_all(table: str) -> None:
    a, b = gemms(10, 20, name="long_gemm_kernel_128x64_tn"), gemms(15, name="long_gemm_kernel_128...")
    whole = diff_tables((table,), *with_same_names(a, b)[:2], None).get(table)
    assert whole is not None
    alone = (step_source(side) for side in with_same_names(reduce_to_table(a, table), reduce_to_table(b, table))[:2])
    found = row_sparklines(table, row_keys(whole), "", 60, *alone)
    assert all(present(found.baseline)) and all(present(found.candidate))
    medians = [line["median_us"] for line in found.baseline.lines if line is not None]
    assert medians == pytest.approx([row["baseline_us"] for row in rows_of(whole).values()])
