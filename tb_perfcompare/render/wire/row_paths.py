"""Response of api/row_paths: integers in nanoseconds (or calls) per step times `denominator`, as in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.tables.row_callees import Callees
from tb_perfcompare.comparison.tables.row_durations import LaunchDurations
from tb_perfcompare.comparison.tables.row_paths import Figures, PathFrame, PathSplit, RowPaths
from tb_perfcompare.comparison.tables.row_related import FrameLink, Related
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, cut_to_fit, encoded

PATHS_SCHEMA = "tb_perfcompare.row_paths/1"


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


def paths_answer(
    paths: RowPaths,
    related: Sequence[Related],
    frame: FrameLink | None,
    called: Callees | None,
    durations: LaunchDurations | None,
) -> bytes:
    """Encodes the paths, related rows, callees and launch durations of a row."""
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
    }
    return cut_to_fit(encoded(answer), MAX_BYTES)
