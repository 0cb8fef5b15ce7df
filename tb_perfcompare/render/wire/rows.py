"""Responses about table rows: callers (api/row_paths), in integers of nanoseconds or calls per step times
`denominator`, as in the ledger; and times of several rows in each step, for sparklines (api/rows)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.tables.row_callees import Callees
from tb_perfcompare.comparison.tables.row_paths import Figures, PathFrame, PathSplit, RowPaths
from tb_perfcompare.comparison.tables.row_related import FrameLink, LaunchDurations, Related
from tb_perfcompare.comparison.tables.sparklines import RowSparklines, SideLineDict
from tb_perfcompare.model.names.short_names import short_forms
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, cut_to_fit, encoded, rows_that_fit

PATHS_SCHEMA = "tb_perfcompare.row_paths/1"
ROWS_SCHEMA = "tb_perfcompare.rows/1"
_RESERVE = 8_000
"""Bytes reserved in a response about several rows for all but the rows."""


class MeasureDict(TypedDict):
    """A kind of time by which rows are compared."""

    name: Annotated[str, 'part of its column names: `host_total` in `baseline_host_total_us`; "" for the main one']
    label: Annotated[str, "heading of the time"]


class RowPathsDict(TypedDict):
    """Answer of api/row_paths. A pair is baseline and candidate; null: a side has no such row, path or frame."""

    schema: Annotated[str, "name and number of this schema", (PATHS_SCHEMA,)]
    version: Annotated[str, "tb_perfcompare version"]
    table: Annotated[str, "name of the table that the row is from"]
    row: Annotated[str, "its key: key columns joined by ` › `"]
    denominator: Annotated[int, "divide calls and nanoseconds by it for figures per step"]
    measures: Annotated[Sequence[MeasureDict], "kinds of time that `times` has, the main one first"]
    total: Annotated[Figures, "the whole row"]
    frames: Annotated[Sequence[PathFrame], 'kind, name, and the table that has a row of this name, or ""']
    ways: Annotated[
        Sequence[PathSplit],
        "the row split by its callers, once per kind of path; empty if the table has no call paths",
    ]
    related: Annotated[Sequence[Related], "rows of other tables that share work with this one, by relation"]
    call_tree: Annotated[FrameLink | None, "largest frame of this name in the call tree; null if there is none"]
    callees: Annotated[Callees | None, "what the row's frames call, by exposed time; null if nothing runs inside them"]
    durations: Annotated[LaunchDurations | None, "histogram of the single launches; null if there are none"]
    short_names: Annotated[Mapping[str, str], "name -> short form, for names of frames, rows and callees that have one"]


def paths_answer(
    paths: RowPaths,
    related: Sequence[Related],
    frame: FrameLink | None,
    called: Callees | None,
    durations: LaunchDurations | None,
) -> bytes:
    """Encodes the paths, related rows, callees and launch durations of a row."""
    names = [name for _, name, _ in paths.frames]
    names += [row.name for rows in related for row in rows.rows]
    names += [callee.name for callee in called.rows] if called is not None else []
    answer: RowPathsDict = {
        "schema": PATHS_SCHEMA,
        "version": __version__,
        "table": paths.table,
        "row": paths.row,
        "denominator": paths.denominator,
        "measures": [{"name": name, "label": label} for name, label in paths.measures.items()],
        "total": paths.total,
        "frames": paths.frames,
        "ways": paths.ways,
        "related": related,
        "call_tree": frame,
        "callees": called,
        "durations": durations,
        "short_names": short_forms(names),
    }
    return cut_to_fit(encoded(answer), MAX_BYTES)


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
