"""The three tables of the strict report, and its CSV, with every cell formatted as in the published reports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from tb_perfcompare.comparison.strict.report import StrictReport
from tb_perfcompare.comparison.strict.tables import figures, rank_rows, table_labels
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.render.csv import guarded, lines

Cell: TypeAlias = str | float | int

_HEAD_ROOM = 2
"""A column is at least this much wider than its label."""

_INTEGER, _NUMBER, _TEXT = 0, 1, 2

_THOUSANDS = regex(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})*\.[0-9]*")
"""A number with separators is aligned at its decimal point, although it makes its column text."""


def pipe_table(labels: Sequence[str], rows: Sequence[Sequence[Cell]], number_format: str = "g") -> str:
    """Renders a Markdown table without a final line end, formatted as in the published reports (docs/method/strict.md,
    "Drawing"). A column is numeric if every cell can be parsed as a number: its numbers are printed in the
    `number_format` and aligned at the decimal point. A single cell that is not a number, or has a thousands separator,
    makes the column text."""
    columns = [_Column(label, [row[index] for row in rows], number_format) for index, label in enumerate(labels)]
    lines = [_line(column.label for column in columns), f"|{'|'.join(column.rule for column in columns)}|"]
    lines += [_line(cells) for cells in zip(*(column.cells for column in columns), strict=True)]
    return "\n".join(lines)


class _Column:
    """A formatted column: label, rule and cells, padded to the same width."""

    __slots__ = ("cells", "label", "rule")

    def __init__(self, label: str, values: Sequence[Cell], number_format: str) -> None:
        kind = max(map(_kind, values), default=_TEXT)
        texts = [_drawn(value, kind, number_format) for value in values]
        numeric = kind != _TEXT
        if numeric:
            decimals = [_after_point(text) for text in texts]
            most_decimals = max(decimals)
            texts = [text + (most_decimals - count) * " " for text, count in zip(texts, decimals, strict=True)]
        else:
            texts = [text.strip() for text in texts]
        width = max(len(label) + _HEAD_ROOM, *map(len, texts), 0)
        justify = str.rjust if numeric else str.ljust
        self.label = justify(label, width)
        self.cells = [justify(text, width) for text in texts]
        dashes = "-" * (width + 1)
        self.rule = f"{dashes}:" if numeric else f":{dashes}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _kind(value: Cell) -> int:
    if isinstance(value, int):
        return _INTEGER
    if isinstance(value, float):
        return _NUMBER
    return _kind_of_text(value)


def _kind_of_text(text: str) -> int:
    """Classifies a text as Python parses numbers, except that only "inf", "-inf" and "nan" count of the words for
    infinity and NaN."""
    try:
        int(text)
        return _INTEGER
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return _TEXT
    if value - value != 0:  # infinite or NaN
        return _NUMBER if text.lower() in ("inf", "-inf", "nan") else _TEXT
    return _NUMBER


def _drawn(value: Cell, kind: int, number_format: str) -> str:
    if kind == _NUMBER:
        return format(float(value), number_format)
    return _one_line(str(value))


def _one_line(text: str) -> str:
    """Joins the lines of a text by spaces, as a line break would end the table's row."""
    return " ".join(text.splitlines()) if "\n" in text or "\r" in text else text


def _after_point(text: str) -> int:
    """Number of characters after the decimal point, or after the exponent's "e" if there is no point; -1 for others."""
    if _kind_of_text(text) != _NUMBER and not _THOUSANDS.fullmatch(text):
        return -1
    index = text.rfind(".")
    if index < 0:
        index = text.lower().rfind("e")
    return len(text) - index - 1 if index >= 0 else -1


NOTHING = "-"
_RANK_FORMAT = ",.2f"


def summary_table(report: StrictReport) -> str:
    """Renders the number of cycles and the mean cycle time of both sides."""
    a, b = report.labels
    first, second = report.durations
    cycles_a, cycles_b = len(first.longest_first_us), len(second.longest_first_us)
    delta = second.mean_us - first.mean_us
    return pipe_table(
        ["Metric", a, b, f"Δ ({b} - {a})", "Change (%)"],
        [
            ["Total Cycles", str(cycles_a), str(cycles_b), str(cycles_b - cycles_a), NOTHING],
            ["Avg Cycle Time (us)", f"{first.mean_us:,.2f}", f"{second.mean_us:,.2f}", f"{delta:,.2f}",
             _change(first.mean_us, delta)],
        ],
    )  # fmt: skip


def rank_table(report: StrictReport) -> str:
    """Renders the i-th longest cycle of one side next to the i-th longest of the other."""
    a, b = report.labels
    rows: list[list[Cell]] = []
    for rank, first, second, delta in rank_rows(report):
        change = [NOTHING] * 2 if first is None or delta is None else [f"{delta:,.2f}", _change(first, delta)]
        rows.append([rank, NOTHING if first is None else first, NOTHING if second is None else second, *change])
    return pipe_table(["Time Rank", f"{a} Time (us)", f"{b} Time (us)", "Δ (us)", "Δ (%)"], rows, _RANK_FORMAT)


def detailed_table(report: StrictReport) -> str:
    """Renders all (function, metric, device) triplets as a Markdown table."""
    columns: list[list[str]] = [[triplet[part] for triplet in report.triplets] for part in range(3)]
    formats = (
        ".4f", ".2f", ".2f", "+.2f", "+.2f", ".3f", ".3f", ",.2f", ",.2f", "+.2f", "+.2f", "+.2f", ".3f", ".3f"
    )  # fmt: skip
    columns += [
        [format(value, form) for value in values.tolist()]
        for values, form in zip(figures(report), formats, strict=True)
    ]
    return pipe_table(table_labels(report.labels), list(zip(*columns, strict=True)))


def strict_csv(report: StrictReport) -> str:
    """Renders all triplets as CSV with six decimals; NaN is an empty cell."""
    formatted = [["" if value != value else f"{value:.6f}" for value in values.tolist()] for values in figures(report)]
    rows = (
        [*map(guarded, triplet), *(column[index] for column in formatted)]
        for index, triplet in enumerate(report.triplets)
    )
    return lines([[*map(guarded, table_labels(report.labels))]], rows)


def _change(base: float, delta: float) -> str:
    return f"{delta / base * 100 if base > 0 else math.inf:+.2f}%"
