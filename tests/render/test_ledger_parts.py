"""The third level of the ledger: complete in JSON and CSV, the largest parts in reports."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.model.input_shapes import tensor_shapes
from tb_perfcompare.render.formats import render
from tests.render.examples import comparison

CALLS = (2.0, 2.0)
BOOKS = Ledger(2, 2_000_000, 3_000_000, 1_000_000, (
    LedgerRow(("Kernel",), "Kernel", 2_000_000, 3_000_000, 1_000_000, CALLS, 0, 1_000_000, "both", 400_000),
    LedgerRow(("Kernel", "gemm"), "gemm<float>", 1_000_000, 1_900_000, 900_000, CALLS, 0, 900_000, "both", 400_000),
    LedgerRow(("Kernel", "gemm", "aten::mm [[2, 3], [3, 4]]"), "aten::mm [[2, 3], [3, 4]]", 0, 800_000, 800_000,
              (0.0, 1.0), 800_000, 0, "added"),
    LedgerRow(("Kernel", "gemm", "aten::mm [[1], [], []]"), "aten::mm [[1], [], []]", 900_000, 900_000, 0, CALLS, 0, 0,
              "both"),
    LedgerRow(("Kernel", "gemm", "(3 others)"), "(3 others)", 100_000, 200_000, 100_000, CALLS, 0, 100_000, "both"),
    LedgerRow(("Kernel", "relu"), "relu", 1_000_000, 1_100_000, 100_000, CALLS, 0, 100_000, "both"),
))  # fmt: skip


def drawn(name: str, **asked: object) -> str:
    return render(comparison(ledger=BOOKS), name, **asked).decode("utf-8")


def test_json_has_parts_after_their_entity_and_both_rate_effects() -> None:
    rows = json.loads(drawn("json"))["ledger"]["rows"]
    assert [len(row["path"]) for row in rows] == [1, 2, 3, 3, 3, 2]
    assert (rows[1]["rate_effect"], rows[1]["mix_effect"], rows[1]["same_shape_effect"]) == (900_000, 400_000, 500_000)


def test_csv_has_a_column_for_parts() -> None:
    rows = list(csv.DictReader(io.StringIO(drawn("csv"))))
    assert [(row["name"], row["part"], row["delta_us"]) for row in rows] == [
        ("", "", "500.0"),
        ("gemm<float>", "", "450.0"),
        ("gemm<float>", "aten::mm [[2, 3], [3, 4]]", "400.0"),
        ("gemm<float>", "aten::mm [[1], [], []]", "0.0"),
        ("gemm<float>", "(3 others)", "50.0"),
        ("relu", "", "50.0"),
        ("total", "", "500.0"),
    ]
    assert (rows[1]["mix_effect_us"], rows[1]["same_shape_effect_us"]) == ("200.0", "250.0")
    assert sum(float(row["delta_us"]) for row in rows[2:5]) == float(rows[1]["delta_us"])


@pytest.mark.parametrize("name", ["text", "md", "html"])
def test_a_report_names_the_largest_parts_of_the_largest_entry(name: str) -> None:
    text = drawn(name).replace("\\", "").replace("&lt;", "<").replace("&gt;", ">")
    assert "The largest by caller and input shape" in text
    assert "Kernel: gemm +450 µs" in text
    assert "+400 µs aten::mm [[2, 3], [3, 4]], new; +50.0 µs (3 others)" in text


def test_entries_that_differ_by_a_type_are_told_apart() -> None:
    sizes = (0, 800_000, 800_000, (0.0, 1.0), 800_000, 0, "added")
    names = [f"void at::native::reduce_kernel<at::native::sum_functor<{of}> >({of}*)" for of in ("float", "double")]
    rows = [
        LedgerRow(path, path[-1], *sizes)
        for name in names for path in (("Kernel", name), ("Kernel", name, "aten::sum"))
    ]  # fmt: skip
    head = LedgerRow(("Kernel",), "Kernel", 0, 1_600_000, 1_600_000, *sizes[3:])
    books = Ledger(2, 0, 1_600_000, 1_600_000, (head, *rows))
    text = render(comparison(ledger=books), "text").decode()
    assert "Kernel: reduce_kernel ‹sum_functor› ‹double› +400 µs" in text
    assert "Kernel: reduce_kernel ‹sum_functor› ‹float› +400 µs" in text


def test_a_report_without_parts_has_no_such_section() -> None:
    assert "by caller" not in render(comparison(), "text").decode()


def test_the_ledger_table_has_its_parts_below() -> None:
    above, _, below = drawn("text", table="ledger").partition("The largest of these by who called them")
    assert "relu" in above and "aten::mm" not in above
    assert [line.split("  ")[1] for line in below.splitlines()[2:]] == ["gemm<float>"] * 3
    assert "… 1 more row" in drawn("text", table="ledger", top=2)


@pytest.mark.parametrize(
    ("text", "brief"),
    [
        ("aten::mm [[2, 3], [3, 4], [], []]", "aten::mm [[2, 3], [3, 4]]"),
        ("[[], [32, 8], [8], []]", "[[32, 8], [8]]"),
        ("[[], []]", "[[]]"),
        ("aten::cat [[[2], [3]], []]", "aten::cat [[[2], [3]]]"),
        ("after a, before b", "after a, before b"),
    ],
)
def test_shapes_in_prose_omit_what_is_not_a_tensor(text: str, brief: str) -> None:
    assert tensor_shapes(text) == brief
