"""Records a run as a point of a series below a log directory.

Documented in docs/guide/history.md; sources/saved/event_file.py defines the file format.
"""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace

import msgspec

from tb_perfcompare._version import __version__
from tb_perfcompare.errors import InputError, SelectionError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.arrays import median, quartiles
from tb_perfcompare.model.saved.history import LATEST_S, PointFacts
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.recognition.format_sniffers import POINT_ENDING
from tb_perfcompare.sources.saved.baseline_file import write_baseline
from tb_perfcompare.sources.saved.event_file import write_point
from tb_perfcompare.workspace.baselines import SavedContent
from tb_perfcompare.workspace.disk_cache.disk_store import temporary_path, write_and_move

_SERIES = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,99}){0,9}", re.ASCII)
_NO_FILE_NAME = regex(r"[^A-Za-z0-9._-]+", re.ASCII)
_LONGEST_LABEL = 200
_MAX_TRIES = 10_000


def record(
    content: SavedContent, logdir: str, series: str, *, at_s: int, label: str, replacing: bool = False
) -> tuple[str, PointFacts]:
    """Writes a point and returns (path of its file, the point). The file is written under a temporary name and moved
    into place. It never overwrites another point unless `replacing`: a further point with the same second and label
    gets a number. Raises SelectionError for an invalid series, label or time, InputError if the file cannot be
    written."""
    if not _SERIES.fullmatch(series):
        hint = "use letters, digits, dots, dashes and underscores, beginning with a letter or digit; join parts with /"
        raise SelectionError(f"{series!r} is not a valid name for a series", hint=hint)
    if not label or len(label) > _LONGEST_LABEL or not label.isprintable():
        hint = f"use up to {_LONGEST_LABEL} printable characters"
        raise SelectionError(f"{label[:80]!r} is not a valid label", hint=hint)
    if not 0 <= at_s <= LATEST_S:
        raise SelectionError(f"{at_s} s is not a time for a point", hint="give a time from 1970 to 2286")
    point = _point(content, at_s, label)
    facts, baseline = msgspec.json.encode(content.facts), io.BytesIO()
    write_baseline(baseline, content.facts, content.summaries, content.launches)
    folder = os.path.join(logdir, *series.split("/"))
    stem = f"events.out.tfevents.{at_s:010d}.{_NO_FILE_NAME.sub('-', label)[:60]}"
    try:
        os.makedirs(folder, exist_ok=True)
        path = write_and_move(
            temporary_path(folder),
            lambda out: write_point(out, point, facts, baseline.getvalue(), _scalars(content.whole)),
            lambda written: _move_into_place(written, folder, stem, replacing=replacing),
        )
        return path, point
    except OSError as error:
        hint = "give a directory that can be written to with --into"
        raise InputError(folder, f"cannot be written: {error.strerror or error}", hint=hint) from error


def _point(content: SavedContent, at_s: int, label: str) -> PointFacts:
    facts, summary = content.facts, content.whole
    point = PointFacts(
        version=__version__,
        label=label,
        at_s=at_s,
        run=facts.run,
        metric=facts.metric,
        device=facts.device.name or facts.device.word,
        count=facts.count,
        admitted=facts.admitted,
        mean_ns=facts.mean_ns,
        median_ns=median(summary.steps.total_ns) if summary.is_timed else None,
        quartiles_ns=quartiles(summary.steps.total_ns) if summary.is_timed else None,
    )
    return replace(point, mean_ns=None, median_ns=None, quartiles_ns=None) if point.inconsistency() else point


def _scalars(summary: Summary) -> dict[str, float]:
    """Tag -> mean per step in microseconds; empty for a run without step times."""
    if not summary.is_timed:
        return {}
    means = summary.owned.by_category().mean(axis=1) / 1000
    parts = {f"category/{label}_us": float(mean) for label, mean in zip(CATEGORY_LABELS, means, strict=True)}
    return {"step_time_us": float(summary.steps.total_ns.mean()) / 1000, **parts}


def _link(temporary: str, path: str) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # no hard links here: reserve the name with an empty file, then replace that
        with open(path, "xb"):
            pass
        os.replace(temporary, path)


def _move_into_place(temporary: str, folder: str, stem: str, *, replacing: bool) -> str:
    """Gives the temporary file its final name and returns its path. Raises OSError."""
    first = os.path.join(folder, stem + POINT_ENDING)
    if replacing:
        os.replace(temporary, first)
        return first
    for number in range(1, _MAX_TRIES):
        path = first if number == 1 else os.path.join(folder, f"{stem}.{number}{POINT_ENDING}")
        try:
            _link(temporary, path)
        except FileExistsError:
            continue  # another job took this name first; os.replace would overwrite its point
        return path
    raise FileExistsError(f"there are {_MAX_TRIES} points of that time and label")
