"""Recordings without their markers, and how many of their steps are found.

`python -m tests.analysis.iterations.unmarked FOLDER ...` prints the figures of docs/method/iterations.md; with
`--each` first, a row per recording. `--pairs A B ...` compares A with B: marked, unmarked, by repetition.
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
from tb_perfcompare.analysis.trace.steps import Windows, range_windows, step_windows
from tb_perfcompare.analysis.trace.vendor import find_vendor
from tb_perfcompare.comparison.engine import compare_summaries
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.errors import PerfCompareError, SelectionError
from tb_perfcompare.model.events import EventTable, SparseColumn
from tb_perfcompare.model.names.ranges import is_loader, is_optimizer, is_step
from tb_perfcompare.model.recordings.recording import Origin, TraceRecording
from tb_perfcompare.sources.registry import read
from tb_perfcompare.workspace.inputs.step_markers import agreed_markers

OPTIONS = CompareOptions(resamples=200)

WITHIN = 0.01
"""Relative difference of length up to which a step counts as found."""


def without_names(recording: TraceRecording, test: Callable[[str], bool]) -> TraceRecording:
    """The recording without the events whose names pass the test."""
    events = recording.events
    removed = np.array([test(text) for text in events.strings.texts], dtype=bool)
    kept = ~removed[events.name]
    place = np.cumsum(kept) - 1

    def column(sparse: SparseColumn) -> SparseColumn:
        has = kept[sparse.rows]
        return SparseColumn(place[sparse.rows[has]].astype(np.int32), sparse.values[has])

    fields = ("category", "raw_category", "name", "lane", "start_ns", "dur_ns", "external_id", "correlation")
    table = EventTable(
        strings=events.strings, lanes=events.lanes, args={name: column(values) for name, values in events.args.items()},
        **{name: getattr(events, name)[kept] for name in fields},
    )  # fmt: skip
    return replace(recording, events=table)


@dataclass(frozen=True)
class Recovered:
    """marked: steps with ProfilerStep; found: iterations; equal: steps as long as the iterations between the nearest
    bounds."""

    origin: str
    name: str
    marked: int
    found: int
    equal: int


def windows(recording: TraceRecording, marker: str, window: str) -> tuple[Windows, str, str]:
    """Windows of the steps by a marker, and the origin and name of the marker."""
    timeline = interpret(recording.events, find_vendor(recording))
    steps = trace_steps(timeline, marker)
    chosen = steps.iterations.chosen
    return steps.windows[window], chosen.origin, chosen.name


def marked(recording: TraceRecording, window: str) -> Windows:
    """Windows from one ProfilerStep to the next, as unmarked recordings can show them."""
    timeline = interpret(recording.events, find_vendor(recording))
    mark = step_windows(timeline)["marker"]
    return range_windows(timeline, Windows(mark.label, mark.start_ns, mark.end_ns, (), True, 0))[window]


def found_again(recording: TraceRecording, marker: str = "", window: str = "device") -> Recovered:
    """The steps of a recording, found without ProfilerStep."""
    truth = marked(recording, window)
    bare = without_names(recording, is_step)
    if marker == "detected":
        bare = without_names(bare, is_mark)
    recovered, origin, name = windows(bare, marker, window)
    bounds = np.append(recovered.start_ns, recovered.end_ns[-1:])
    first, last = (np.abs(bounds[:, None] - ends).argmin(axis=0) for ends in (truth.start_ns, truth.end_ns))
    real = truth.end_ns - truth.start_ns
    equal = np.abs(bounds[last] - bounds[first] - real) <= WITHIN * real
    return Recovered(origin, name, len(truth.label), len(recovered.label), int(equal.sum()))


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
    """Whether the annotation marks a step or a part of a training loop."""
    return is_step(name) or is_loader(name) or is_optimizer(name)


def compared(sides: list[str], test: Callable[[str], bool]) -> Comparison:
    """Compare two sides without the events whose names pass, by markers that all recordings have."""
    origin = Origin("", "", "worker0", "1")
    bare = [[without_names(recording, test) for _, recording in recordings([side])] for side in sides]
    found = [[summarize(recording, origin) for recording in side] for side in bare]
    markers = agreed_markers(found)
    if any(markers):
        found = [
            [summarize(recording, origin, marker=marker) for recording in side]
            for side, marker in zip(bare, markers, strict=True)
        ]
    return compare_summaries(pool(found[0]), pool(found[1]), OPTIONS)


def pairs(folders: list[str]) -> None:
    """A row for each two folders: verdict and ratio with marks, without, and by repetition."""
    tests = (lambda name: False, is_step, is_mark)
    for sides in zip(folders[::2], folders[1::2], strict=True):
        headlines = [compared([*sides], test).headline for test in tests]
        cells = [f"{headline.verdict.value} {headline.ratio or 0:.3f}" for headline in headlines]
        print(f"| {' → '.join(sides)} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """A row per marker and kind of windows: recordings, marked steps, iterations found, steps found, recordings with
    several iterations in a step, recordings with too few, share of steps found (each recording drops one)."""
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
                    recovered = found_again(recording, marker, window)
                except SelectionError:
                    recovered = Recovered(marker, "", len(windows(recording, "profiler", window)[0].label), 0, 0)
                row = rows.setdefault((f"{marker or 'default'}: {recovered.origin}", window), [0] * 6)
                several, few = recovered.found > recovered.marked, recovered.found < recovered.marked - 1
                counts = (1, recovered.marked, recovered.found, recovered.equal, several, few)
                row[:] = [total + int(count) for total, count in zip(row, counts, strict=True)]
                if recovered.equal < recovered.marked - 1:
                    print(path, marker, window, recovered, file=sys.stderr)
                cells.append(f"{recovered.equal} of {recovered.marked - 1}")
            if each:
                where = f"{path.parent.name}/{path.name[:28]}"
                by = f"{marker or 'as found'}: {recovered.name or '—'}"
                print(f"| {where} | {by} | {recovered.marked} | {' | '.join(cells)} |")
    for (name, window), row in sorted(rows.items()):
        print(f"| {name} | {window} | {' | '.join(f'{value:,}' for value in row)} | {row[3] / (row[1] - row[0]):.1%} |")


if __name__ == "__main__":
    main()
