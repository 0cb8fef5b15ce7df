"""Encodes a comparison as MessagePack and decodes it. Columns of numbers are stored as raw float64 bytes, so that
reading a long table creates no object per cell."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import CellColumn, Column, ColumnRows, Row, Table
from tb_perfcompare.comparison.result.validation import inconsistency
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.saved.msgspec_warmup import inspected

_NUMBERS = np.dtype("<f8")


@dataclass(frozen=True, slots=True)
class _StoredTable:
    """A table of `length` rows: either `cells` per column, numbers as float64 bytes, or `rows` with `cells` None."""

    name: str
    title: str
    columns: tuple[Column, ...]
    notes: tuple[str, ...]
    length: int
    cells: tuple[bytes | tuple[Cell, ...], ...] | None
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class _Stored:
    """A comparison without its tables, and the tables by name."""

    comparison: Comparison
    tables: Mapping[str, _StoredTable]


def as_bytes(comparison: Comparison) -> bytes:
    """Encodes a comparison. Raises what msgspec raises for an integer beyond 64 bits or a text that is not valid
    Unicode."""
    tables = {name: _stored_table(table) for name, table in comparison.tables.items()}
    ledger = replace(comparison.ledger, rows=tuple(comparison.ledger.rows))
    return msgspec.msgpack.encode(_Stored(replace(comparison, tables={}, ledger=ledger), tables), enc_hook=_plain)


def from_bytes(body: bytes) -> Comparison:
    """Decodes a comparison. Raises MsgspecError, ValueError, or what validating odd values raises, for bytes that
    `as_bytes` did not write."""
    stored = _decoder().decode(body)
    ledger = replace(stored.comparison.ledger, rows=tuple(stored.comparison.ledger.rows))
    tables = {name: _table(table) for name, table in stored.tables.items()}
    comparison = replace(stored.comparison, tables=tables, ledger=ledger)
    if wrong := inconsistency(comparison):
        raise ValueError(wrong)
    return comparison


def _stored_table(table: Table) -> _StoredTable:
    cells, rows = None, table.rows
    if isinstance(rows, ColumnRows):
        cells, rows = tuple(map(_cells, rows.columns)), ()
    return _StoredTable(table.name, table.title, table.columns, table.notes, len(table.rows), cells, tuple(rows))


def _cells(column: CellColumn) -> bytes | tuple[Cell, ...]:
    return column.astype(_NUMBERS).tobytes() if isinstance(column, np.ndarray) else tuple(column)


def _table(stored: _StoredTable) -> Table:
    rows: Sequence[Row] = stored.rows
    if stored.cells is not None:
        rows = ColumnRows(tuple(map(_column, stored.cells)), stored.length)
    elif len(rows) != stored.length:
        raise ValueError(f"{len(rows)} rows instead of {stored.length}")
    return Table(stored.name, stored.title, stored.columns, rows, stored.notes)


def _column(cells: bytes | tuple[Cell, ...]) -> CellColumn:
    return np.frombuffer(cells, dtype=_NUMBERS).astype(np.float64) if isinstance(cells, bytes) else cells


@functools.cache
def _decoder() -> msgspec.msgpack.Decoder[_Stored]:
    return msgspec.msgpack.Decoder(inspected(_Stored))


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} in a comparison")
