"""Histories as JSON-able values and as tables, for `tb-perfcompare history` and api/history."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.comparison import Cell, Table
from tb_perfcompare.comparison.tables import columns
from tb_perfcompare.workspace.describe import problem_dict
from tb_perfcompare.workspace.history import SeriesPoints, series_of
from tb_perfcompare.workspace.index import Listing

HISTORY_SCHEMA = "tb_perfcompare.history/1"

_WORDS = {None: None, "slower": "slower", "faster": "faster", "same": "same", "cannot_tell": "cannot tell yet"}

_POINTS = (
    columns.key("at", "Recorded", "when the point was recorded (UTC)"),
    columns.text("label", "Label", "what the point is called"),
    columns.text("steps", "Steps", "steps that are compared, of those recorded"),
    columns.time("mean_us", "Mean step", "mean step time"),
    columns.time("median_us", "Median step", "median step time, the figure that is looked at"),
    columns.count("segment", "Level", "number of the segment, from 1: points between two changes"),
    columns.fraction(
        "difference",
        "Against level",
        "difference to the points before it that have the level of the last of them",
        role="delta",
    ),
    columns.text("verdict", "Verdict", "what that means"),
    columns.fraction(
        "shift", "Change", "Hodges-Lehmann shift of the level that begins here from the one before", role="delta"
    ),
    columns.number("p", "p", "", "of the permutation test that found the change"),
)
_SERIES = (
    columns.key("series", "Series", "directory below the log directory"),
    columns.count("points", "Points", "runs that were recorded in it"),
)


def iso(at_s: int) -> str:
    """A point's time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(at_s, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def history_dict(listing: Listing, found: SeriesPoints | None) -> dict[str, Any]:
    """All series, and the history of one of them."""
    return {
        "schema": HISTORY_SCHEMA,
        "version": __version__,
        "series": [{"series": name, "points": count} for name, count in series_of(listing).items()],
        "history": None if found is None else _history(found),
    }


def _history(found: SeriesPoints) -> dict[str, Any]:
    history = found.history
    return {
        "series": found.series,
        "points": [
            {
                "run": run, "label": point.label, "at": iso(point.at_s), "recorded_run": point.run,
                "device": point.device, "metric": point.metric, "version": point.version,
                "steps": {"count": point.count, "admitted": point.admitted},
                "mean_step_us": _us(point.mean_ns), "median_step_us": _us(point.median_ns),
                "quartiles_us": None if point.quartiles_ns is None else [_us(time) for time in point.quartiles_ns],
                "segment": one.segment, "difference": one.difference, "verdict": one.verdict,
                "outlier": one.outlier,
            }
            for run, point, one in zip(found.runs, history.points, history.standings, strict=True)
        ],
        "segments": [
            {"first": segment.first, "last": segment.last, "typical_us": segment.typical_us}
            for segment in history.segments
        ],
        "changes": [
            {"point": change.point, "shift": change.shift, "p": change.p, "verdict": change.verdict}
            for change in history.changes
        ],
        "notes": list(history.notes),
        "problems": [problem_dict(note) for note in found.problems],
    }  # fmt: skip


def history_table(found: SeriesPoints) -> Table:
    """One row per point."""
    history = found.history
    changes = {change.point: change for change in history.changes}
    rows: list[tuple[Cell, ...]] = []
    for place, (point, one) in enumerate(zip(history.points, history.standings, strict=True)):
        change = changes.get(place)
        rows.append(
            (
                iso(point.at_s), point.label, f"{point.admitted} of {point.count}", _us(point.mean_ns),
                _us(point.median_ns), None if one.segment is None else one.segment + 1, one.difference,
                _WORDS[one.verdict], None if change is None else change.shift, None if change is None else change.p,
            )
        )  # fmt: skip
    problems = (f"{note.where}: {note.message}" for note in found.problems)
    return Table("history", f"History of {found.series}", _POINTS, tuple(rows), (*history.notes, *problems))


def series_table(listing: Listing, logdir: str) -> Table:
    """One row per series."""
    rows = tuple(series_of(listing).items())
    none = () if rows else ("none; record one with: tb-perfcompare record RUN --into LOGDIR --series NAME",)
    return Table("series", f"Series below {logdir}", _SERIES, rows, none)


def _us(time_ns: float | None) -> float | None:
    return None if time_ns is None else time_ns / 1000
