"""A query chooses rows, their order, and sums of the hidden ones."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.row_query import RowQuery, choose_rows, place_of, row_keys, sums_of
from tb_perfcompare.errors import SelectionError

COLUMNS = (
    columns.key("name", "Name", ""),
    columns.text("category", "Category", ""),
    columns.time("delta_us", "Δ", "", role="delta"),
    columns.time("shift_us", "Shift", "", role="delta"),
    columns.number("q", "q", "", ""),
    columns.text("change", "Change", ""),
    columns.STATUS,
)


def row(
    name: str, delta: float | None, *, category: str = "Kernel", q: float | None = None, change: str = "cannot tell",
    status: str = "both",
) -> tuple[Cell, ...]:  # fmt: skip
    return (name, category, delta, delta, q, change, status)


def table(*rows: tuple[Cell, ...]) -> Table:
    return Table("kernels", "Kernels", COLUMNS, rows)


DRAWN = table(
    row("gemm_nn", 5.0, q=0.01, change="slower"),
    row("gemm_NT", -3.0, q=0.5),
    row("relu", 0.25, category="Memcpy", status="added"),
    row("old", None, status="removed"),
)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (RowQuery(), ["gemm_nn", "gemm_NT", "relu", "old"]),
        (RowQuery(words="GEMM -nt"), ["gemm_nn"]),
        (RowQuery(words="memcpy"), ["relu"]),
        (RowQuery(words="-"), ["gemm_nn", "gemm_NT", "relu", "old"]),
        (RowQuery(status="removed"), ["old"]),
        (RowQuery(change="slower"), ["gemm_nn"]),
        (RowQuery(category="Memcpy"), ["relu"]),
        (RowQuery(clear=True), ["gemm_nn"]),
        (RowQuery(least_us=1), ["gemm_nn", "gemm_NT"]),
        (RowQuery(sort=(("delta_us", True),)), ["gemm_nn", "relu", "gemm_NT", "old"]),
        (RowQuery(sort=(("delta_us", False),)), ["gemm_NT", "relu", "gemm_nn", "old"]),
        (RowQuery(sort=(("category", True), ("name", False))), ["relu", "gemm_NT", "gemm_nn", "old"]),
    ],
)
def test_a_query_chooses_and_sorts_rows(query: RowQuery, names: list[str]) -> None:
    assert [DRAWN.rows[number][0] for number in choose_rows(DRAWN, query).rows] == names


CALLED = Table(
    "kernels", "Kernels",
    (
        columns.key("name", "Name", ""), columns.time("baseline_us", "A", "", role="baseline"),
        columns.time("candidate_us", "B", "", role="candidate"), columns.count("baseline_calls", "Calls A", ""),
        columns.count("candidate_calls", "Calls B", ""), columns.text("change", "Change", ""), columns.STATUS,
    ),
    (
        ("grown", 10.0, 30.0, 1.0, 10.0, "slower", "both"), ("gone", 20.0, None, 5.0, 0.0, "", "removed"),
        ("new", None, 7.0, 0.0, 1.0, "", "added"), ("same", 40.0, 40.0, 4.0, 4.0, "unchanged", "both"),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("|candidate_us|", ["same", "grown", "new", "gone"]),
        ("candidate_us/baseline_us", ["grown", "same", "gone", "new"]),
        ("candidate_calls?baseline_calls", ["grown", "gone", "same", "new"]),
        ("candidate_us/candidate_calls?baseline_us/baseline_calls", ["same", "new", "gone", "grown"]),
        ("status?change", ["same", "grown", "gone", "new"]),
    ],
)
def test_rows_are_sorted_by_an_expression_of_columns(expression: str, names: list[str]) -> None:
    """Largest first, texts in reverse order, missing values last."""
    assert [
        CALLED.rows[number][0] for number in choose_rows(CALLED, RowQuery(sort=((expression, True),))).rows
    ] == names


def test_sorting_by_size_ignores_the_sign() -> None:
    found = choose_rows(DRAWN, RowQuery(sort=(("|delta_us|", True),)))
    assert [DRAWN.rows[number][0] for number in found.rows] == ["gemm_nn", "gemm_NT", "relu", "old"]


@pytest.mark.parametrize("expression", ["nothing/delta_us", "delta_us?nothing", "|nothing|", "||", "/", "q/q/q"])
def test_an_unknown_sort_column_is_refused(expression: str) -> None:
    with pytest.raises(SelectionError, match="kernels has no column"):
        choose_rows(DRAWN, RowQuery(sort=((expression, True),)))


def test_hidden_small_rows_are_summed_separately() -> None:
    found = choose_rows(DRAWN, RowQuery(least_us=4))
    assert (found.rows.tolist(), found.hidden.tolist()) == ([0], [1, 2, 3])
    sums = [each["delta_us"] for each in (found.sums, found.hidden_sums, found.all_sums)]
    assert sums == [5.0, -2.75, 2.25]
    assert found.statuses == {"both": 2, "added": 1, "removed": 1}


def test_statuses_are_counted_among_the_rows_that_pass_the_other_choices() -> None:
    assert (
        choose_rows(DRAWN, RowQuery(words="gemm", status="added", least_us=4)).statuses
        == choose_rows(DRAWN, RowQuery(words="gemm")).statuses
    )
    assert sum(choose_rows(DRAWN, RowQuery(words="gemm")).statuses.values()) == 2


def test_estimates_of_a_difference_are_not_summed() -> None:
    assert list(sums_of(DRAWN, [0, 1])) == ["delta_us"]
    assert sums_of(DRAWN, [3]) == {"delta_us": None}


def test_an_unknown_column_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SelectionError, match="no column 'nothing'") as caught:
        choose_rows(DRAWN, RowQuery(sort=(("nothing", True),)))
    assert "delta_us" in caught.value.hint


def test_a_row_is_found_by_its_key_or_by_a_text_of_it() -> None:
    found = choose_rows(DRAWN, RowQuery(sort=(("delta_us", True),)))
    assert [place_of(DRAWN, found, key) for key in ("relu", "Memcpy", "unknown")] == [1, 1, None]
    assert row_keys(DRAWN)[0] == "gemm_nn"


CELLS = st.none() | st.floats(-1e6, 1e6)


@given(st.lists(CELLS, max_size=30), st.booleans(), st.floats(0.001, 1e6))
def test_every_row_is_chosen_or_hidden_once_and_missing_values_come_last(
    deltas: list[float | None], descending: bool, least: float
) -> None:
    drawn = table(*(row(f"k{number}", delta) for number, delta in enumerate(deltas)))
    found = choose_rows(drawn, RowQuery(sort=(("delta_us", descending),), least_us=least))
    assert sorted([*found.rows.tolist(), *found.hidden.tolist()]) == list(range(len(deltas)))
    parts = [each["delta_us"] or 0.0 for each in (found.sums, found.hidden_sums)]
    assert math.isclose(sum(parts), found.all_sums["delta_us"] or 0.0, rel_tol=1e-9, abs_tol=1e-6)
    everything = choose_rows(drawn, RowQuery(sort=(("delta_us", descending),)))
    order = [drawn.rows[number][2] for number in everything.rows]
    present = [value for value in order if value is not None]
    assert order == [*present, *[None] * (len(order) - len(present))]
    assert present == sorted(present, reverse=descending)
