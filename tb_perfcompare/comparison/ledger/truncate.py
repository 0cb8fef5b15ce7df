"""Shortens a ledger so that it still adds up: the smallest entries of a category become one row with their sums."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from heapq import merge

import numpy as np

from tb_perfcompare.comparison.ledger.rows import sum_row
from tb_perfcompare.comparison.result.ledger_rows import Ledger, LedgerGroup, LedgerRow, LedgerRows, sum_of

Path = tuple[str, ...]


def cut_ledger(ledger: Ledger, most: int, named: Collection[Path] = ()) -> Ledger:
    """Returns the ledger with about `most` rows: categories, the entries with the largest |delta| and those in
    `named` with their parts, and per category one row for all its other entries. Their sums, and so all levels, stay
    exact."""
    if len(ledger.rows) <= most:
        return ledger
    if isinstance(ledger.rows, LedgerRows):
        return replace(ledger, rows=_cut_columns(ledger.rows, most, set(named)))
    entries = [row for row in ledger.rows if len(row.path) == 2]
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


def _cut_columns(rows: LedgerRows, most: int, wanted: set[Path]) -> tuple[LedgerRow, ...]:
    """Shortens rows kept as columns, the largest of each category first; no row objects are made for those left out."""
    kept: list[set[int]] = []
    for group in rows.groups:
        category = group.entities.category
        names = {path[1] for path in wanted if len(path) == 2 and path[0] == category}
        kept.append({entity for entity, key in enumerate(group.entities.key) if key in names} if names else set())
    room = most - sum(_rows_of(group, entity) for group, some in zip(rows.groups, kept, strict=True) for entity in some)
    for _, _, _, number, entity in merge(*(_ranked(group, number) for number, group in enumerate(rows.groups))):
        if entity in kept[number]:
            continue
        room -= _rows_of(rows.groups[number], entity)
        if room < 0:
            break
        kept[number].add(entity)
    return tuple(row for group, some in zip(rows.groups, kept, strict=True) for row in _shortened(group, some))


def _ranked(group: LedgerGroup, number: int) -> Iterator[tuple[int, str, str, int, int]]:
    """Yields (-|delta|, category, key, number of the group, of the entity), which is already sorted."""
    rows = group.entities
    for index, (size, key) in enumerate(zip(abs(rows.delta).tolist(), rows.key, strict=True)):
        yield -size, rows.category, key, number, index


def _rows_of(group: LedgerGroup, index: int) -> int:
    return 1 + len(group.parts.get(index, ()))


def _shortened(group: LedgerGroup, kept: set[int]) -> Iterator[LedgerRow]:
    yield group.head
    rows = group.entities
    is_rest = np.ones(len(rows), dtype=bool)
    is_rest[list(kept)] = False
    rest = np.flatnonzero(is_rest)
    shown = sorted(kept) if len(rest) != 1 else [*sorted(kept), int(rest[0])]  # a row for one entry would save nothing
    for index in shown:
        yield rows[index]
        yield from group.parts.get(index, ())
    if len(rest) > 1:
        name = f"({len(rest):,} smaller entries)"
        yield sum_of(rows.of_rows(rest), name, name)
