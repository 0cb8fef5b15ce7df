"""A ledger with fewer rows that still closes: the smallest entries of a category become one row with their sums."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tb_perfcompare.comparison.ledger.rows import sum_row
from tb_perfcompare.comparison.result.ledger_rows import Ledger, LedgerRow

Path = tuple[str, ...]


def cut_ledger(ledger: Ledger, most: int, named: Collection[Path] = ()) -> Ledger:
    """The ledger with about `most` rows: categories, the entries with the largest |delta| and those in `named` with
    their parts, and per category one row for all its other entries. Their sums, and so all levels, stay exact."""
    entries = [row for row in ledger.rows if len(row.path) == 2]
    if len(ledger.rows) <= most:
        return ledger
    parts: dict[Path, list[LedgerRow]] = {}
    for row in ledger.rows:
        if len(row.path) == 3:
            parts.setdefault(row.path[:2], []).append(row)
    wanted = set(named)
    ranked = sorted(entries, key=lambda row: (row.path not in wanted, -abs(row.delta), row.path))
    kept: set[Path] = set()
    room = most
    for row in ranked:
        room -= 1 + len(parts.get(row.path, ()))
        if room < 0 and row.path not in wanted:
            break
        kept.add(row.path)
    rows: list[LedgerRow] = []
    rest: list[LedgerRow] = []

    def close() -> None:
        if len(rest) == 1:  # a row for one entry would save nothing
            rows.extend([rest[0], *parts.get(rest[0].path, ())])
        elif rest:
            name = f"({len(rest):,} smaller entries)"
            rows.append(sum_row((rest[0].path[0], name), name, rest))
        rest.clear()

    for row in ledger.rows:
        if len(row.path) == 1:
            close()
            rows.append(row)
        elif row.path[:2] in kept:
            rows.append(row)
        elif len(row.path) == 2:
            rest.append(row)
    close()
    return replace(ledger, rows=tuple(rows))
