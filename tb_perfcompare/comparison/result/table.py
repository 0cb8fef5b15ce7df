"""Tables: described columns, and rows.

Most rows are never read, and cells kept one by one take four times the memory of a number in an array: rows are kept as
columns, and a row is made on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, TypedDict, overload

import numpy as np

from tb_perfcompare.comparison.result.plain_values import Cell, as_plain, plain
from tb_perfcompare.comparison.result.table_catalogue import TableFacts, meaning, table_facts
from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.model.texts import Texts
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.units import Better

if TYPE_CHECKING:
    from pandas import DataFrame

Row = tuple[Cell, ...]

CellColumn = Floats | tuple[Cell, ...] | Texts
"""Cells of one column: floats (NaN: absent), texts from a pool, or plain cells."""

_BLOCK = 512
"""Number of rows made at a time on iterating."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnRows(Sequence[Row]):
    """`length` rows, kept as columns with `length` cells each."""

    columns: tuple[CellColumn, ...]
    length: int

    def __post_init__(self) -> None:
        """Raises ValueError if columns differ in length."""
        if any(len(column) != self.length for column in self.columns):
            raise ValueError(f"columns that do not make {self.length} rows")

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, at: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(at, slice):
            return tuple(zip(*(_plain(column[at]) for column in self.columns), strict=True))
        return tuple(
            (None if (number := float(column[at])) != number else number)
            if isinstance(column, np.ndarray) else column[at]
            for column in self.columns
        )  # fmt: skip

    def __iter__(self) -> Iterator[Row]:
        for start in range(0, self.length, _BLOCK):
            yield from self[start : start + _BLOCK]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))


def cells_of(rows: Sequence[Row], column: int) -> Sequence[Cell]:
    return _plain(rows.columns[column]) if isinstance(rows, ColumnRows) else [row[column] for row in rows]


def numbers_of(rows: Sequence[Row], column: int) -> Floats | None:
    """Returns the cells of a numeric column, NaN for absent ones; None if the column is not kept as an array."""
    cells = rows.columns[column] if isinstance(rows, ColumnRows) else None
    return cells if isinstance(cells, np.ndarray) else None


def picked(rows: Sequence[Row], numbers: Sequence[int]) -> Sequence[Row]:
    """Returns the rows with these numbers, kept as columns if the input is."""
    stretch = slice(numbers.start, numbers.stop) if isinstance(numbers, range) and numbers.step == 1 else None
    if not isinstance(rows, ColumnRows):
        return rows[stretch] if stretch is not None else [rows[number] for number in numbers]
    if stretch is not None:
        return ColumnRows(tuple(column[stretch] for column in rows.columns), len(numbers))
    index = np.asarray(numbers, np.int64)
    return ColumnRows(tuple(_picked(column, numbers, index) for column in rows.columns), len(numbers))


def _picked(column: CellColumn, numbers: Sequence[int], index: Ints) -> CellColumn:
    if isinstance(column, np.ndarray):
        return column[index]
    if isinstance(column, Texts):
        return Texts(column.code[index], column.pool)
    return tuple(map(column.__getitem__, numbers))


def _plain(column: CellColumn) -> Sequence[Cell]:
    if not isinstance(column, np.ndarray):
        return column
    cells: list[Cell] = column.tolist()
    for absent in np.flatnonzero(np.isnan(column)).tolist():
        cells[absent] = None
    return cells


ROLES = ("key", "text", "baseline", "candidate", "delta", "percent", "status", "amount", "plain")
"""Role "amount": a figure of one run that adds up over rows."""
KINDS = ("text", "time_us", "count", "fraction", "number", "bool")


@dataclass(frozen=True, slots=True)
class Column:
    """Description of a column."""

    name: Annotated[str, "key of the column"]
    label: Annotated[str, "heading"]
    unit: Annotated[str, "unit of the cells; empty if they have none"]
    better: Annotated[Better, "direction of an improvement"]
    description: Annotated[str, "definition of the figure"]
    role: Annotated[str, "what the cells are", ROLES] = "plain"
    kind: Annotated[str, "type of the cells", KINDS] = "number"
    shown: Annotated[bool, "whether the column is shown by default"] = True
    DERIVED: ClassVar[tuple[str, ...]] = ("measure", "side", "statistic")

    @property
    def measure(self) -> Annotated[str, 'quantity, "" for the main measure']:
        """What the column measures, "" for the table's main measure."""
        return meaning(self.name, self.role, self.kind).measure

    @property
    def side(self) -> Annotated[str, "side of the figure; empty for both or neither", ("baseline", "candidate", "")]:
        """baseline, candidate, or "" for both or neither."""
        return meaning(self.name, self.role, self.kind).side

    @property
    def statistic(self) -> Annotated[str, "figure of the measure: value, delta, shift, change, p, q, ..."]:
        """Statistic of the measure that the column holds (table_catalogue.Meaning)."""
        return meaning(self.name, self.role, self.kind).statistic


ColumnSums = Mapping[str, float | None]
"""Sum over some rows by column; None if nothing was measured."""


class RowSums(TypedDict):
    """Sums over a group of rows."""

    rows: Annotated[int, "number of rows"]
    sums: Annotated[ColumnSums, "column name -> sum; null if nothing was measured"]


class _TableDict(TableFacts):
    title: Annotated[str, "heading"]
    columns: Annotated[Sequence[Column], "columns, in the order of the cells"]
    rows: Annotated[Sequence[Sequence[Cell]], "rows; in a truncated response only the first of `total_rows`"]
    notes: Annotated[Sequence[str], "notes on the whole table"]


class TableDict(_TableDict, total=False):
    """A table."""

    total_rows: Annotated[int, "number of rows of the full table"]
    left_out: Annotated[RowSums, "sums of the rows missing from a truncated response"]
    short_names: Annotated[Mapping[str, str], "only in HTTP responses: name -> short form, for names that have one"]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with rows in the default order; long tables keep them as columns (ColumnRows). `notes` are sentences
    about the whole table, including which reading it shows."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    notes: tuple[str, ...] = ()

    @property
    def places(self) -> dict[str, int]:
        """Index of each column by its name."""
        return {column.name: index for index, column in enumerate(self.columns)}

    def to_dict(self) -> TableDict:
        """Returns the table in its JSON form: `title`, the facts of the table catalogue, `columns`, `rows`, `notes`."""
        return {
            "title": self.title,
            **table_facts(self.name),  # type: ignore[typeddict-item]  # might have more keys
            "columns": as_plain(self.columns),
            "rows": self._plain_rows(),
            "notes": list(self.notes),
        }

    def _plain_rows(self) -> list[list[Cell]]:
        if not isinstance(self.rows, ColumnRows):
            return [[plain(cell) for cell in row] for row in self.rows]
        whole = (
            _plain(np.where(np.isfinite(column), column, np.nan)) if isinstance(column, np.ndarray)
            else column if isinstance(column, Texts) else list(map(plain, column))
            for column in self.rows.columns
        )  # fmt: skip
        return list(map(list, zip(*whole, strict=True)))

    def to_frame(self) -> DataFrame:
        """Returns the table as a pandas DataFrame with nullable types: an absent cell is missing, integers stay
        integers. `attrs` holds units and definitions of the columns (docs/guide/python.md). Raises PerfCompareError
        without pandas."""
        from tb_perfcompare.comparison.result.frames import frame_of

        return frame_of(
            {column.name: (cells_of(self.rows, at), column.kind) for at, column in enumerate(self.columns)},
            table=self.name,
            title=self.title,
            units={column.name: column.unit for column in self.columns},
            descriptions={column.name: column.description for column in self.columns},
            notes=list(self.notes),
        )


def table_of(
    name: str, title: str, made: Iterable[tuple[Column, CellColumn]], order: Sequence[int] | None = None,
    notes: tuple[str, ...] = (),
) -> Table:  # fmt: skip
    """Builds a table of columns with their cells; `order`: numbers of the rows in the order of the table."""
    shown, cells = zip(*made, strict=True)
    rows = ColumnRows(cells, len(cells[0]))
    return Table(name, title, shown, rows if order is None else picked(rows, order), notes)


def by_name(tables: Iterable[Table | None]) -> dict[str, Table]:
    """Returns the tables that there are, by name."""
    return {table.name: table for table in tables if table is not None}
