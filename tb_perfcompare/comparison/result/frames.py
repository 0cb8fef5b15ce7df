"""Tables as pandas DataFrames. pandas is optional: it is imported only here, and only when a frame is requested.

Types are pandas' nullable ones (Int64, Float64, boolean, string), so that an absent cell is missing without turning
integers into floats. `frame.attrs` describes the columns (docs/guide/python.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.errors import PerfCompareError

if TYPE_CHECKING:
    from pandas import DataFrame

_DTYPES = {
    frozenset({bool}): "boolean", frozenset({int}): "Int64", frozenset({float}): "Float64",
    frozenset({int, float}): "Float64", frozenset({str}): "string",
}  # fmt: skip
"""pandas type by the Python types of a column's cells; other columns are kept as objects."""

_EMPTY = {"text": "string", "bool": "boolean", "integer": "Int64"}
"""pandas type of a column without any cell, by the column's kind; Float64 for other kinds."""

_INT64 = range(-(2**63), 2**63)


def frame_of(columns: Mapping[str, tuple[Sequence[Cell], str]], **attrs: object) -> DataFrame:
    """Builds a frame from columns, each given as its cells and its kind, which decides the type if all cells are
    absent. `attrs` are stored in the frame. Raises PerfCompareError without pandas."""
    pandas = _pandas()
    frame: DataFrame = pandas.DataFrame(
        {name: _array(pandas, cells, _EMPTY.get(kind, "Float64")) for name, (cells, kind) in columns.items()}
    )
    frame.attrs.update(attrs)
    return frame


def _array(pandas: ModuleType, cells: Sequence[Cell], empty: str) -> object:
    finite = [None if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in cells]
    kinds = frozenset(
        next(kind for kind in (bool, int, float, str) if isinstance(cell, kind)) for cell in finite if cell is not None
    )
    name = _DTYPES.get(kinds, "object") if kinds else empty
    if name == "Int64" and not all(cell is None or cell in _INT64 for cell in finite):
        name = "object"  # a ledger's integers may exceed 64 bits
    if name == "string":
        dtype = pandas.StringDtype("python")  # the other storage refuses texts that are not valid Unicode
        return pandas.array(finite, dtype=dtype)
    return pandas.array(finite, dtype=name)


def _pandas() -> ModuleType:
    try:
        import pandas
    except ImportError as error:
        raise PerfCompareError(
            "pandas is not installed, and a frame is one of its objects",
            hint="pip install 'tb_perfcompare[pandas]', or take to_dict()",
        ) from error
    return pandas
