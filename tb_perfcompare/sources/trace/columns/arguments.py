"""Converts the `args` objects of a block of events to one sparse column per argument in use.

The objects arrive as dictionaries of undecoded JSON values. They are concatenated, every key is replaced by a number,
and all values of a kind are parsed at once: the cost depends on the arguments present, not on the number of columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, compress
from operator import methodcaller
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Ints, Ints32, chunks, unique, unique_first
from tb_perfcompare.model.events import ABSENT, ARG_COLUMNS, ArgColumn, ArgKind, SparseColumn
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.trace.columns.growable_array import GrowableArray
from tb_perfcompare.sources.trace.columns.interning import JsonTexts, KeyNumbers
from tb_perfcompare.sources.trace.columns.numbers import parse_floats, parse_integers

EXTERNAL_ID = ArgColumn("external_id", ("external id", "External id"), ArgKind.INT)
CORRELATION = ArgColumn("correlation", ("correlation", "connection_id"), ArgKind.INT)

SLOTS: tuple[tuple[ArgColumn, str], ...] = tuple(
    (column, key) for column in (EXTERNAL_ID, CORRELATION, *ARG_COLUMNS) for key in column.keys
)
"""(column, key) for every key of every column, a column's keys in order of preference."""

_KINDS = (ArgKind.INT, ArgKind.FLOAT, ArgKind.JSON)
_KIND_OF_SLOT = np.array([-1] + [_KINDS.index(column.kind) for column, _ in SLOTS], np.int8)
_DTYPE = {ArgKind.INT: np.int64, ArgKind.FLOAT: np.float64, ArgKind.JSON: np.int32}
_GAP = b"\0"
NOT_RECORDED = tuple(SparseColumn(np.zeros(0, np.int32), np.zeros(0, _DTYPE[column.kind])) for column, _ in SLOTS)
"""An empty column for each of SLOTS: most are not recorded, and a list of runs reads many small files."""


_values = methodcaller("values")


class ArgumentColumns:
    """Collects arguments block by block; `finish` returns the columns."""

    def __init__(self, strings: StringTable) -> None:
        self._slot_of = KeyNumbers((key, slot) for slot, (_, key) in enumerate(SLOTS, start=1))
        self._texts = JsonTexts(strings)
        self._columns: dict[int, tuple[GrowableArray[Any], GrowableArray[Any]]] = {}  # rows and values by slot

    @property
    def repaired(self) -> int:
        """Number of distinct texts with bytes that are not UTF-8."""
        return self._texts.repaired

    def add(self, objects: Sequence[Mapping[str, msgspec.Raw]], first_row: int) -> None:
        """Adds the `args` of consecutive event rows starting at `first_row`.

        An event without `args` has an empty object.
        """
        sizes = np.fromiter(map(len, objects), np.int32, len(objects))
        total = int(sizes.sum())
        slots = np.fromiter(map(self._slot_of.__getitem__, chain.from_iterable(objects)), np.int8, total)
        values = list(chain.from_iterable(map(_values, objects)))
        rows = np.repeat(np.arange(first_row, first_row + len(objects), dtype=np.int32), sizes)
        kinds = _KIND_OF_SLOT[slots]
        for number, kind in enumerate(_KINDS):
            chosen = kinds == number
            texts = list(compress(values, chosen.tobytes()))
            if texts:
                parsed, valid = self._parse(kind, texts)
                self._file(slots[chosen][valid], rows[chosen][valid], parsed[valid])

    def finish(self) -> tuple[SparseColumn, ...]:
        """A column for each of SLOTS, empty if not recorded; the collector is empty afterwards."""
        columns = list(NOT_RECORDED)
        for slot, (rows, values) in self._columns.items():
            columns[slot - 1] = SparseColumn(rows.finish(), values.finish())
        self._columns = {}
        return tuple(columns)

    def _parse(self, kind: ArgKind, texts: list[msgspec.Raw]) -> tuple[NDArray[Any], Flags]:
        if kind is ArgKind.INT:
            return parse_integers(texts)
        if kind is ArgKind.FLOAT:
            return parse_floats(texts)
        # joining and splitting converts all to bytes faster than one by one; no JSON text contains the separator
        raw = _GAP.join(texts).split(_GAP)
        codes = np.fromiter(map(self._texts.__getitem__, raw), np.int32, len(raw))
        return codes, codes >= 0

    def _file(self, slots: NDArray[np.int8], rows: Ints32, values: NDArray[Any]) -> None:
        """Appends values to their slots; the stable sort keeps rows ascending in each slot."""
        order = np.argsort(slots, kind="stable")
        rows, values = rows[order], values[order]
        ends = np.cumsum(np.bincount(slots, minlength=len(_KIND_OF_SLOT)))
        for slot in unique(slots).tolist():
            span = slice(int(ends[slot - 1]), int(ends[slot]))
            if slot not in self._columns:
                self._columns[slot] = GrowableArray(np.int32), GrowableArray(values.dtype.type)
            for column, part in zip(self._columns[slot], (rows, values), strict=True):
                column.append(part[span])


def dense(spellings: Sequence[SparseColumn], n: int) -> Ints:
    """(n,) values, ABSENT for events without one; of several spellings of the key, the first one present wins."""
    out = np.full(n, ABSENT, np.int64)
    for column in reversed(spellings):
        for portion in chunks(len(column.rows)):
            out[column.rows[portion]] = column.values[portion]
    return out


def joined_spellings(slots: list[SparseColumn], n: int) -> tuple[Ints, Ints, dict[str, SparseColumn]]:
    """((n,) external ids, (n,) correlations, name -> column of the other arguments) from a column for each of SLOTS.

    Empties the list as it goes to free memory: if every event has an id, the sparse column is longer than the dense
    one.
    """
    external_id, correlation = (dense(_take_spellings(slots, column), n) for column in (EXTERNAL_ID, CORRELATION))
    columns = {column.name: _take_column(slots, column) for column in ARG_COLUMNS}
    return external_id, correlation, {name: column for name, column in columns.items() if column is not None}


def _take_spellings(slots: list[SparseColumn], column: ArgColumn) -> list[SparseColumn]:
    """Removes the next column's spellings from the list and returns those that were recorded."""
    written = [slot for slot in slots[: len(column.keys)] if len(slot.rows)]
    del slots[: len(column.keys)]
    return written


def _take_column(slots: list[SparseColumn], column: ArgColumn) -> SparseColumn | None:
    """Merges the spellings of the next column; None if none was recorded."""
    written = _take_spellings(slots, column)
    return _prefer_first(written) if written else None


def _prefer_first(spellings: list[SparseColumn]) -> SparseColumn:
    """Merges the spellings of a key into one column; the first one present in an event wins."""
    if len(spellings) == 1:
        return spellings[0]
    rows = np.concatenate([spelling.rows for spelling in spellings])
    values = np.concatenate([spelling.values for spelling in spellings])
    distinct, first, _ = unique_first(rows)
    return SparseColumn(distinct.astype(np.int32), values[first])
