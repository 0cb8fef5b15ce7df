"""Shortens a ledger so that it still adds up: the smallest entries of a category become one row with their sums."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from heapq import merge

import numpy as np

from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.ledger_rows import LedgerGroup, LedgerRow, sum_of

Path = tuple[str, ...]


def cut_ledger(ledger: Ledger, most: int, named: Collection[Path] = ()) -> Ledger:
    """Returns the ledger with about `most` rows: categories, the entries with the largest |delta| and those in
    `named` with their parts, and per category one row for all its other entries. Their sums, and so all levels, stay
    exact. No row objects are made for what is left out."""
    if len(ledger.rows) <= most:
        return ledger
    wanted = set(named)
    groups = ledger.groups
    kept: list[set[int]] = []
    for group in groups:
        category = group.entities.category
        names = {path[1] for path in wanted if len(path) == 2 and path[0] == category}
        kept.append({entity for entity, key in enumerate(group.entities.key) if key in names} if names else set())
    room = most - sum(_rows_of(group, entity) for group, some in zip(groups, kept, strict=True) for entity in some)
    for _, _, _, number, entity in merge(*(_ranked(group, number) for number, group in enumerate(groups))):
        if entity in kept[number]:
            continue
        room -= _rows_of(groups[number], entity)
        if room < 0:
            break
        kept[number].add(entity)
    rows = tuple(row for group, some in zip(groups, kept, strict=True) for row in _shortened(group, some))
    return replace(ledger, rows=rows)


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
