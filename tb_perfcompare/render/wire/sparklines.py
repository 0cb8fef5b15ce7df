"""Response of api/rows: step times of several table rows, for sparklines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.tables.sparklines import RowSparklines, SideLineDict
from tb_perfcompare.render.wire.row_paths import MeasureDict
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, encoded, rows_that_fit

ROWS_SCHEMA = "tb_perfcompare.rows/1"


class StepLineDict(TypedDict):
    """The steps of one row on both sides."""

    baseline: Annotated[SideLineDict | None, "null if the baseline lacks the row"]
    candidate: Annotated[SideLineDict | None, "null if the candidate lacks the row"]


class StepCountsDict(TypedDict):
    """Number of steps of each side."""

    baseline: Annotated[int, "number of compared steps of the baseline"]
    candidate: Annotated[int, "number of compared steps of the candidate"]


class RowLinesDict(TypedDict):
    """Answer of api/rows."""

    schema: Annotated[str, "name and number of this schema", (ROWS_SCHEMA,)]
    version: Annotated[str, "tb_perfcompare version"]
    table: Annotated[str, "name of the table that the rows are from"]
    metric: Annotated[str, "what a step's time is: `step_time`, `kernel_time` or `cycle_time`"]
    unit: Annotated[str, "microseconds, for all times", ("us",)]
    measure: Annotated[MeasureDict, "kind of time that is drawn"]
    steps: Annotated[StepCountsDict, "number of steps behind each line"]
    places: Annotated[list[int], "positions of the returned rows; fewer than requested if the response is full"]
    rows: Annotated[list[StepLineDict], "lines, in the order of `places`"]
    lost: Annotated[int, "number of notes about input that could not be read, as in TablePage"]


_RESERVE = 8_000
"""Reserved for the head and the places of the rows."""


def lines_answer(places: Sequence[int], lines: RowSparklines, lost: int) -> bytes:
    """Encodes the rows at `places`, as many of the first ones as fit; `lost` as in render/wire/pages.py."""
    pairs = ({"baseline": a, "candidate": b} for a, b in zip(lines.baseline.lines, lines.candidate.lines, strict=True))
    rows, _ = rows_that_fit(pairs, MAX_BYTES - _RESERVE)
    answer: RowLinesDict = {
        "schema": ROWS_SCHEMA,
        "version": __version__,
        "table": lines.table,
        "metric": lines.metric,
        "unit": "us",
        "measure": {"name": lines.measure, "label": lines.label},
        "steps": {"baseline": lines.baseline.steps, "candidate": lines.candidate.steps},
        "places": list(places[: len(rows)]),
        "rows": rows,  # type: ignore[typeddict-item]  # as JSON already
        "lost": lost,
    }
    return encoded(answer)
