"""Limited answers: their rows are those of the whole, and omissions are counted."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import jsonschema
import pytest

from build_support.wire_types import json_schema
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow, columns_of, sum_of
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.tables.row_query import RowQuery, choose_rows
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import DroppedStep
from tb_perfcompare.render.wire import json_encoding as wire
from tb_perfcompare.render.wire.pages import MAX_ROWS, Page, TablePageDict, comparison_answer, table_answer, view_answer
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES
from tests.render.examples import comparison
from tests.render.test_wire import SCHEMA


def wide(rows: int, name: str = "kernels", letters: int = 20) -> Table:
    shown = (columns.key("name", "Name", ""), columns.time("delta_us", "Δ", "", role="delta"), columns.STATUS)
    cells = tuple((f"{number:06d}{'x' * letters}", float(number % 7 - 3), "both") for number in range(rows))
    return Table(name, "Kernels", shown, cells)


def long_ledger(whole: Comparison, entries: int) -> Comparison:
    rows = [
        LedgerRow(("Kernel", f"k{n}" + "x" * 200), f"k{n}", 5, 5 + n % 9, n % 9, (1.0, 1.0), 0, n % 9, "both")
        for n in range(entries)
    ]
    rows.sort(key=lambda row: (-abs(row.delta), row.path))
    head = sum_of(columns_of("Kernel", rows), "Kernel")
    ledger = replace(
        whole.ledger, baseline=head.baseline, candidate=head.candidate, delta=head.delta, rows=(head, *rows)
    )
    return replace(whole, ledger=ledger)


def test_a_small_comparison_is_sent_whole() -> None:
    small = comparison()
    sent = json.loads(comparison_answer(small))
    for table in sent["tables"].values():
        assert table.pop("total_rows") == len(table["rows"])
    short = sent["tables"]["operators"].pop("short_names")
    assert list(short.values()) == ["vectorized_elementwise_kernel ‹AddFunctor›"]
    caveats = sent.pop("caveats")
    assert [(caveat["status"], caveat["message"], caveat["where"]) for caveat in caveats] == [
        ("warn", "few steps", ""), ("note", "no markers", "baseline"),
    ]  # fmt: skip
    assert sent == json.loads(wire.encode(small.to_dict()))


def test_a_long_table_is_cut_and_counts_what_is_left_out() -> None:
    large = comparison(tables={"kernels": wide(MAX_ROWS + 3)})
    sent = json.loads(comparison_answer(large))
    jsonschema.validate(sent, SCHEMA)
    table = sent["tables"]["kernels"]
    rest = [row[1] for row in wide(MAX_ROWS + 3).rows[MAX_ROWS:]]
    assert (len(table["rows"]), table["total_rows"]) == (MAX_ROWS, MAX_ROWS + 3)
    assert table["left_out"] == {"rows": 3, "sums": {"delta_us": math.fsum(rest)}}


def test_the_answer_stays_small_whatever_is_large() -> None:
    tables = {f"t{number}": wide(6_000, f"t{number}", 150) for number in range(12)} | {"small": wide(40, "small")}
    whole = long_ledger(comparison(tables=tables), 5_000)
    notes = tuple(Note(NoteCode.DROPPED_EVENTS, "x" * 200, f"file{number}") for number in range(5_000))
    dropped = tuple(DroppedStep(0, str(number), 1_000, "cut off") for number in range(9_000))
    side = replace(whole.baseline, dropped=dropped)
    answer = comparison_answer(replace(whole, notes=notes, baseline=side))
    assert 0.5 * MAX_BYTES < len(answer) <= MAX_BYTES
    sent = json.loads(answer)
    jsonschema.validate(sent, SCHEMA)
    assert len(sent["tables"]["small"]["rows"]) == 40  # short tables are whole
    lengths = {len(sent["tables"][name]["rows"]) for name in tables if name != "small"}
    assert min(lengths) > 50 and max(lengths) - min(lengths) <= 2
    assert sent["notes_left_out"] == 5_000 - len(sent["notes"])
    steps = sent["baseline"]["steps"]
    assert steps["dropped_left_out"]["steps"] == 9_000 - len(steps["dropped"])
    assert steps["dropped_left_out"]["total_us"] == 9_000 - len(steps["dropped"])


def test_a_pooled_ledger_still_closes() -> None:
    whole = long_ledger(comparison(), 4_000)
    sent = json.loads(comparison_answer(whole))["ledger"]
    head, *entries = sent["rows"]
    for figure in ("baseline", "candidate", "delta", "count_effect", "rate_effect"):
        assert sum(row[figure] for row in entries) == head[figure]
    assert sent["entries"] == 4_000
    assert sent["rows_left_out"] == 4_001 - len(sent["rows"])
    assert entries[-1]["name"] == f"({4_001 - len(entries):,} smaller entries)"


def pages(table: Table, query: RowQuery, limit: int) -> list[list[object]]:
    chosen, rows = choose_rows(table, query), list[list[object]]()
    offset: int | None = 0
    while offset is not None:
        answer = table_answer(table, chosen, Page(offset, limit))
        assert len(answer) <= MAX_BYTES
        sent = json.loads(answer)
        assert (sent["offset"], sent["matching_rows"]) == (offset, len(chosen.rows))
        assert sent["total_rows"] == len(table.rows)
        rows += sent["rows"]
        offset = sent["next_offset"]
    return rows


@pytest.mark.parametrize("letters", [5, 3_000])
def test_pages_together_are_the_table(letters: int) -> None:
    table = wide(1_500, letters=letters)
    assert pages(table, RowQuery(), 400) == [list(row) for row in table.rows]
    found = pages(table, RowQuery(words="000000", sort=(("name", True),)), 400)
    assert [row[0] for row in found] == [f"000000{'x' * letters}"]


def test_a_page_may_have_some_columns_and_the_place_of_a_row() -> None:
    table = wide(30)
    chosen = choose_rows(table, RowQuery(sort=(("name", True),)))
    sent = json.loads(table_answer(table, chosen, Page(2, 2, ("delta_us", "name")), str(table.rows[29][0])))
    jsonschema.validate(sent, json.loads(json_schema("a page", TablePageDict)))
    assert (sent["columns"], sent["place"]) == (["delta_us", "name"], 0)
    assert sent["rows"] == [[table.rows[n][1], table.rows[n][0]] for n in (27, 26)]
    with pytest.raises(SelectionError, match="no column 'x'"):
        table_answer(table, chosen, Page(0, 1, ("x",)))


def kernels(rows: int) -> Table:
    shown = (columns.key("name", "Name", ""), columns.time("delta_us", "Δ", "", role="delta"), columns.STATUS)
    called = "void at::native::elementwise_kernel<{}, at::native::AddFunctor<float>, {}>(int)"
    names = [called.format(n // 2, n % 2) for n in range(rows)]
    return Table("kernels", "Kernels", shown, tuple((name, float(-at), "both") for at, name in enumerate(names)))


def test_a_name_has_the_same_short_form_on_every_page_and_no_two_names_share_one() -> None:
    table = kernels(60)
    first = json.loads(comparison_answer(comparison(tables={"kernels": table})))["tables"]["kernels"]["short_names"]
    paged = {}
    for offset in range(0, 60, 7):
        page = json.loads(table_answer(table, choose_rows(table, RowQuery()), Page(offset, 7)))
        assert set(page["short_names"]) == {row[0] for row in page["rows"]}
        paged |= page["short_names"]
    assert paged == first
    assert len(set(first.values())) == 60
    assert first[table.rows[3][0]] == "elementwise_kernel ‹AddFunctor› ‹1, 1›"


def test_short_names_are_sent_with_the_names_only() -> None:
    table = kernels(4)
    times = json.loads(table_answer(table, choose_rows(table, RowQuery()), Page(columns=("delta_us",))))
    assert times["short_names"] == {}
    plain = json.loads(comparison_answer(comparison(tables={"kernels": wide(30)})))["tables"]["kernels"]
    assert "short_names" not in plain


def test_short_names_leave_room_for_rows() -> None:
    long = Table("kernels", "Kernels", kernels(1).columns, tuple(
        (f"void {'n' * 900}::k{n}<{n}, AddFunctor<float>>(int)", 1.0, "both") for n in range(900)
    ))  # fmt: skip
    body = comparison_answer(comparison(tables={"kernels": long}))
    sent = json.loads(body)["tables"]["kernels"]
    assert len(body) <= MAX_BYTES
    assert 50 < len(sent["short_names"]) < len(sent["rows"])


def test_a_view_is_cut_like_a_table() -> None:
    table = wide(20_000, letters=300)
    body = view_answer("kernels", "corrected", comparison().baseline, table, (), choose_rows(table, RowQuery()), Page())
    assert len(body) <= MAX_BYTES
    sent = json.loads(body)["table"]
    assert sent["next_offset"] == len(sent["rows"]) < sent["total_rows"] == 20_000


def test_integers_beyond_64_bits_and_broken_texts_are_sent_as_they_are() -> None:
    table = Table("t", "T", (columns.key("name", "Name", ""), columns.count("n", "N", "")), (("lone \ud800", 2**70),))
    sent = json.loads(comparison_answer(comparison(tables={"t": table})))
    assert sent["tables"]["t"]["rows"] == [["lone \ud800", 2**70]]
