"""Finds the files that a run name or a path means."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.result.options import ExperimentLook
from tb_perfcompare.errors import InputError, SelectionError, choices
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.formats import FORMATS, LISTING, NCU, TRACE
from tb_perfcompare.sources.discover import parse_source, without_part
from tb_perfcompare.sources.perf_data.file_names import companion_files
from tb_perfcompare.sources.run_entries import RunEntry, SpanEntry, WorkerEntry
from tb_perfcompare.sources.saved.manifest import read_manifest
from tb_perfcompare.sources.storage.file_systems import file_system, without_secrets
from tb_perfcompare.workspace.inputs.sides import CaptureFile, RecordedExperiment, Side, Steps, with_current_state

_PARENT = regex(r"[/\\][^/\\]+$")


def side_of_run(
    run: RunEntry, worker: str | None, span: str | None, steps: Steps | None = None, launches: RunEntry | None = None
) -> Side:
    """Returns the files of a run, as they are on disk now, narrowed to a worker and a span, with those of the run
    `launches`, a kernel listing or ncu export. Raises SelectionError, listing the existing names."""
    files = _select(run, worker, span, shown=f"{run.name}/", described=f"run {run.name!r}", source=run.name)
    attached = None if launches is None else with_current_state(_launches_of(launches))
    side = Side(
        run.name, tuple(map(with_current_state, files)), steps, attached, notes=run.problems,
        experiment=_experiment(run),
    )  # fmt: skip
    return _as_saved(side, run)


def side_from_path(
    path: str, worker: str | None, span: str | None, steps: Steps | None = None, launches: str | None = None,
    counters: str | None = None,
) -> Side:  # fmt: skip
    """Returns the files that a user means by a path: a run's directory, one file, or `FILE#2` for the second run of a
    file; narrowed to a worker and a span. `launches` is the path of a kernel listing or ncu export to attach,
    `counters` the path of a file of counter samples taken during the recording.

    Raises InputError if nothing can be read there, SelectionError for unknown workers and spans."""
    run, files = _files_at(path, worker, span)
    side = Side(
        without_secrets(path), tuple(files), steps, None if launches is None else launches_from_path(launches),
        None if counters is None else counters_from_path(counters), notes=run.problems,
        experiment=_experiment(run),
    )  # fmt: skip
    return _as_saved(side, run)


def _as_saved(side: Side, run: RunEntry) -> Side:
    """For a saved baseline, returns the side with the baseline's steps and launches, unless the side has its own, and
    with its kind and `all_steps`; any other side unchanged."""
    saved = run.saved
    if saved is None:
        return side
    launches = side.launches
    if launches is None and saved.launches:
        launches = replace(side.files[0], name=saved.launches, part=len(saved.captures) + 1)
    return replace(
        side, steps=side.steps or saved.steps, kind=saved.kind, launches=launches, all_steps=saved.all_steps
    )


def _experiment(run: RunEntry) -> RecordedExperiment | None:
    """Returns the experiment that recorded a run: its manifest is in the parent directory and names this run as a
    variant; None for other runs."""
    if run.format != TRACE:
        return None
    link_root = run.workers[0].spans[0].file.link_root
    directory = _PARENT.sub("", run.path)
    try:
        manifest = read_manifest(directory, file_system(directory, link_root))
    except InputError:  # a file of another tool with the manifest's name
        return None
    if manifest is None or run.name.rpartition("/")[2] not in {variant.name for variant in manifest.variants}:
        return None
    look = ExperimentLook(manifest.rounds(), manifest.most_rounds, manifest.level, manifest.alpha)
    return RecordedExperiment(directory, look)


def launches_from_path(path: str) -> CaptureFile:
    """Returns the kernel listing or ncu export at a path, without checking its content. Raises SelectionError for more
    than one file."""
    _, files = _files_at(path, None, None)
    if len(files) != 1:
        raise SelectionError(f"{path} is not a kernel listing: it holds {len(files)} files", hint="give one file")
    return files[0]


def counters_from_path(path: str) -> CaptureFile:
    """Returns the counters file at a path, without checking its content. Raises InputError if it cannot be opened."""
    fs, shown = file_system(path), without_secrets(path)
    try:
        facts = fs.stat(path)
    except OSError as error:
        raise InputError(shown, f"cannot be opened: {error.strerror or error}", hint="check the name") from error
    return CaptureFile(
        fs.absolute(path), shown, fs.basename(path), facts.bytes, facts.mtime_ns, "", "", "", None, shown,
        version=facts.version,
    )  # fmt: skip


def _files_at(path: str, worker: str | None, span: str | None) -> tuple[RunEntry, list[CaptureFile]]:
    fs = file_system(path)
    run = parse_source(path, fs)
    file_path, part = without_part(fs.absolute(path), fs)
    path = without_secrets(path)
    is_file = any(
        file.path == run.path == file_path for named in run.workers for entry in named.spans for file in entry.files
    )
    folder = path if part is None else path.removesuffix(f"#{part}")
    shown = path if is_file else folder.rstrip("/") + "/"
    return run, _select(run, worker, span, shown=shown, described=path, source=path, shown_whole=is_file)


def _launches_of(run: RunEntry) -> CaptureFile:
    """Returns the file of a run that is a kernel listing or an ncu export. Raises SelectionError for other formats."""
    if run.format not in (LISTING, NCU):
        hint = f"name a run that is {FORMATS[LISTING].with_article} or {FORMATS[NCU].with_article}"
        what = FORMATS[run.format].with_article
        raise SelectionError(f"the run {run.name!r} is {what}: it has no figures to attach", hint=hint)
    (worker,) = run.workers
    return span_file(run, worker, worker.spans[0])


def span_file(run: RunEntry, worker: WorkerEntry, span: SpanEntry) -> CaptureFile:
    """Returns the file of one span, ready to be read."""
    return _capture(run, worker, span, f"{run.name}/{span.file.name}", run.name)


def _select(
    run: RunEntry, worker: str | None, span: str | None, *, shown: str, described: str, source: str,
    shown_whole: bool = False,
) -> list[CaptureFile]:  # fmt: skip
    """Returns the run's files of a worker (None: all) and a span (None: all), in worker and span order. Raises
    SelectionError for unknown ones."""
    workers = [entry for entry in run.workers if worker is None or entry.name == worker]
    if not workers:
        raise unknown(f"worker in {described}", str(worker), [entry.name for entry in run.workers])
    chosen = [(entry, part) for entry in workers for part in entry.spans if span is None or part.label == span]
    if not chosen:
        labels = dict.fromkeys(part.label for entry in workers for part in entry.spans)
        raise unknown(f"span in {described}", str(span), list(labels))
    return [
        _capture(run, entry, part, shown if shown_whole else shown + part.file.name, source)
        for entry, part in chosen
    ]


def _capture(run: RunEntry, worker: WorkerEntry, span: SpanEntry, shown: str, source: str) -> CaptureFile:
    file = span.file
    return CaptureFile(
        file.path, shown, file.name, file.bytes, file.mtime_ns, file.run or run.name, worker.name, span.label,
        worker.rank, source, file.part, companion_files(file.path, file_system(file.path, file.link_root)),
        file.version, file.link_root,
    )  # fmt: skip


def unknown(what: str, name: str, known: list[str]) -> SelectionError:
    """Returns the error for a name that does not exist."""
    return SelectionError(f"there is no {what} called {name!r}", hint=choices(name, known))
