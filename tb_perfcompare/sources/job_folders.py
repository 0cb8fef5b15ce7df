"""Joins runs that are parts of one job, for tools that keep a folder or a file per rank or per profiled iteration.

    iteration_10/rank0_trace.json, iteration_20/rank0_trace.json    torchtitan: spans of one run
    rank_0/trace.json, rank_1/trace.json                            workers of one run
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.sources.rank_names import RANKS, are_ranks
from tb_perfcompare.sources.recognition.format_sniffers import JSON_NAME
from tb_perfcompare.sources.run_entries import RunEntry, SpanEntry, WorkerEntry

_ITERATION = r"(?:iteration|iter|global_?step|step|epoch|cycle)[-_]?\d+"
_BEFORE = r"(?:(?P<before>.+)[-_.])?"
_RANK_NAME = re.compile(rf"(?i){_BEFORE}(?P<label>{RANKS})")
_ITERATION_NAME = re.compile(rf"(?i){_BEFORE}(?P<label>{_ITERATION})")
_LAST = re.compile(r"[/\\][^/\\]+$")
_NUMBER = re.compile(r"\d+")
_WORKER = "trace"
"""Worker of files that are named after their iteration alone."""

_Part = tuple[str, RunEntry]


def join_parts(runs: Iterable[RunEntry], root_name: str) -> list[RunEntry]:
    """Returns the runs with the parts of each job joined under the name of their folder.

    Parts are runs in one folder whose names differ in the rank (0, 1, 2, ... without a gap) or in the iteration
    alone. `root_name` names a job whose parts are directly below the log directory.
    """
    joined = _join(runs, root_name, _RANK_NAME, _of_ranks)
    joined = _join(joined, root_name, _ITERATION_NAME, _of_iterations)
    return _join(joined, root_name, _RANK_NAME, _of_ranks)


def _join(
    runs: Iterable[RunEntry], root_name: str, name: re.Pattern[str],
    workers_of: Callable[[str, Sequence[_Part]], tuple[WorkerEntry, ...]],
) -> list[RunEntry]:  # fmt: skip
    """Joins the runs whose last name component matches. `workers_of` is given what precedes the label, and (label,
    run) of each part, and returns the workers of the joined run, none if these are no parts of one job."""
    jobs: dict[tuple[str, str], list[_Part]] = {}
    out: list[RunEntry] = []
    names = set[str]()
    for run in runs:
        names.add(run.name)
        parent, _, last = run.name.rpartition("/")
        matched = name.fullmatch(_stem(last))
        if matched is None or run.format != TRACE:
            out.append(run)
        else:
            jobs.setdefault((parent, matched["before"] or ""), []).append((matched["label"], run))
    for (parent, before), parts in jobs.items():
        is_only = sum(folder == parent for folder, _ in jobs) == 1
        inside = "" if is_only else before
        job_name = "/".join(filter(None, (parent, inside))) or root_name
        is_distinct = len({_numbers(part) for part in parts}) == len(parts) > 1  # step_5.json and step_5.json.gz
        workers = workers_of(before, parts) if is_distinct and job_name not in names else ()
        out += [_joined(parts, job_name, inside, workers)] if workers else [run for _, run in parts]
    return out


def _joined(parts: Sequence[_Part], name: str, inside: str, workers: tuple[WorkerEntry, ...]) -> RunEntry:
    """Returns the run with these parts. `inside`: its name in its folder, "" if it is the only one there."""
    _, first = parts[0]
    path = _LAST.sub("", _place(first)) + (f"/{inside}" if inside else "")
    problems = (replace(note, where=_below(run, note.where)) for _, run in parts for note in run.problems)
    return replace(first, name=name, path=path, workers=workers, problems=tuple(problems))


def _of_ranks(_: str, parts: Sequence[_Part]) -> tuple[WorkerEntry, ...]:
    if not are_ranks(label for label, _ in parts):
        return ()
    return tuple(
        replace(
            worker,
            name=label if len(run.workers) == 1 else f"{label}/{worker.name}",
            rank=int(_NUMBER.findall(label)[-1]),
            spans=tuple(_moved(run, span, span.label) for span in worker.spans),
        )
        for label, run in sorted(parts, key=_numbers)
        for worker in run.workers
    )


def _of_iterations(before: str, parts: Sequence[_Part]) -> tuple[WorkerEntry, ...]:
    workers: dict[str, WorkerEntry] = {}
    for label, run in sorted(parts, key=_numbers):
        for worker in run.workers:
            name = (before or _WORKER) if worker.name == _stem(run.name.rpartition("/")[2]) else worker.name
            spans = (
                _moved(run, span, label if len(worker.spans) == 1 else f"{label}/{span.label}")
                for span in worker.spans
            )
            known = workers.get(name)
            workers[name] = replace(worker, name=name, spans=(*(() if known is None else known.spans), *spans))
    return tuple(workers[name] for name in sorted(workers))


def _numbers(part: _Part) -> tuple[int, ...]:
    return tuple(map(int, _NUMBER.findall(part[0])))


def _moved(run: RunEntry, span: SpanEntry, label: str) -> SpanEntry:
    """Returns the span with another label and its files named relative to the folder that holds the run."""
    place = _place(run)
    files = (
        replace(file, name=_below(run, file.name)) if file.path.startswith((f"{place}/", f"{place}\\")) else file
        for file in span.files
    )
    return replace(span, label=label, files=tuple(files))


def _place(run: RunEntry) -> str:
    """Path that ends in the last component of the run's name: `run.path`, or the folder whose only file that is."""
    return run.path if re.split(r"[/\\]", run.path)[-1] == run.name.rpartition("/")[2] else _LAST.sub("", run.path)


def _below(run: RunEntry, name: str) -> str:
    folder = run.name.rpartition("/")[2]
    return f"{folder}/{name}" if name else folder


def _stem(name: str) -> str:
    matched = JSON_NAME.fullmatch(name)
    return name if matched is None else matched["stem"]
