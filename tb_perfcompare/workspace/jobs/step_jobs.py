"""Worker jobs for step views and trace excerpts: top-level functions of picklable values."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare._version import __version__
from tb_perfcompare.analysis.step_view.step_events import StepCutter
from tb_perfcompare.comparison.alignment import step_matches
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.progress import Progress, Reporter
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.model.summary.step_events import StepEvents
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.trace.excerpt import excerpt_file, packed, read_excerpt
from tb_perfcompare.sources.trace.joined_excerpts import JoinedSide, joined_file
from tb_perfcompare.workspace.inputs.sides import CaptureFile, in_expected_state
from tb_perfcompare.workspace.jobs.summary_jobs import read_recording, with_shown_name

MAX_EVENTS_AT_ONCE = 300_000
"""Neighboring steps are cut out with the requested one up to this many events, as one of them is likely next."""


class NoEvents(SelectionError):
    """A file with steps but no single events, such as a saved baseline."""


@dataclass(frozen=True, slots=True)
class StepJob:
    """One step of one file, by its label; `marker` as in Side."""

    file: CaptureFile
    window: str
    label: str
    marker: str = ""


@dataclass(frozen=True, slots=True)
class ExcerptSide:
    """The steps of a file to export, from label `first` to label `last`; `label` names the side in a joined trace."""

    file: CaptureFile
    window: str
    first: str
    last: str
    label: str
    marker: str = ""


def read_steps(job: StepJob, report: Reporter) -> tuple[StepEvents, ...]:
    """Returns the requested step first, then its nearest neighbors up to MAX_EVENTS_AT_ONCE events. Raises InputError,
    SelectionError, Cancelled."""
    cutter = _cutter(job.file, job.window, job.marker, report)
    steps = [cutter.cut(job.label)]
    events = len(steps[0])
    for label in _nearest_first(cutter.labels, job.label):
        if events >= MAX_EVENTS_AT_ONCE:
            break
        report(Progress("summarising", job.file.shown, job.file.bytes, job.file.bytes, events))
        steps.append(cutter.cut(label))
        events += len(steps[-1])
    return tuple(steps)


def match_steps(a: StepEvents, b: StepEvents, report: Reporter) -> step_matches.StepMatches:
    """Pairs the events of two steps."""
    report(Progress("comparing"))
    return step_matches.match_steps(a, b)


def trace_file(sides: Sequence[ExcerptSide], compress: bool, report: Reporter) -> bytes:
    """Writes a trace of the sides' steps: of one side with its events unchanged, of several sides joined. Raises
    InputError, SelectionError, Cancelled."""
    excerpts = [_excerpt_of(side, report) for side in sides]
    text = excerpt_file(excerpts[0].excerpt, _about(sides[0])) if len(excerpts) == 1 else joined_file(excerpts)
    return packed(text) if compress else text


def _excerpt_of(side: ExcerptSide, report: Reporter) -> JoinedSide:
    cutter = _cutter(side.file, side.window, side.marker, report)
    extents = [cutter.extent(label) for label in (side.first, side.last)]
    zero_ns, _ = cutter.window(side.first)
    with with_shown_name(side.file), in_expected_state(side.file) as fs:
        excerpt = read_excerpt(
            side.file.path, min(first for first, _ in extents), max(last for _, last in extents),
            fs=fs, report=report, name=side.file.shown,
        )  # fmt: skip
    return JoinedSide(side.label, excerpt, zero_ns)


def _about(side: ExcerptSide) -> dict[str, object]:
    return {
        "version": __version__, "file": side.file.name, "first_step": side.first, "last_step": side.last,
        "step_window": side.window,
    }  # fmt: skip


def _cutter(file: CaptureFile, window: str, marker: str, report: Reporter) -> StepCutter:
    recording = read_recording(file, report)
    if not isinstance(recording, TraceRecording):
        raise NoEvents(f"{file.shown} is not a trace", hint="only traces hold single events")
    report(Progress("summarising", file.shown, file.bytes, file.bytes, recording.stats.events))
    return StepCutter(recording, window, file.worker, file.span, marker=marker)


def _nearest_first(labels: Sequence[str], label: str) -> list[str]:
    index = labels.index(label)
    return [labels[i] for i in sorted(range(len(labels)), key=lambda i: abs(i - index)) if i != index]
