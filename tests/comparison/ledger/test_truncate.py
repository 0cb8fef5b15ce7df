"""A ledger with fewer rows closes as the whole one does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.ledger.truncate import cut_ledger
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow, columns_of, sum_of


def entry(category: str, name: str, delta: int) -> LedgerRow:
    count = delta // 3
    return LedgerRow((category, name), name, 100, 100 + delta, delta, (1.0, 2.0), count, delta - count, "both")


def part(of: LedgerRow, name: str) -> LedgerRow:
    return LedgerRow((*of.path, name), name, of.baseline, of.candidate, of.delta, of.calls, 0, of.delta, "both")


def ledger(deltas: dict[str, list[int]]) -> Ledger:
    rows: list[LedgerRow] = []
    for category, values in deltas.items():
        entries = [entry(category, f"{category}{number}", value) for number, value in enumerate(values)]
        rows.append(sum_of(columns_of(category, entries), category))
        for each in sorted(entries, key=lambda row: -abs(row.delta)):
            rows += [each, part(each, "called by x")]
    heads = [row for row in rows if len(row.path) == 1]
    baseline, candidate = sum(row.baseline for row in heads), sum(row.candidate for row in heads)
    return Ledger(1, baseline, candidate, candidate - baseline, tuple(rows))


DRAWN = ledger({"Kernel": [50, -40, 3, 2, 1], "Memcpy": [1]})


def test_the_smallest_entries_become_one_row_with_their_sums() -> None:
    cut = cut_ledger(DRAWN, 4)
    assert [row.path for row in cut.rows] == [
        ("Kernel",), ("Kernel", "Kernel0"), ("Kernel", "Kernel0", "called by x"),
        ("Kernel", "Kernel1"), ("Kernel", "Kernel1", "called by x"), ("Kernel", "(3 smaller entries)"),
        ("Memcpy",), ("Memcpy", "Memcpy0"), ("Memcpy", "Memcpy0", "called by x"),
    ]  # fmt: skip
    pooled = cut.rows[5]
    assert (pooled.delta, pooled.count_effect, pooled.rate_effect, pooled.calls) == (6, 1, 5, (3.0, 6.0))


def test_named_entries_are_kept() -> None:
    cut = cut_ledger(DRAWN, 2, {("Kernel", "Kernel4")})
    assert ("Kernel", "Kernel4") in [row.path for row in cut.rows]


def test_a_short_ledger_is_not_cut() -> None:
    assert cut_ledger(DRAWN, len(DRAWN.rows)) is DRAWN


DELTAS = st.lists(st.integers(-1000, 1000), min_size=1, max_size=12)


@given(st.lists(DELTAS, min_size=1, max_size=4), st.integers(0, 30))
def test_every_category_still_adds_up(deltas: list[list[int]], most: int) -> None:
    whole = ledger({f"c{number}": values for number, values in enumerate(deltas)})
    cut = cut_ledger(whole, most)
    for head in (row for row in whole.rows if len(row.path) == 1):
        assert head in cut.rows
        below = [row for row in cut.rows if len(row.path) == 2 and row.path[0] == head.path[0]]
        assert sum_of(columns_of(head.name, below), head.name) == head
