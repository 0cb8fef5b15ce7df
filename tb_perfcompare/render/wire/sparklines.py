"""Response of api/rows: step times of several table rows, for sparklines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.tables.sparklines import RowSparklines, SideLines
from tb_perfcompare.render.wire.row_paths import MeasureDict
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, encoded, rows_that_fit

ROWS_SCHEMA = "tb_perfcompare.rows/1"


class _SideLineDict(TypedDict):
    median_us: Annotated[float, "median of all steps"]
    low_us: Annotated[list[float], "time of each step; minimum of each group if `high_us` is present"]


class SideLineDict(_SideLineDict, total=False):
    """The steps of one row on one side, in order: the time of each, or the minimum and maximum of groups of steps."""

    high_us: Annotated[list[float], "maximum of each group of steps; absent if steps are not grouped"]


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
    rows, _ = rows_that_fit(_rows(len(places), lines), MAX_BYTES - _RESERVE)
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


def _rows(count: int, lines: RowSparklines) -> Iterator[StepLineDict]:
    for index in range(count):
        yield {"baseline": _side(lines.baseline, index), "candidate": _side(lines.candidate, index)}


def _side(side: SideLines, index: int) -> SideLineDict | None:
    if not side.present[index] or not side.steps:
        return None
    line: SideLineDict = {"median_us": side.median_ns[index] / 1000, "low_us": (side.low_ns[index] / 1000).tolist()}
    if side.high_ns is not None:
        line["high_us"] = (side.high_ns[index] / 1000).tolist()
    return line
