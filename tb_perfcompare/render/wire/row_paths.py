"""Response of api/row_paths: integers in nanoseconds (or calls) per step times `denominator`, as in the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.result.plain_values import as_plain
from tb_perfcompare.comparison.tables.row_callees import Callees
from tb_perfcompare.comparison.tables.row_durations import LaunchDurations
from tb_perfcompare.comparison.tables.row_paths import Figures, Pair, PathFrame, PathSplit, RowPaths
from tb_perfcompare.comparison.tables.row_related import FrameLink, Related
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, cut_to_fit, encoded

PATHS_SCHEMA = "tb_perfcompare.row_paths/1"


class _CallPathDict(TypedDict):
    frames: Annotated[list[int], "indices into RowPaths.frames, outermost first"]
    calls: Annotated[Pair, "calls per step x `denominator`: baseline, candidate"]
    times: Annotated[Mapping[str, Pair], "measure -> nanoseconds per step x `denominator`: baseline, candidate"]


class CallPathDict(_CallPathDict, total=False):
    """One call path to the row."""

    candidate_frames: Annotated[list[int], "the same for the candidate, if its folders or line numbers differ"]


class AbsentDict(TypedDict):
    """Why a side has no paths."""

    baseline: Annotated[str | None, "what the baseline's recording lacks; null if it has paths"]
    candidate: Annotated[str | None, "the same for the candidate"]


class RestDict(TypedDict):
    """The part of the row that is not in the listed paths."""

    calls: Annotated[Pair, "calls per step x `denominator`: baseline, candidate"]
    times: Annotated[Mapping[str, Pair], "measure -> nanoseconds per step x `denominator`: baseline, candidate"]
    paths: Annotated[int, "number of paths in the rest"]


class PathSplitDict(TypedDict):
    """The row split by one kind of path."""

    way: Annotated[
        str, "kind of path: `operators` (modules and operators) or `python` (Python functions and operators)"
    ]
    absent: Annotated[AbsentDict, "why a side has no paths of this kind"]
    paths: Annotated[
        Sequence[CallPathDict], "at most 40 paths, the largest change first; with `rest` they sum to `RowPaths.total`"
    ]
    rest: Annotated[RestDict, "sum of the paths that are not listed"]


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
    frames: Annotated[Sequence[tuple[str, str, str]], 'kind, name, and the table that has a row of this name, or ""']
    ways: Annotated[
        Sequence[PathSplitDict],
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
        "callees": as_plain(called),
        "durations": as_plain(durations),
    }
    return cut_to_fit(encoded(answer), MAX_BYTES)


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
