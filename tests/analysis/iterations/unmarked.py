"""Recordings without their marks, and how well their steps are found again.

`python -m tests.analysis.iterations.unmarked FOLDER ...` prints the table of docs/method/iterations.md; with
`--each` as the first word a row for each recording. With `--pairs A B ...` it compares A with B: marked, not marked, by
repetition.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tb_perfcompare.analysis.iterations.marks import MIN_OCCURRENCES
from tb_perfcompare.analysis.iterations.step_ranges import trace_steps
from tb_perfcompare.analysis.iterations.training import STEP
from tb_perfcompare.analysis.pooling.pool import pool
from tb_perfcompare.analysis.summarize import summarize
from tb_perfcompare.analysis.trace.interpretation import interpret
from tb_perfcompare.analysis.trace.steps import HostRanges, Windows, range_windows, step_windows
from tb_perfcompare.analysis.trace.vendor import find_vendor
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.errors import PerfCompareError, SelectionError
from tb_perfcompare.model.events import EventTable, SparseColumn
from tb_perfcompare.model.names.names import is_loader, is_optimizer, is_step
from tb_perfcompare.model.recordings.recording import Origin, TraceRecording
from tb_perfcompare.sources.registry import read
from tb_perfcompare.workspace.loading import agreed_markers

OPTIONS = CompareOptions(resamples=200)

WITHIN = 0.01
"""A step is found again if one or several iterations are as long within this share of it."""


def without_names(recording: TraceRecording, test: Callable[[str], bool]) -> TraceRecording:
    """The recording without the events whose names pass."""
    events = recording.events
    away = np.array([test(text) for text in events.strings.texts], dtype=bool)
    kept = ~away[events.name]
    place = np.cumsum(kept) - 1

    def column(sparse: SparseColumn) -> SparseColumn:
        has = kept[sparse.rows]
        return SparseColumn(place[sparse.rows[has]].astype(np.int32), sparse.values[has])

    fields = ("category", "raw_category", "name", "lane", "start_ns", "dur_ns", "external_id", "correlation")
    table = EventTable(
        strings=events.strings, lanes=events.lanes, args={name: column(one) for name, one in events.args.items()},
        **{name: getattr(events, name)[kept] for name in fields},
    )  # fmt: skip
    return replace(recording, events=table)


@dataclass(frozen=True)
class Again:
    """marked: steps with ProfilerStep; found: iterations; alike: steps as long as the iterations, one or several, whose
    bounds are the nearest."""

    origin: str
    name: str
    marked: int
    found: int
    alike: int


def windows(recording: TraceRecording, marker: str, window: str) -> tuple[Windows, str, str]:
    """Of the steps that the recording has by a marker."""
    timeline = interpret(recording.events, find_vendor(recording)[0])
    steps = trace_steps(timeline, marker)
    chosen = steps.iterations.chosen
    return steps.windows[window], chosen.origin, chosen.name


def marked(recording: TraceRecording, window: str) -> Windows:
    """Of the steps from one ProfilerStep to the next: without marks nothing says when profiler.step() was called."""
    timeline = interpret(recording.events, find_vendor(recording)[0])
    mark = step_windows(timeline)["marker"]
    return range_windows(timeline, HostRanges(mark.label, mark.start_ns, mark.end_ns, (), ()))[window]


def found_again(recording: TraceRecording, marker: str = "", window: str = "device") -> Again:
    """The steps of a recording, found without ProfilerStep."""
    truth = marked(recording, window)
    bare = without_names(recording, is_step)
    if marker == "detected":
        bare = without_names(bare, is_mark)
    again, origin, name = windows(bare, marker, window)
    bounds = np.append(again.start_ns, again.end_ns[-1:])
    first, last = (np.abs(bounds[:, None] - ends).argmin(axis=0) for ends in (truth.start_ns, truth.end_ns))
    real = truth.end_ns - truth.start_ns
    alike = np.abs(bounds[last] - bounds[first] - real) <= WITHIN * real
    return Again(origin, name, len(truth.label), len(again.label), int(alike.sum()))


def recordings(folders: list[str]) -> Iterator[tuple[Path, TraceRecording]]:
    """Traces with ProfilerStep below some folders."""
    for folder in folders:
        for path in [Path(folder)] if Path(folder).is_file() else sorted(Path(folder).rglob("*.json*")):
            try:
                found = read(str(path))
            except PerfCompareError:
                continue
            if isinstance(found, TraceRecording) and any(map(is_step, found.events.strings.texts)):
                yield path, found


def is_mark(name: str) -> bool:
    """Whether the annotation says where a step is, or what a training loop does."""
    return is_step(name) or is_loader(name) or is_optimizer(name)


def compared(sides: list[str], away: Callable[[str], bool]) -> Comparison:
    """Two sides without the events whose names pass, cut by what all recordings have."""
    origin = Origin("", "", "worker0", "1")
    bare = [[without_names(one, away) for _, one in recordings([side])] for side in sides]
    found = [[summarize(one, origin) for one in side] for side in bare]
    markers = agreed_markers(found)
    if any(markers):
        found = [[summarize(one, origin, marker=by) for one in side] for side, by in zip(bare, markers, strict=True)]
    return compare_summaries(pool(found[0]), pool(found[1]), OPTIONS)


def pairs(folders: list[str]) -> None:
    """A row for each two folders: verdict and ratio with marks, without, and by repetition."""
    ways = (lambda name: False, is_step, is_mark)
    for sides in zip(folders[::2], folders[1::2], strict=True):
        headlines = [compared([*sides], away).headline for away in ways]
        cells = [f"{one.verdict.value} {one.ratio or 0:.3f}" for one in headlines]
        print(f"| {' → '.join(sides)} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """A row per way to find iterations and rule of windows: recordings, steps marked, iterations found, steps found
    again, recordings with several iterations in a step, recordings with too few, share of the steps found again (each
    recording cuts one off)."""
    if sys.argv[1:2] == ["--pairs"]:
        pairs(sys.argv[2:])
        return
    rows: dict[tuple[str, str], list[int]] = {}
    each = sys.argv[1:2] == ["--each"]
    for path, recording in recordings(sys.argv[2:] if each else sys.argv[1:]):
        if len(windows(recording, "profiler", "marker")[0].label) < MIN_OCCURRENCES:
            continue
        for marker in ("", STEP, "detected"):
            cells = []
            for window in ("device", "marker"):
                try:
                    again = found_again(recording, marker, window)
                except SelectionError:
                    again = Again(marker, "", len(windows(recording, "profiler", window)[0].label), 0, 0)
                row = rows.setdefault((f"{marker or 'default'}: {again.origin}", window), [0] * 6)
                several, few = again.found > again.marked, again.found < again.marked - 1
                for at, value in enumerate((1, again.marked, again.found, again.alike, int(several), int(few))):
                    row[at] += value
                if again.alike < again.marked - 1:
                    print(path, marker, window, again, file=sys.stderr)
                cells.append(f"{again.alike} of {again.marked - 1}")
            if each:
                where = f"{path.parent.name}/{path.name[:28]}"
                by = f"{marker or 'as found'}: {again.name or '—'}"
                print(f"| {where} | {by} | {again.marked} | {' | '.join(cells)} |")
    for (name, window), row in sorted(rows.items()):
        print(f"| {name} | {window} | {' | '.join(f'{value:,}' for value in row)} | {row[3] / (row[1] - row[0]):.1%} |")


if __name__ == "__main__":
    main()
