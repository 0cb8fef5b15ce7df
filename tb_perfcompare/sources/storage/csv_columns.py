"""Reads CSV files with a header, block by block, into columns; errors name file, line and column.

Accepts quoted commas and line breaks, either line end, a byte order mark, gzip, and columns in any order.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tb_perfcompare.errors import CorruptInput, InputError, UnrecognisedFormat
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.arrays import Floats, Ints, Ints32
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.number_text import many
from tb_perfcompare.sources.storage.text_file import DamagedText, TextFile, has_python_only_digits

MISSING = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
     "NULL", "NaN", "None", "n/a", "nan", "null"]
)  # fmt: skip
"""Cells that common CSV tools read as missing; one of those tools read the published tables."""

BLOCK_ROWS = 256
"""Rows held as texts at a time: few enough for the processor's cache; 16,384 take three times as long."""

_MAX_COLUMNS = 1000

_AGAIN = "write the table again, or remove the damaged line"
_CUT = "copy it again, or remove its last line"
_SEPARATED = regex(r"[+-]?\d[\d., '\u2019\u00a0\u202f]*")
"""Digits with separators: a number as spreadsheets of some languages write it. `2,848` may be either of two numbers."""

_OTHER_SEPARATORS = ";\t|"
"""What some programs write between cells instead of a comma: recognized only to say so."""


class CsvColumns:
    """Some rows of one file as texts.

    path   the file
    lines  (rows,) line number of each row's end
    """

    __slots__ = ("_columns", "lines", "path")

    def __init__(self, path: str, columns: Mapping[str, Sequence[str]], lines: Sequence[int]) -> None:
        self.path = path
        self._columns = columns
        self.lines = lines

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def numbers(self, name: str, *, missing: float | None = None) -> Floats:
        """(rows,) finite float64; a missing cell becomes `missing`, or raises if that is None. Raises CorruptInput."""
        cells = self._columns[name]
        try:
            values = np.array(cells, dtype=np.float64)  # the same decimal-to-binary rounding as float()
            if np.isfinite(values).all() and not has_python_only_digits("".join(cells)):
                return values
        except ValueError:
            pass
        return np.array([self._number(name, row, cell, missing) for row, cell in enumerate(cells)], dtype=np.float64)

    def integers(self, name: str) -> Ints:
        """(rows,) int64; `12` and `12.0` are equal. Raises CorruptInput."""
        values = self.numbers(name)
        wrong = np.flatnonzero((values != np.floor(values)) | (np.abs(values) > 2.0**53))
        if len(wrong):
            raise self._wrong(name, int(wrong[0]), "is not a whole number")
        return values.astype(np.int64)

    def texts(self, name: str, strings: StringTable) -> Ints32:
        """(rows,) codes into `strings`; -1 for a missing text."""
        codes = {cell: -1 if cell in MISSING else strings.intern(cell) for cell in dict.fromkeys(self._columns[name])}
        return np.fromiter(map(codes.__getitem__, self._columns[name]), np.int32, len(self.lines))

    def raw(self, name: str) -> Sequence[str]:
        """The cells as written."""
        return self._columns[name]

    def _number(self, name: str, row: int, cell: str, missing: float | None) -> float:
        if cell.strip() in MISSING:
            if missing is None:
                what = "means no value" if cell.strip() else "is empty"
                raise self._wrong(name, row, f"{what} but must be a number")
            return missing
        try:
            value = float("" if has_python_only_digits(cell) else cell)
        except ValueError:
            is_separated = _SEPARATED.fullmatch(cell.strip()) is not None
            hint = "write numbers with a decimal point and without thousands separators" if is_separated else _AGAIN
            raise self._wrong(name, row, "is not a number", hint) from None
        if not math.isfinite(value):
            raise self._wrong(name, row, "is not finite")
        return value

    def _wrong(self, name: str, row: int, what: str, hint: str = _AGAIN) -> CorruptInput:
        cell = self._columns[name][row]
        shown = f"{cell[:40]!r}" if cell else "the cell"
        return CorruptInput(self.path, f"{shown} {what}", place=f"line {self.lines[row]}, column {name}", hint=hint)


def read_csv_columns(file: TextFile, required: Sequence[str], optional: Sequence[str] = ()) -> Iterator[CsvColumns]:
    """Yields the named columns, at most BLOCK_ROWS rows at a time; ignores others and leaves out missing optional ones.
    Lines without a cell that holds anything are skipped; the first other line names the columns.

    Raises UnrecognisedFormat (a required column is missing), InputError (cannot be read to the end), CorruptInput (no
    rows, a duplicate column, a second header, a row of another width, bad quoting, not UTF-8, damaged gzip data).
    """
    path = file.name
    reader = _Reader(file)
    header = next((row for row in reader if _holds_anything(row)), None)
    names = _column_names(header, path, f"line {reader.line_num}", required)
    places = {name: names.index(name) for name in (*required, *optional) if name in names}
    twice = [name for name in places if names.count(name) > 1]
    if twice:
        place, hint = f"line {reader.line_num}", "leave one of them out"
        raise CorruptInput(path, f"names the column {twice[0]} more than once", place=place, hint=hint)
    rows, lines, empty = list[list[str]](), list[int](), True
    for row in reader:
        if not row or (not row[0] and not _holds_anything(row)):
            continue
        if len(row) != len(names):
            raise _wrong_width(path, reader, len(row), len(names))
        if row == header:
            place = f"line {reader.line_num}"
            raise CorruptInput(path, "names the columns again", place=place, hint="give a file for each table")
        rows.append(row)
        lines.append(reader.line_num)
        if len(rows) == BLOCK_ROWS:
            file.rows += len(rows)
            yield _columns(path, places, rows, lines)
            rows, lines, empty = [], [], False
    if rows:
        file.rows += len(rows)
        yield _columns(path, places, rows, lines)
    elif empty:
        raise CorruptInput(path, "has a header but no rows", hint="record again or give another file")


def _holds_anything(row: Sequence[str]) -> bool:
    """False for a blank line, also as spreadsheets write it: only separators."""
    return any(map(str.strip, row))


def _wrong_width(path: str, reader: _Reader, width: int, needed: int) -> CorruptInput:
    place = f"line {reader.line_num}"
    message = f"has {many(width, 'cell')} where the first line has {needed}"
    try:
        is_last = next(reader, None) is None
    except InputError:
        is_last = False
    if is_last:
        return CorruptInput(path, f"{message}: the file ends here", place=place, hint=_CUT)
    return CorruptInput(path, message, place=place, hint=_AGAIN)


def _column_names(header: list[str] | None, path: str, place: str, required: Sequence[str]) -> list[str]:
    if header is None:
        raise CorruptInput(path, "is empty", hint="record again or give another file")
    if len(header) > _MAX_COLUMNS:
        raise UnrecognisedFormat(path, f"has {len(header):,} columns", place=place, hint="give a table of fewer")
    names = [name.strip() for name in header]
    absent = [name for name in required if name not in names]
    if not absent:
        return names
    text = ",".join(header)
    if "\0" in text:
        raise UnrecognisedFormat(path, "is not UTF-8 but holds zero bytes", place=place, hint="convert it to UTF-8")
    if text.startswith("sep="):
        hint = "remove this line"
        raise UnrecognisedFormat(path, f"has {text[:40]!r} before the names of the columns", place=place, hint=hint)
    for separator in _OTHER_SEPARATORS:
        if not {*required} - {name.strip(' "') for name in text.split(separator)}:
            hint = "write it with commas between the cells, and decimal points in the numbers"
            raise UnrecognisedFormat(path, f"separates its columns by {separator!r}", place=place, hint=hint)
    raise UnrecognisedFormat(
        path, f"has no column {', '.join(absent)}", place=place,
        hint="its first line must name the columns; docs/inputs/perf_data.md lists them",
    )  # fmt: skip


def _columns(path: str, places: Mapping[str, int], rows: list[list[str]], lines: list[int]) -> CsvColumns:
    columns = list(zip(*rows, strict=True))
    return CsvColumns(path, {name: columns[place] for name, place in places.items()}, lines)


class _Reader:
    """A csv.reader whose errors name file and line."""

    def __init__(self, file: TextFile) -> None:
        self._path = file.name
        self._rows = csv.reader(file.lines, strict=True)

    @property
    def line_num(self) -> int:
        return self._rows.line_num

    def __iter__(self) -> _Reader:
        return self

    def __next__(self) -> list[str]:
        try:
            return next(self._rows)
        except csv.Error as error:
            place = f"line {max(1, self.line_num)}"
            hint = _CUT if "end of data" in str(error) else _AGAIN
            raise CorruptInput(self._path, f"is not valid CSV ({error})", place=place, hint=hint) from error
        except UnicodeDecodeError as error:
            place = f"after line {self.line_num}" if self.line_num else "line 1 or soon after"
            raise CorruptInput(self._path, "is not UTF-8", place=place, hint="convert it to UTF-8") from error
        except DamagedText as error:
            place = f"after line {self.line_num}"
            raise CorruptInput(self._path, str(error), place=place, hint="copy it again") from error
        except OSError as error:
            raise InputError(self._path, f"cannot be read: {error.strerror or error}", hint="copy it again") from error
