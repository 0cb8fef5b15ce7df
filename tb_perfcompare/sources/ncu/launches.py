"""Collects the launches of an ncu export: a column for each candidate metric, from which `finish` chooses."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Sequence

import numpy as np

from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.recordings.launches import LaunchTable
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.ncu.kernel_listing import MAX_UTILIZATION
from tb_perfcompare.sources.ncu.metrics import CANDIDATES, DURATION, NANOSECONDS, TIMES
from tb_perfcompare.sources.storage.text_file import has_python_only_digits

_LOCALE = "write it with decimal points: `LC_ALL=C ncu --import REPORT.ncu-rep --csv --page raw --print-units base`"
_LONGEST_NS = 2.0**62
_WHOLE = frozenset(unit for unit, factor in NANOSECONDS.items() if factor == 1)
"""Units in which times are whole numbers."""


class NcuLaunches:
    """Launches and their figures, added one by one or in blocks.

    unusable        number of figures that are not a number or out of range
    first_unusable  description of the first one
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._strings = StringTable()
        self._names = array("i")
        self._lines = array("q")
        self._columns: dict[str, array[float]] = {}
        self._origins: dict[str, dict[str, None]] = {}
        self.unusable = 0
        self.first_unusable = ""

    def __len__(self) -> int:
        return len(self._names)

    @property
    def device_names(self) -> list[str]:
        """Models of the devices; older ncu versions write them into the column of device numbers."""
        return self.origin_values("device__attribute_display_name") or [
            name for name in self.origin_values("Device") if not name.isdecimal()
        ]

    def origin_values(self, name: str) -> list[str]:
        """Distinct values of a column on a launch's origin: Device, Process ID, CC."""
        return [text for text in self._origins.get(name, {}) if text]

    def add_origins(self, name: str, cells: set[str]) -> None:
        """Records values of a column on a launch's origin."""
        values = self._origins.setdefault(name, {})
        for cell in sorted(cells):
            values[cell.strip()] = None

    def add(self, lines: list[int], names: list[str]) -> None:
        """Adds launches, without figures yet."""
        codes = {name: self._strings.intern(name.strip()) for name in dict.fromkeys(names)}
        self._names.extend(codes[name] for name in names)
        self._lines.extend(lines)

    def put(self, launch: int, metric: str, unit: str, cell: str, line: int) -> None:
        """Sets one figure of one launch."""
        value = self._parsed(metric, unit, cell, line)
        if math.isnan(value):
            return
        divisor, most = self._scale(metric, unit)
        value /= divisor
        if not 0 <= value <= most:
            self._out_of_range(metric, value, unit, line)
            return
        column = self._column(metric)
        column.extend([math.nan] * (launch + 1 - len(column)))
        column[launch] = value

    def fill(self, metric: str, unit: str, cells: list[str], lines: list[int]) -> None:
        """Sets one figure of the launches added last."""
        values = _numbers(cells)
        if values is None or (unit in _WHOLE and (values % 1).any()):
            values = np.array([self._parsed(metric, unit, cell, line) for cell, line in zip(cells, lines, strict=True)])
        if np.isnan(values).all():
            return
        divisor, most = self._scale(metric, unit)
        absent = np.isnan(values)
        values = values / divisor
        wrong = ~((values >= 0) & (values <= most)) & ~absent
        for place in np.flatnonzero(wrong).tolist():
            self._out_of_range(metric, values[place], unit, lines[place])
        column = self._column(metric)
        column.extend([math.nan] * (len(self) - len(cells) - len(column)))
        column.extend(np.where(wrong, math.nan, values))

    def finish(self) -> tuple[LaunchTable, dict[str, str], list[int]]:
        """Returns (the launches with a duration, the metric chosen for each figure, lines of launches without one)."""
        columns = {metric: np.array(column, dtype=np.float64) for metric, column in self._columns.items()}
        for metric, column in columns.items():
            columns[metric] = np.concatenate([column, np.full(len(self) - len(column), math.nan)])
        chosen: dict[str, Floats] = {}
        metrics: dict[str, str] = {}
        for figure, candidates in CANDIDATES.items():
            for candidate in candidates:
                if all(metric in columns for metric in candidate):
                    value = np.sum([columns[metric] for metric in candidate], axis=0)
                    if np.isfinite(value).any():
                        chosen[figure], metrics[figure] = value, " + ".join(candidate)
                        break
        missing = np.full(len(self), math.nan)
        timed = np.isfinite(chosen.get(DURATION, missing))
        lines = np.array(self._lines, dtype=np.int64)

        def figures(figure: str) -> Floats | None:
            return chosen[figure][timed] if figure in chosen else None

        tensor, dram = figures("tensor_active"), figures("dram_active")
        table = LaunchTable(
            self._strings,
            np.array(self._names, dtype=np.int32)[timed],
            np.rint(chosen.get(DURATION, missing)[timed]).astype(np.int64),
            missing[timed] if tensor is None else tensor,
            missing[timed] if dram is None else dram,
            figures("achieved_occupancy"),
            figures("sm_throughput"),
        )
        return table, metrics, lines[~timed].tolist()

    def corrupt(self, message: str, line: int, *, column: str = "", hint: str) -> CorruptInput:
        """Builds the error for a line, optionally with the column."""
        place = f"line {line}, column {column}" if column else f"line {line}"
        return CorruptInput(self._path, message, place=place, hint=hint)

    def _column(self, metric: str) -> array[float]:
        return self._columns.setdefault(metric, array("d"))

    def _parsed(self, metric: str, unit: str, cell: str, line: int) -> float:
        """The number in a cell; NaN if it is missing or not a number."""
        try:
            value = _whole_number(cell) if unit in _WHOLE else _number(cell)
        except _DecimalComma:
            message = f"{cell.strip()[:40]!r} is written with a decimal comma"
            raise self.corrupt(message, line, column=metric, hint=_LOCALE) from None
        if value is None:
            self._count_unusable(f"line {line}, {metric}: {cell.strip()[:40]!r} is not a number")
            return math.nan
        return value

    def _scale(self, metric: str, unit: str) -> tuple[float, float]:
        """(divisor to nanoseconds or fractions, largest valid value); a NaN divisor for an unknown unit."""
        if metric in TIMES:
            return 1 / NANOSECONDS.get(unit, math.nan), _LONGEST_NS
        return (100.0 if unit == "%" else math.nan), MAX_UTILIZATION

    def _out_of_range(self, metric: str, value: float, unit: str, line: int) -> None:
        why = f"{unit[:40]!r} is not one of its units" if math.isnan(value) else f"{value:g} is out of range"
        self._count_unusable(f"line {line}, {metric}: {why}")

    def _count_unusable(self, what: str) -> None:
        self.unusable += 1
        self.first_unusable = self.first_unusable or what


_MISSING = frozenset({"", "n/a", "N/A", "(!) n/a", "nan", "-nan", "NaN", "no data"})
_BLANKS = " '\u2019\u00a0\u202f"
_NUMBER = regex(rf"[+-]?(?:\d+|[1-9]\d{{0,2}}(?:[,{_BLANKS}]\d{{3}})+)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_SEPARATORS = str.maketrans("", "", f",{_BLANKS}")
_COMMA_IS_DECIMAL = regex(rf"[+-]?(?:\d+|\d{{1,3}}(?:[.{_BLANKS}]\d{{3}})+),\d+|[+-]?\d{{1,3}}(?:\.\d{{3}}){{2,}}")
_FRACTION_OF_THREE = regex(r"\d{1,3}\.\d{3}")


class _DecimalComma(ValueError):
    """A number is written with a decimal comma."""


def _number(cell: str) -> float | None:
    """Parses a number as printed by ncu, with thousands separators; NaN if not measured (`n/a`), None for a text that
    is not a number. Raises _DecimalComma, never guesses: ncu formats numbers by the locale of its process, so that
    `1,234.50` may be `1.234,50`, and `2,848` is ambiguous."""
    text = cell.strip()
    if text in _MISSING:
        return math.nan
    if _NUMBER.fullmatch(text):
        value = float(text.translate(_SEPARATORS))
        return value if math.isfinite(value) else None
    if _COMMA_IS_DECIMAL.fullmatch(text):
        raise _DecimalComma(text)
    return None


def _whole_number(cell: str) -> float | None:
    """Parses a count of nanoseconds, like `number`.

    It has no fraction, so `2.848` must be 2,848 with a decimal comma.
    """
    value = _number(cell)
    if value is not None and value % 1 > 0 and _FRACTION_OF_THREE.fullmatch(cell.strip()):
        raise _DecimalComma(cell)
    return value


def _numbers(cells: Sequence[str]) -> Floats | None:
    """Parses all cells at once if they are plain numbers; None if they must be parsed one by one."""
    if has_python_only_digits("".join(cells)):
        return None
    try:
        values = np.array(cells, dtype=np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None
