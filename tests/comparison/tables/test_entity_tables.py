"""Diff tables: rows join by key, a side without a row shows nothing, largest contribution first."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.tables.entity_tables import diff_tables
from tests.analysis.summaries import summary
from tests.build import TraceBuilder
from tests.comparison.compare import rows_of


def kernels(*launches: tuple[str, int]) -> TraceBuilder:
    """One step with kernels of the given lengths one after another on one stream."""
    trace = TraceBuilder()
    trace.step(1, 0, 500)
    trace.op("aten::mm", 0, 400)
    at = 50
    for number, (name, length) in enumerate(launches):
        trace.kernel(name, at, at + length, launch=(number * 3, number * 3 + 2))
        at += length
    return trace


def test_rows_join_by_name_never_by_position() -> None:
    before, after = summary(kernels(("a", 10), ("b", 20))), summary(kernels(("b", 30), ("a", 10)))
    got = rows_of(diff_tables(("kernels",), before, after, 10.0).get("kernels"))
    assert (got["a"]["delta_us"], got["b"]["delta_us"]) == (0, 10)
    assert got["b"]["share"] == 1.0


def test_a_missing_side_is_empty_not_zero() -> None:
    before, after = summary(kernels(("a", 10))), summary(kernels(("b", 20)))
    got = rows_of(diff_tables(("kernels",), before, after, 10.0).get("kernels"))
    assert (got["a"]["candidate_us"], got["a"]["status"]) == (None, "removed")
    assert (got["b"]["baseline_us"], got["b"]["delta_us"], got["b"]["status"]) == (None, 20, "added")


def test_the_largest_exposed_change_comes_first() -> None:
    before, after = summary(kernels(("a", 10), ("b", 20), ("c", 5))), summary(kernels(("a", 11), ("b", 20), ("c", 40)))
    table = diff_tables(("kernels",), before, after, 36.0).get("kernels")
    assert table is not None
    assert [row[0] for row in table.rows] == ["c", "a", "b"]


def test_a_headline_without_change_has_no_shares() -> None:
    before = summary(kernels(("a", 10)))
    assert rows_of(diff_tables(("kernels",), before, before, 0.0).get("kernels"))["a"]["share"] is None


def test_a_table_neither_side_has_is_absent() -> None:
    before = summary(kernels(("a", 10)))
    assert diff_tables(("communication",), before, before, 0.0).get("communication") is None


def test_every_column_has_a_unit_and_a_definition() -> None:
    before = summary(kernels(("a", 10)))
    for name in ("operators", "kernels"):
        table = diff_tables((name,), before, before, 0.0).get(name)
        assert table is not None
        for column in table.columns:
            assert column.description and column.label
            assert column.unit or column.kind in ("text", "bool")


def timed(*lengths: int) -> TraceBuilder:
    """One step per length, each with the kernel "a" of that length."""
    trace = TraceBuilder()
    for number, length in enumerate(lengths):
        start = number * 1000
        trace.step(number + 1, start, start + 1000)
        trace.op("aten::mm", start, start + 100)
        trace.kernel("a", start + 50, start + 50 + length, launch=(start + 10, start + 12))
    return trace


def test_a_row_is_tested_over_its_steps() -> None:
    before, after = summary(timed(100, 102, 99, 104, 101, 103)), summary(timed(201, 199, 204, 202, 198, 203))
    got = rows_of(diff_tables(("kernels",), before, after, 100.0).get("kernels"))["a"]
    assert (got["change"], got["shift_us"], got["q"]) == ("slower", 100.0, 2 / 924)


def test_one_step_per_side_has_a_size_without_a_test() -> None:
    table = diff_tables(("kernels",), summary(timed(100)), summary(timed(200)), 100.0)["kernels"]
    got = rows_of(table)["a"]
    assert got["change"] == "cannot tell" and "q" not in got


def test_totals_shared_out_over_steps_are_not_tested() -> None:
    before = summary(timed(100, 102, 99))
    total = replace(before, groups={"kernels": replace(before.groups["kernels"], sampled=False)})
    assert "change" not in rows_of(diff_tables(("kernels",), total, before, 0.0).get("kernels"))["a"]
