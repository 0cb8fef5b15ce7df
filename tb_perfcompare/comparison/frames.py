"""Tables as pandas DataFrames. pandas is optional and imported here alone, when a frame is asked for.

Types are pandas' nullable ones, so that an absent cell is missing without turning integers into floats: Int64, Float64,
boolean, string. What a column is stands in `frame.attrs` (docs/python.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from tb_perfcompare.comparison.column_rows import cells_of
from tb_perfcompare.comparison.comparison import Cell, Ledger, Table
from tb_perfcompare.errors import PerfCompareError

if TYPE_CHECKING:
    from pandas import DataFrame

LEDGER = "ledger"
"""Name under which the ledger is asked for."""

_NANOSECONDS = "ns x denominator"
_LEDGER_COLUMNS = (
    ("category", ""), ("entity", ""), ("part", ""), ("name", ""), ("baseline", _NANOSECONDS),
    ("candidate", _NANOSECONDS), ("delta", _NANOSECONDS), ("baseline_calls", "count"), ("candidate_calls", "count"),
    ("count_effect", _NANOSECONDS), ("rate_effect", _NANOSECONDS), ("mix_effect", _NANOSECONDS),
    ("same_shape_effect", _NANOSECONDS), ("status", ""),
)  # fmt: skip
_DTYPES = {
    frozenset({bool}): "boolean", frozenset({int}): "Int64", frozenset({float}): "Float64",
    frozenset({int, float}): "Float64", frozenset({str}): "string",
}  # fmt: skip
"""Types of a column's cells -> pandas' name; anything else stays as objects."""

_EMPTY = {"text": "string", "bool": "boolean"}
"""Kind of a column without any cell -> pandas' name; the others are numbers."""

_INT64 = range(-(2**63), 2**63)


def table_frame(table: Table) -> DataFrame:
    """Rows in the table's order, columns by their names, not their labels. Raises PerfCompareError without pandas."""
    pandas = _pandas()
    columns = {
        column.name: _array(pandas, cells_of(table.rows, at), _EMPTY.get(column.kind, "Float64"))
        for at, column in enumerate(table.columns)
    }
    frame: DataFrame = pandas.DataFrame(columns)
    frame.attrs.update(
        table=table.name,
        title=table.title,
        units={column.name: column.unit for column in table.columns},
        descriptions={column.name: column.description for column in table.columns},
        notes=list(table.notes),
    )
    return frame


def ledger_frame(ledger: Ledger) -> DataFrame:
    """The ledger's rows with their exact integers: nanoseconds per step times `attrs["denominator"]`. `entity` and
    `part` are missing in the rows that stand for all of them. Raises PerfCompareError without pandas."""
    pandas = _pandas()
    rows = [
        (
            *row.path, *[None] * (3 - len(row.path)), row.name, row.baseline, row.candidate, row.delta, *row.calls,
            row.count_effect, row.rate_effect, row.mix_effect, row.same_shape_effect, row.status,
        )
        for row in ledger.rows
    ]  # fmt: skip
    columns = {
        name: _array(pandas, [row[at] for row in rows], "Int64" if unit == _NANOSECONDS else "string")
        for at, (name, unit) in enumerate(_LEDGER_COLUMNS)
    }
    frame: DataFrame = pandas.DataFrame(columns)
    frame.attrs.update(table=LEDGER, denominator=ledger.denominator, units=dict(_LEDGER_COLUMNS))
    return frame


def _array(pandas: ModuleType, cells: Sequence[Cell], empty: str) -> object:
    known = [None if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in cells]
    kinds = frozenset(
        next(kind for kind in (bool, int, float, str) if isinstance(cell, kind)) for cell in known if cell is not None
    )
    name = _DTYPES.get(kinds, "object") if kinds else empty
    if name == "Int64" and not all(cell is None or cell in _INT64 for cell in known):
        name = "object"  # a ledger may be larger than 64 bits
    if name == "string":
        dtype = pandas.StringDtype("python")  # the other storage refuses texts that are no Unicode
        return pandas.array(known, dtype=dtype)
    return pandas.array(known, dtype=name)


def _pandas() -> ModuleType:
    try:
        import pandas
    except ImportError as error:
        raise PerfCompareError(
            "pandas is not installed, and a frame is one of its objects",
            hint="pip install 'tb_perfcompare[pandas]', or take to_dict()",
        ) from error
    return pandas
