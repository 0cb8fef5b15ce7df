"""Several rows of a table, step by step, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.tables.sparklines import RowSparklines, SideLines
from tb_perfcompare.render.wire.wire_rows import MOST_BYTES, encoded, filled

ROWS_SCHEMA = "tb_perfcompare.rows/1"
_RESERVE = 8_000
"""The head, and the places of the rows."""


def lines_answer(places: Sequence[int], lines: RowSparklines, lost: int) -> bytes:
    """The rows at `places`, as many of the first ones as fit; `lost` as in render/wire/pages.py."""
    rows, _ = filled(_rows(len(places), lines), MOST_BYTES - _RESERVE)
    return encoded(
        {
            "schema": ROWS_SCHEMA,
            "version": __version__,
            "table": lines.table,
            "metric": lines.metric,
            "unit": "us",
            "measure": {"name": lines.measure, "label": lines.label},
            "steps": {"baseline": lines.baseline.steps, "candidate": lines.candidate.steps},
            "places": list(places[: len(rows)]),
            "rows": rows,
            "lost": lost,
        }
    )


def _rows(count: int, lines: RowSparklines) -> Iterator[dict[str, Any]]:
    for at in range(count):
        yield {"baseline": _side(lines.baseline, at), "candidate": _side(lines.candidate, at)}


def _side(side: SideLines, at: int) -> dict[str, Any] | None:
    if not side.present[at] or not side.steps:
        return None
    out = {"median_us": side.median_ns[at] / 1000, "low_us": (side.low_ns[at] / 1000).tolist()}
    return out if side.high_ns is None else {**out, "high_us": (side.high_ns[at] / 1000).tolist()}
