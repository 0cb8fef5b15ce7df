"""torch-tb-profiler's answers about a file, computed in a process of its own: running out of memory ends only that
process, and what torch-tb-profiler prints or monkey-patches affects nothing else."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.formats import FORMATS, TRACE
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.progress import Progress, Reporter
from tb_perfcompare.model.recordings.answers import AnswersRecording
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.wire import json_encoding as wire
from tb_perfcompare.workspace.inputs.sides import CaptureFile, in_expected_state
from tb_perfcompare.workspace.jobs.summary_jobs import with_shown_name

MEMORY_FACTOR = 11
"""Memory relative to summarizing the same file: measured 1,800 to 2,250 bytes per event, a summary needs 200."""


@dataclass(frozen=True, slots=True)
class CompatRequest:
    """Asks for one of torch-tb-profiler's HTTP answers about one file. `worker_count` is that of the whole run;
    `params` are the route's other arguments."""

    file: CaptureFile
    route: str
    group_by: str | None
    worker_count: int
    params: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CompatAnswer:
    """The answer as JSON, and notes about problems with the recording, for which that JSON has no place."""

    json: bytes
    notes: tuple[Note, ...] = ()


def compat_answer(request: CompatRequest, report: Reporter) -> CompatAnswer:
    """Computes torch-tb-profiler's answer. Raises InputError and SelectionError."""
    with with_shown_name(request.file):
        return _answered(request, report)


def _answered(request: CompatRequest, report: Reporter) -> CompatAnswer:
    from tb_perfcompare.sources import registry

    def renamed(progress: Progress, /) -> None:
        report(replace(progress, path=file.shown))

    file = request.file
    with in_expected_state(file) as fs:
        form = registry.recognize(file.path, fs)
        if form == TRACE:
            from tb_perfcompare.analysis.compat import check_route
            from tb_perfcompare.sources.trace.torch_profiler import read_events

            check_route(request.route)
            events = read_events(file.path, fs=fs, report=renamed, name=file.name)
        else:
            options = {"report": renamed, "want_hash": False, "name": file.name}
            recording = registry.read_format(form, file.path, file.part, fs=fs, **options)
    if form == TRACE:
        from tb_perfcompare.analysis.compat import answer, read_compat

        profile = read_compat(events)
        body = answer(
            profile, request.route, worker_count=request.worker_count, group_by=request.group_by,
            **dict(request.params),
        )  # fmt: skip
        return CompatAnswer(wire.encode(body), (*events.notes, *profile.notes))
    if isinstance(recording, AnswersRecording):
        from tb_perfcompare.analysis.answers.summarize_answers import saved_answer

        return CompatAnswer(wire.encode(saved_answer(recording, request.route, request.group_by)))
    message = f"{file.shown} is {FORMATS[form].with_article}; torch-tb-profiler reads traces only"
    raise SelectionError(message, hint="leave out --compat")
