"""Response of api/row_paths: integers in nanoseconds (or calls) per step times `denominator`, as in the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.result.plain_values import as_plain
from tb_perfcompare.comparison.tables.row_callees import Callee, Callees
from tb_perfcompare.comparison.tables.row_durations import LaunchDurations
from tb_perfcompare.comparison.tables.row_paths import Figures, Pair, PathFrame, PathSplit, RowPaths
from tb_perfcompare.comparison.tables.row_related import FrameLink, Related
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, cut_to_fit, encoded

PATHS_SCHEMA = "tb_perfcompare.row_paths/1"


class _CallPathDict(TypedDict):
    frames: Annotated[list[int], "indices into RowPaths.frames, outermost first"]
    calls: Pair
    times: Mapping[str, Pair]


class CallPathDict(_CallPathDict, total=False):
    """One call path to the row."""

    candidate_frames: Annotated[list[int], "the same for the candidate, if its folders or line numbers differ"]


class AbsentDict(TypedDict):
    """Why a side has no paths, null if it has some."""

    baseline: str | None
    candidate: str | None


class RestDict(TypedDict):
    """The part of the row that is not in the listed paths."""

    calls: Pair
    times: Mapping[str, Pair]
    paths: Annotated[int, "number of paths in the rest"]


class PathSplitDict(TypedDict):
    """The row split by one kind of path."""

    way: str
    absent: AbsentDict
    paths: Sequence[CallPathDict]
    rest: RestDict


class CalleesRestDict(TypedDict):
    """Time and number of the callees that are not listed."""

    time: Pair
    callees: int


class CalleesDict(TypedDict):
    """Exposed times of the direct callees of the row's frames. `own`, `rows` and `rest` sum to `whole`."""

    whole: Pair
    own: Pair
    rows: Sequence[Callee]
    rest: CalleesRestDict


class MeasureDict(TypedDict):
    """A kind of time by which rows are compared."""

    name: str
    label: str


class RowPathsDict(TypedDict):
    """Answer of api/row_paths: integers in nanoseconds (or calls) per step times `denominator`. A pair is baseline and
    candidate, null if a side has no such path."""

    schema: Annotated[str, (PATHS_SCHEMA,)]
    version: str
    table: str
    row: str
    denominator: int
    measures: Sequence[MeasureDict]
    total: Figures
    frames: Annotated[Sequence[tuple[str, str, str]], 'kind, name, and the table that has a row of this name, or ""']
    ways: Annotated[Sequence[PathSplitDict], "empty if the table has no call paths"]
    related: Sequence[Related]
    call_tree: Annotated[FrameLink | None, "largest frame of this name in the call tree; null if there is none"]
    callees: Annotated[CalleesDict | None, "null if nothing runs inside the row's frames"]
    durations: Annotated[LaunchDurations | None, "null if there are no individual launches"]


def paths_answer(
    paths: RowPaths,
    related: Sequence[Related],
    frame: FrameLink | None,
    called: Callees | None,
    durations: LaunchDurations | None,
) -> bytes:
    """Encodes the paths, related rows, callees and launch durations of a row."""
    numbers: dict[PathFrame, int] = {}
    ways = [_path_split(way, numbers) for way in paths.ways]
    answer: RowPathsDict = {
        "schema": PATHS_SCHEMA,
        "version": __version__,
        "table": paths.table,
        "row": paths.row,
        "denominator": paths.denominator,
        "measures": [{"name": name, "label": label} for name, label in paths.measures.items()],
        "total": as_plain(paths.total),
        "frames": [(path_frame.kind, path_frame.name, path_frame.table) for path_frame in numbers],
        "ways": ways,
        "related": as_plain(related),
        "call_tree": as_plain(frame),
        "callees": None if called is None else _callees(called),
        "durations": as_plain(durations),
    }
    return cut_to_fit(encoded(answer), MAX_BYTES)


def _callees(called: Callees) -> CalleesDict:
    return {
        "whole": called.whole, "own": called.own, "rows": as_plain(called.rows),
        "rest": {"time": called.rest, "callees": called.others},
    }  # fmt: skip


def _path_split(way: PathSplit, numbers: dict[PathFrame, int]) -> PathSplitDict:
    paths: list[CallPathDict] = []
    for path in way.paths:
        encoded_path: CallPathDict = {
            "frames": _frames(path.frames, numbers), "calls": path.figures.calls, "times": path.figures.times
        }  # fmt: skip
        if path.candidate_frames is not None:
            encoded_path["candidate_frames"] = _frames(path.candidate_frames, numbers)
        paths.append(encoded_path)
    absent: AbsentDict = {"baseline": way.absent[0] or None, "candidate": way.absent[1] or None}
    rest: RestDict = {"calls": way.rest.calls, "times": way.rest.times, "paths": way.others}
    return {"way": way.name, "absent": absent, "paths": paths, "rest": rest}


def _frames(frames: tuple[PathFrame, ...], numbers: dict[PathFrame, int]) -> list[int]:
    """Replaces frames by their numbers in `numbers`, which gets new ones: stacks share most frames, so each is sent
    once."""
    return [numbers.setdefault(frame, len(numbers)) for frame in frames]
