"""Histories as JSON, complete or in pages, and as tables, for `tb-perfcompare history` and api/history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from typing import Annotated, Any, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.history import Change, Segment, Standing
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell, as_plain
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES, cut_to_fit, encoded, rows_that_fit
from tb_perfcompare.workspace.listing.describe import ProblemDict, problem_dict
from tb_perfcompare.workspace.listing.history import SeriesPoints, series_of
from tb_perfcompare.workspace.listing.index import Listing

HISTORY_SCHEMA = "tb_perfcompare.history/1"


class RecordedStepsDict(TypedDict):
    """Step counts of a point: recorded, and admitted to the comparison."""

    count: Annotated[int, "number of steps recorded"]
    admitted: Annotated[int, "number of steps compared"]


class PointDict(TypedDict):
    """One recorded run of a series."""

    run: Annotated[str | None, "run name for api/comparison; null if its summary is unreadable"]
    label: Annotated[str, "commit, build, host or other name given when it was recorded"]
    at: Annotated[str, "time of recording, ISO 8601 in UTC"]
    recorded_run: Annotated[str, "name of the run that was recorded"]
    device: Annotated[str, "device name; empty if unknown"]
    metric: Annotated[str, "what a step's time is: `step_time`, `kernel_time` or `cycle_time`"]
    version: Annotated[str, "tb_perfcompare version that recorded it"]
    steps: Annotated[RecordedStepsDict, "steps recorded and compared"]
    mean_step_us: Annotated[float | None, "mean of the steps in microseconds; null without step times"]
    median_step_us: Annotated[float | None, "median of the steps in microseconds; null without step times"]
    quartiles_us: Annotated[
        tuple[float, float] | None, "lower and upper quartile of the steps in microseconds; null if not recorded"
    ]
    segment: Annotated[int | None, "index of the point's segment; null without a step time"]
    difference: Annotated[float | None, "difference from the previous level, a fraction; null for the first point"]
    verdict: Annotated[str | None, "verdict on `difference`", ("slower", "faster", "same", "cannot_tell", None)]
    outlier: Annotated[bool, "whether the point is far from its own level"]


class _LevelsDict(TypedDict):
    segments: Annotated[Sequence[Segment], "levels, in order of time; empty after the first page"]
    changes: Annotated[Sequence[Change], "starts of new levels; empty after the first page"]
    notes: Annotated[Sequence[str], "limits of this history, in words; empty after the first page"]
    problems: Annotated[Sequence[ProblemDict], "points that cannot be read; empty after the first page"]


class _HistoryDict(_LevelsDict):
    series: Annotated[str, "directory below the log directory"]
    points: Annotated[Sequence[PointDict], "recorded runs, in order of time"]


class HistoryDict(_HistoryDict, total=False):
    """The history of a series."""

    problems_left_out: Annotated[int, "number of entries missing from `problems`"]
    offset: Annotated[int, "index of the page's first point; absent if one page has all points"]
    total_points: Annotated[int, "number of points on all pages; absent if one page has all points"]
    listing: Annotated[str, "identifier of the listing that all pages of a history share"]
    next_offset: Annotated[int, "index of the next page's first point; absent on the last page"]


class SeriesDict(TypedDict):
    """A series and its number of points."""

    series: Annotated[str, "directory below the log directory"]
    points: Annotated[int, "number of recorded runs"]


class _HistoryAnswerDict(TypedDict):
    schema: Annotated[str, "name and number of this schema", (HISTORY_SCHEMA,)]
    version: Annotated[str, "tb_perfcompare version"]
    series: Annotated[Sequence[SeriesDict], "all series of the log directories; empty after the first page"]
    history: Annotated[HistoryDict | None, "levels and points of the requested series; null if none was requested"]


class HistoryAnswerDict(_HistoryAnswerDict, total=False):
    """Answer of api/history."""

    series_left_out: Annotated[int, "number of entries missing from `series`"]


_SERIES_BYTES, _PROBLEMS_BYTES = 100_000, 100_000
_RESERVE = 2_000

_WORDS = {
    None: None, "slower": "slower", "faster": "faster", "same": "no change found", "cannot_tell": "cannot tell yet",
}  # fmt: skip

_POINTS = (
    columns.key("at", "Recorded", "time of recording (UTC)"),
    columns.text("label", "Label", "label of the point"),
    columns.text("steps", "Steps", "compared steps of the recorded ones"),
    columns.time("mean_us", "Mean step", "mean step time"),
    columns.time("median_us", "Median step", "median step time, on which verdicts are based"),
    columns.count("segment", "Level", "number of the level, from 1: the points between two changes"),
    columns.fraction(
        "difference",
        "Against level",
        "difference from the level before the point, as a fraction",
        role="percent",
    ),
    columns.text("verdict", "Verdict", "verdict on that difference"),
    columns.fraction(
        "shift", "Change", "Hodges-Lehmann shift from the previous level to the one that begins here", role="percent"
    ),
    columns.number("p", "p", "", "p of the permutation test that found the change"),
)
_SERIES = (
    columns.key("series", "Series", "directory below the log directory"),
    columns.count("points", "Points", "number of recorded runs"),
)


def iso(at_s: int) -> str:
    """A point's time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(at_s, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def history_dict(listing: Listing, series_points: SeriesPoints | None) -> HistoryAnswerDict:
    """All series, and the complete history of one of them."""
    return {
        "schema": HISTORY_SCHEMA,
        "version": __version__,
        "series": _series(listing),
        "history": None if series_points is None else _history(series_points),
    }


def history_answer(listing: Listing, series_points: SeriesPoints | None, offset: int = 0) -> bytes:
    """One page of `history_dict` as JSON of at most MAX_BYTES: as many points as fit, from number `offset` on. Series,
    segments, changes, notes and problems are on the first page only, with the numbers of series and problems that did
    not fit."""
    series, _ = rows_that_fit(_series(listing) if offset == 0 else (), _SERIES_BYTES)
    more = len(series_of(listing)) - len(series) if offset == 0 else 0
    frame = {
        "schema": HISTORY_SCHEMA,
        "version": __version__,
        "series": series,
        **({"series_left_out": more} if more else {}),
    }
    if series_points is None:
        return encoded({**frame, "history": None})
    history: dict[str, Any] = dict(_levels(series_points))
    if offset:
        history = {name: [] for name in history}
    problems, _ = rows_that_fit(history["problems"], _PROBLEMS_BYTES)
    if len(problems) < len(history["problems"]):
        history["problems_left_out"] = len(history["problems"]) - len(problems)
    history = {"series": series_points.series, "points": (), **history, "problems": problems}
    room = MAX_BYTES - len(encoded({**frame, "history": history})) - _RESERVE
    points, _ = rows_that_fit(_points(series_points, offset), room)
    total = len(series_points.history.points)
    end = offset + len(points)
    following = {"next_offset": end} if points and end < total else {}
    if following or offset:
        history |= {"offset": offset, "total_points": total, "listing": listing.tag, **following}
    return cut_to_fit(encoded({**frame, "history": {**history, "points": points}}), MAX_BYTES)


def _series(listing: Listing) -> list[SeriesDict]:
    return [{"series": name, "points": count} for name, count in series_of(listing).items()]


def _history(series_points: SeriesPoints) -> HistoryDict:
    levels = _levels(series_points)
    return {"series": series_points.series, "points": list(_points(series_points)), **levels}  # type: ignore[typeddict-item]


def _points(series_points: SeriesPoints, offset: int = 0) -> Iterator[PointDict]:
    history = series_points.history
    rows = zip(series_points.runs[offset:], history.points[offset:], history.standings[offset:], strict=True)
    return (
        {
            "run": run, "label": point.label, "at": iso(point.at_s), "recorded_run": point.run,
            "device": point.device, "metric": point.metric, "version": point.version,
            "steps": {"count": point.count, "admitted": point.admitted},
            "mean_step_us": _us(point.mean_ns), "median_step_us": _us(point.median_ns),
            "quartiles_us": as_plain(point.quartiles_ns and tuple(map(_us, point.quartiles_ns))),
            "segment": standing.segment, "difference": standing.difference, "verdict": standing.verdict,
            "outlier": standing.outlier,
        }
        for run, point, standing in rows
    )  # fmt: skip


def _levels(series_points: SeriesPoints) -> _LevelsDict:
    """A history without its points."""
    history = series_points.history
    return {
        "segments": as_plain(history.segments),
        "changes": as_plain(history.changes),
        "notes": list(history.notes),
        "problems": [problem_dict(note) for note in series_points.problems],
    }


def history_table(series_points: SeriesPoints) -> Table:
    history = series_points.history
    changes = {change.point: change for change in history.changes}
    rows: list[tuple[Cell, ...]] = []
    for index, (point, standing) in enumerate(zip(history.points, history.standings, strict=True)):
        change = changes.get(index)
        rows.append(
            (
                iso(point.at_s), point.label, f"{point.admitted} of {point.count}", _us(point.mean_ns),
                _us(point.median_ns), None if standing.segment is None else standing.segment + 1, standing.difference,
                _verdict(standing), None if change is None else change.shift,
                None if change is None else change.p,
            )
        )  # fmt: skip
    problems = (f"{note.where}: {note.message}" for note in series_points.problems)
    return Table("history", f"History of {series_points.series}", _POINTS, tuple(rows), (*history.notes, *problems))


def _verdict(standing: Standing) -> str | None:
    word = _WORDS[standing.verdict]
    return ", ".join(filter(None, (word, "outlier"))) if standing.outlier else word


def series_table(listing: Listing, logdir: str) -> Table:
    rows = tuple(series_of(listing).items())
    none = () if rows else ("none; record one with: tb-perfcompare record RUN --into LOGDIR --series NAME",)
    return Table("series", f"Series below {logdir}", _SERIES, rows, none)


def _us(time_ns: float | None) -> float | None:
    return None if time_ns is None else time_ns / 1000
