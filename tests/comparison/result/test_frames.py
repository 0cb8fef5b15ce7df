"""Tables as pandas frames: what is absent is missing, what is whole stays whole."""

from __future__ import annotations

import builtins
import sys
from dataclasses import replace
from typing import Any

import pytest

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.errors import PerfCompareError, SelectionError
from tests.render.examples import NASTY_NAMES, comparison

_COLUMN = {
    "text": columns.text("x", "X", "a text"),
    "count": columns.count("x", "X", "a number of things"),
    "time_us": columns.time("x", "X", "a time"),
    "bool": columns.flag("x", "X", "yes or no"),
}


def only_column(kind: str, *cells: Cell) -> Any:
    return Table("t", "T", (_COLUMN[kind],), tuple((cell,) for cell in cells)).to_frame()["x"]


@pytest.mark.parametrize(
    ("kind", "cells", "dtype", "missing"),
    [
        ("count", (3, None, 5), "Int64", [False, True, False]),
        ("time_us", (3.5, None, 5.0), "Float64", [False, True, False]),
        ("time_us", (3.5, float("nan"), float("inf")), "Float64", [False, True, True]),
        ("time_us", (3, 4.5), "Float64", [False, False]),
        ("bool", (True, None, False), "boolean", [False, True, False]),
        ("text", ("a", None, ""), "string", [False, True, False]),  # an empty text is there
        ("count", (2**70, None), "object", [False, True]),
        ("text", ("a", 1), "object", [False, False]),
        ("text", (), "string", []),
        ("time_us", (None, None), "Float64", [True, True]),
        ("bool", (None,), "boolean", [True]),
    ],
)
def test_the_type_of_a_column(kind: str, cells: tuple[Cell, ...], dtype: str, missing: list[bool]) -> None:
    found = only_column(kind, *cells)
    assert str(found.dtype) == dtype
    assert found.isna().tolist() == missing
    present = [cell for cell, gone in zip(cells, missing, strict=True) if not gone]
    assert found.dropna().tolist() == present


def test_integers_beyond_double_precision_stay_exact() -> None:
    big = 2**60 + 1
    assert only_column("count", big, None)[0] == big


def test_names_with_special_characters_are_kept() -> None:
    assert comparison().to_frame("operators")["name"].tolist() == list(NASTY_NAMES)


def test_a_frame_has_units_and_descriptions_of_its_columns() -> None:
    table = comparison().tables["operators"]
    frame = table.to_frame()
    assert list(frame.columns) == [column.name for column in table.columns]
    assert frame.attrs["units"] == {column.name: column.unit for column in table.columns}
    assert frame.attrs["descriptions"]["delta_us"] == "Host self time; candidate minus baseline, mean per admitted step"
    assert (frame.attrs["table"], frame.attrs["title"]) == ("operators", "Operators")
    assert frame.attrs["notes"] == ["A note about the table."]


def test_a_frame_holds_the_cells_of_the_json_form() -> None:
    import pandas  # which takes half a second, in every process that collects tests

    whole = comparison()
    rows = whole.to_dict()["tables"]["operators"]["rows"]
    frame = whole.to_frame("operators")
    found = [[None if cell is pandas.NA else cell for cell in row] for row in frame.itertuples(index=False)]
    assert found == rows


def test_the_ledger_frame_is_exact_and_has_its_denominator() -> None:
    frame = comparison().to_frame("ledger")
    assert frame.attrs["denominator"] == 2
    assert frame["entity"].isna().tolist() == [True, False, True]
    assert str(frame["delta"].dtype) == "Int64"
    assert frame.loc[frame["entity"].isna(), "delta"].sum() == comparison().ledger.delta
    assert set(frame.attrs["units"]) == set(frame.columns)


def test_an_empty_ledger_is_an_empty_frame() -> None:
    frame = replace(comparison(), ledger=Ledger(1, 0, 0, 0, ())).to_frame("ledger")
    assert len(frame) == 0
    assert str(frame["delta"].dtype) == "Int64"


def test_an_absent_table_is_an_error_with_its_reason() -> None:
    with pytest.raises(SelectionError) as caught:
        comparison().to_frame("kernels")
    assert "no table 'kernels': baseline: no device events" in str(caught.value)
    assert "there are: ledger, operators" in str(caught.value)


@pytest.mark.parametrize("name", ["operators", "ledger"])
def test_without_pandas_the_error_names_the_remedy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(module: str, *rest: Any, **named: Any) -> Any:
        if module == "pandas":
            raise ImportError("No module named 'pandas'")
        return real(module, *rest, **named)

    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    whole: Comparison = comparison()
    with pytest.raises(PerfCompareError, match=r"pandas is not installed.*pip install 'tb_perfcompare\[pandas\]'"):
        whole.to_frame(name)
    assert whole.to_dict()["tables"]  # which needs none
