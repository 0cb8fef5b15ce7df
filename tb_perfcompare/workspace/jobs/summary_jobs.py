"""Worker jobs that read, summarize and compare: top-level functions of picklable values, without state.

Readers, analysis and the comparison are imported inside the functions, as the process that submits jobs needs none of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.errors import CorruptInput, InputChanged, InputError, MarkerMissing, UnrecognisedFormat
from tb_perfcompare.model.collector import paused_collector
from tb_perfcompare.model.formats import ANSWERS, FORMATS, LISTING, NCU
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.progress import Progress, Reporter
from tb_perfcompare.model.recordings.answers import AnswersRecording
from tb_perfcompare.model.recordings.cycles import CounterTable, CycleRecording
from tb_perfcompare.model.recordings.launches import LaunchRecording
from tb_perfcompare.model.recordings.recording import Origin, TraceRecording
from tb_perfcompare.model.saved.baseline import SavedSummary
from tb_perfcompare.model.summary.outline import Outline, outline_of
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.workspace.inputs.sides import CaptureFile, Side, Steps, in_expected_state

if TYPE_CHECKING:
    from tb_perfcompare.comparison.result.comparison import Comparison
    from tb_perfcompare.sources.registry import Recording

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SummaryJob:
    """One file to read and summarize: equal jobs have equal summaries. `paths` collects the callers of rows; `tail`
    keeps a last step that the recording cut short; `marker` as in Side."""

    file: CaptureFile
    window: str
    paths: bool = False
    tail: bool = False
    marker: str = ""


@dataclass(frozen=True, slots=True)
class LoadedSide:
    """A side with the summaries to compare, a note for each file left out, and the launches and counter samples to
    attach."""

    side: Side
    summaries: tuple[Summary, ...]
    failures: tuple[Note, ...]
    launches: LaunchRecording | None = None
    counters: CounterTable | None = None


@paused_collector()
def summarize_file(job: SummaryJob, report: Reporter) -> Summary:
    """Reads one file and summarizes it. Raises InputError, naming the file as it is shown, or Cancelled."""
    return _from_recording(job, report, _of_trace)


@paused_collector()
def outline_file(job: SummaryJob, report: Reporter) -> Outline:
    """Reads one file for the facts that a list of runs shows, the hash of its bytes not among them. Raises what
    summarize_file raises."""
    result = _from_recording(job, report, _outline_of_trace, want_hash=False)
    return result if isinstance(result, Outline) else outline_of(result)


def _from_recording(
    job: SummaryJob, report: Reporter, of_trace: Callable[[TraceRecording, SummaryJob], T], *, want_hash: bool = True
) -> T | Summary:
    """Returns `of_trace(trace, job)` for a trace, the summary for any other recording."""
    file, origin = job.file, origin_of(job.file)
    with with_shown_name(file):
        match read_recording(file, report, want_hash=want_hash):
            case TraceRecording() as trace:
                report(Progress("summarising", file.shown, file.bytes, file.bytes, trace.stats.events))
                trace = trace.without_unread()
                with _named_marker(job):
                    return of_trace(trace, job)
            case AnswersRecording() as answers:
                from tb_perfcompare.analysis.answers.summarize_answers import summarize_answers

                return summarize_answers(answers, origin, job.window)
            case LaunchRecording() as launches:
                from tb_perfcompare.analysis.listings.launches import summarize_launches

                return summarize_launches(launches, origin, job.window)
            case CycleRecording() as cycles:
                from tb_perfcompare.analysis.cycles.summarize_cycles import summarize_cycles

                report(Progress("summarising", file.shown, file.bytes, file.bytes, len(cycles.table)))
                return summarize_cycles(cycles, origin, job.window)
            case SavedSummary() as saved:
                from tb_perfcompare.analysis.pooling.baseline_summary import saved_summary

                return saved_summary(saved, origin, job.window, job.marker)


def _of_trace(trace: TraceRecording, job: SummaryJob) -> Summary:
    from tb_perfcompare.analysis.summarize import summarize

    return summarize(
        trace, origin_of(job.file), job.window, marker=job.marker, paths_of_rows=job.paths, tail=job.tail
    )  # fmt: skip


def _outline_of_trace(trace: TraceRecording, job: SummaryJob) -> Outline:
    from tb_perfcompare.analysis.outline import outline

    return outline(trace, job.window, marker=job.marker, tail=job.tail)


@contextmanager
def _named_marker(job: SummaryJob) -> Iterator[None]:
    """Adds the file's name to a MarkerMissing raised in the `with` body."""
    try:
        yield
    except MarkerMissing as error:
        raise MarkerMissing(f"{job.file.shown}: {error.message}", hint=error.hint) from error


def read_launches(file: CaptureFile, report: Reporter) -> LaunchRecording:
    """Reads the launches of a kernel listing or an ncu export. Raises InputError, also for a file of another format, or
    Cancelled."""
    recording = read_recording(file, report)
    if not isinstance(recording, LaunchRecording):
        hint = f"give {FORMATS[LISTING].with_article} or {FORMATS[NCU].with_article}"
        raise InputError(file.shown, "holds no launches with utilization", hint=hint)
    return recording


def read_counter_file(file: CaptureFile, report: Reporter) -> CounterTable:
    """Reads the samples of a counters file. Raises InputError or Cancelled."""
    from tb_perfcompare.sources.perf_data.csv_tables import read_counters

    with with_shown_name(file), in_expected_state(file) as fs:
        return replace(read_counters(file.path, fs=fs, report=report), source=file.shown)


def read_recording(file: CaptureFile, report: Reporter, *, want_hash: bool = True) -> Recording:
    """Reads a file. Notes name it relative to its source, progress reports and errors as it is shown. Raises
    InputError, InputChanged if the file is not in its expected state or leaves it while it is read, and Cancelled."""
    from tb_perfcompare.sources import registry

    def renamed(progress: Progress, /) -> None:
        report(replace(progress, path=file.shown))

    with with_shown_name(file), in_expected_state(file) as fs:
        return registry.read(file.path, fs=fs, report=renamed, want_hash=want_hash, name=file.name, part=file.part)


def origin_of(file: CaptureFile) -> Origin:
    """Returns the source, run, worker, span and rank of a file, for its summary."""
    return Origin(file.source, file.run, file.worker, file.span, file.rank)


@contextmanager
def with_shown_name(file: CaptureFile) -> Iterator[None]:
    """Gives an InputError raised in the `with` body the file's shown name instead of its path, which must not leave the
    server."""
    try:
        yield
    except InputError as error:
        has_usual_arguments = type(error) in (InputError, InputChanged, CorruptInput, UnrecognisedFormat)
        kind: type[InputError] = type(error) if has_usual_arguments else InputError
        raise kind(file.shown, error.reason, place=error.place, hint=error.hint) from error


def pooled(loaded: LoadedSide) -> Summary:
    """Returns one summary of the side: pooled, narrowed to its steps, with the figures of its launches and counters
    files attached, and with a note for each file that was left out."""
    from tb_perfcompare.analysis.pooling.select import of_kind
    from tb_perfcompare.analysis.pooling.step_admission import admit_steps

    (summary,) = _joined(loaded).summaries
    summary = of_kind(with_step_range(summary, loaded.side.steps), loaded.side.kind)
    if loaded.side.steps is None and not loaded.side.all_steps:
        summary = admit_steps(summary)
    if loaded.launches is not None:
        from tb_perfcompare.analysis.listings.attach_launches import attach_launches

        summary = attach_launches(summary, loaded.launches)
    notes = (*loaded.side.notes, *loaded.failures)
    return replace(summary, notes=(*summary.notes, *notes)) if notes else summary


def _joined(loaded: LoadedSide) -> LoadedSide:
    """Returns the side with its captures pooled into one summary that includes the counters file's figures."""
    from tb_perfcompare.analysis.pooling.pool import pool

    summaries = loaded.summaries
    if loaded.counters is not None:
        from tb_perfcompare.analysis.counters.counter_file import with_counter_file

        summaries = with_counter_file(summaries, loaded.counters)
    return replace(loaded, summaries=(pool(summaries),), counters=None)


def with_step_range(summary: Summary, steps: Steps | None) -> Summary:
    """Returns the summary with only these step numbers (None: all)."""
    if steps is None:
        return summary
    from tb_perfcompare.analysis.pooling.select import select_steps

    if summary.format == ANSWERS:
        from tb_perfcompare.analysis.answers.summarize_answers import totals_left_out

        summary = totals_left_out(summary)
    return select_steps(summary, steps)


@paused_collector()
def compare_sides(baseline: LoadedSide, candidate: LoadedSide, options: CompareOptions, report: Reporter) -> Comparison:
    """Pools both sides and compares them."""
    from tb_perfcompare.analysis.pooling.select import without_steps
    from tb_perfcompare.comparison.alternatives.alternatives import with_alternatives
    from tb_perfcompare.comparison.engine import compare_judged
    from tb_perfcompare.comparison.judged import judge_summaries

    report(Progress("comparing"))
    baseline, candidate = _joined(baseline), _joined(candidate)
    judged = judge_summaries(pooled(baseline), pooled(candidate), options)
    return with_alternatives(
        compare_judged(judged), judged,
        lambda baseline_steps, candidate_steps: (
            _only_steps(baseline, baseline_steps), _only_steps(candidate, candidate_steps)
        ),
        without_steps,
    )  # fmt: skip


def _only_steps(loaded: LoadedSide, steps: Steps) -> Summary:
    return pooled(replace(loaded, side=replace(loaded.side, steps=steps)))


def failure_note(file: CaptureFile, error: InputError) -> Note:
    """Returns the note for a file that could not be read and is left out of its side."""
    hint = f"; {error.hint}" if error.hint else ""
    place = f"{error.place}: " if error.place else ""
    return Note(NoteCode.FILE_FAILED, f"left out: {place}{error.reason}{hint}", file.name)
