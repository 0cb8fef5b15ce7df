"""Mutations of text tables: cells, rows, columns, headers, line ends."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.readers.mutation import MOST_BYTES, TEXTS, bytes_changed, number

Cells = list[list[str]]


def csv_changed(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    """One to three mutations of the rows of a CSV file, or of its bytes."""
    return _changed(data, draw, others, _csv_rows, _csv_text)


def listing_changed(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    """Mutations of a listing: names before a bar, figures after it."""
    return _changed(data, draw, others, _listing_rows, _listing_text)


def _changed(
    data: bytes, draw: Random, others: Sequence[bytes], rows_of: Callable[[str], Cells],
    text_of: Callable[[Cells, Random], str],
) -> bytes:  # fmt: skip
    if draw.random() < 0.3:
        return bytes_changed(data, draw, others)
    try:
        rows = rows_of(data.decode("utf-8", "surrogateescape"))
    except csv.Error:
        return bytes_changed(data, draw, others)
    for _ in range(draw.choice((1, 1, 3))):
        if not rows:
            break
        draw.choice(_CHANGES)(rows, draw)
    return text_of(rows, draw).encode("utf-8", "surrogateescape")[:MOST_BYTES]


def _csv_rows(text: str) -> Cells:
    return list(csv.reader(io.StringIO(text, newline="")))


def _csv_text(rows: Cells, draw: Random) -> str:
    out = io.StringIO()
    quoting = draw.choice((csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL))
    csv.writer(out, quoting=quoting, lineterminator=draw.choice(("\n", "\n", "\r\n", "\r"))).writerows(rows)
    return out.getvalue()


def _listing_rows(text: str) -> Cells:
    return [[part for name in [line.rpartition("|")] for part in (name[0], *name[2].split())] for line in
            text.split("\n")]  # fmt: skip


def _listing_text(rows: Cells, draw: Random) -> str:
    return "\n".join(row[0] + draw.choice(("|", "|", "", "| |")) + " ".join(row[1:]) for row in rows if row)


def _cell(rows: Cells, draw: Random) -> None:
    row = draw.choice(rows)
    if row:
        row[draw.randrange(len(row))] = number(draw) if draw.random() < 0.6 else draw.choice(TEXTS)


def _long_cell(rows: Cells, draw: Random) -> None:
    row = draw.choice(rows)
    if row:
        row[draw.randrange(len(row))] = draw.choice((*TEXTS, "x\n", '"', ",")) * draw.choice((10, 1000, 20_000))


def _row(rows: Cells, draw: Random) -> None:
    at = draw.randrange(len(rows))
    match draw.randrange(4):
        case 0:
            del rows[at]
        case 1:
            times = draw.choice((1, 5, 100)) if sum(map(len, rows[at])) < 999 else 1
            rows[at:at] = [list(rows[at]) for _ in range(times)]
        case 2:
            rows.insert(draw.randrange(len(rows)), rows.pop(at))
        case _:
            rows.insert(at, list(rows[0]))


def _width(rows: Cells, draw: Random) -> None:
    row = draw.choice(rows)
    if row and draw.random() < 0.5:
        del row[draw.randrange(len(row)) :]
    else:
        row += ["1"] * draw.choice((1, 2, 50))


def _column(rows: Cells, draw: Random) -> None:
    at = draw.randrange(max(1, len(rows[0])))
    other = draw.randrange(max(1, len(rows[0])))
    match draw.randrange(3):
        case 0:
            for row in rows:
                del row[at : at + 1]
        case 1:
            for row in rows:
                row.insert(at, row[other] if other < len(row) else "")
        case _:
            if at < len(rows[0]) and other < len(rows[0]):
                rows[0][at] = rows[0][other]


_CHANGES: tuple[Callable[[Cells, Random], None], ...] = (_cell, _cell, _cell, _long_cell, _row, _width, _column)
