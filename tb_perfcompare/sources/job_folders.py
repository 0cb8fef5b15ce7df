"""Finds the files and folders of one job by name, for tools that keep one per rank or per profiled iteration.

    iteration_10/rank0_trace.json, iteration_20/rank0_trace.json          torchtitan: spans of one run
    rank_0/trace.json, rank_1/trace.json                                  workers of one run
    1754000001.5-TP-0.trace.json.gz, 1754000001.5-TP-1.trace.json.gz      SGLang
    libkineto_activities_7801.json, libkineto_activities_7802.json        dynolog, or trace_0.json by hand: names that
                                            differ in a number, if the traces state the ranks
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.formats import TRACE
from tb_perfcompare.sources.recognition.format_sniffers import JSON_NAME
from tb_perfcompare.sources.run_entries import RunEntry, SpanEntry, WorkerEntry
from tb_perfcompare.sources.storage.filesystem import FileStat

_RANK = r"(?:rank|tp|dp|pp|ep|cp)[-_]?\d+"
RANKS = rf"{_RANK}(?:[-_]{_RANK})*"
"""Pattern of one rank, or of several along dimensions of the job: TP-0-DP-1."""
_RANKS = regex(rf"(?i)(?:^|(?<=[-_.])){RANKS}(?=$|[-_.])")
_NUMBERED = regex(r"(?P<before>.*?)[-_.]?\d+")
_ENDINGS = regex(r"(?:[-_.]?trace)?$")

_COUNTED = regex(
    r"(?P<lead>(?:.*[-_.])?(?:trace|profile|prof|run|rep|repeat|trial|capture|worker|process|proc|pid)?[-_.]?)\d+", re.I
)
"""A name that ends in a number, alone or after a word that says what is counted."""


def split_by_job(
    files: Iterable[FileStat], stated_rank: Callable[[FileStat], int | None]
) -> tuple[dict[str, dict[str, FileStat]], list[FileStat]]:
    """(common part of a job's file names -> rank text -> file, remaining files). Each job has at least two ranks.
    `stated_rank` returns the rank inside a file, asked of files whose names end in a number."""
    jobs: dict[str, dict[str, FileStat]] = {}
    numbered: dict[str, list[FileStat]] = {}
    others: list[FileStat] = []
    for file in files:
        named = JSON_NAME.fullmatch(file.name)
        stem = "" if named is None else named["stem"]
        rank, number = _RANKS.search(stem), _NUMBERED.fullmatch(stem)
        if rank is not None:
            before, after = stem[: rank.start()], stem[rank.end() :]
            common = _ENDINGS.sub("", before + after.lstrip("-_.")).strip("-_.") or "ranks"
            if jobs.setdefault(common, {}).setdefault(rank[0], file) is not file:
                others.append(file)  # of the same rank: .json and .json.gz
        elif number is not None:
            numbered.setdefault(number["before"] or "ranks", []).append(file)
        else:
            others.append(file)
    for common, alike in numbered.items():
        ranks = {f"rank{stated_rank(file)}": file for file in alike} if len(alike) > 1 else {}
        if len(ranks) == len(alike) and "rankNone" not in ranks and common not in jobs:
            jobs[common] = ranks
        else:
            others += alike
    alone = [name for name, ranks in jobs.items() if len(ranks) < 2 or not are_ranks(ranks)]
    others += [file for name in alone for file in jobs.pop(name).values()]
    return jobs, others


def are_ranks(texts: Iterable[str]) -> bool:
    """Whether the numbers are 0, 1, 2, ... in each dimension: llama_tp1.json and llama_tp2.json are two experiments."""
    dimensions = zip(*(map(int, _NUMBER.findall(text)) for text in texts), strict=False)
    return all(set(column) == set(range(max(column) + 1)) for column in dimensions)


def captures_of_one(files: Iterable[FileStat]) -> dict[str, FileStat]:
    """Stem of the name -> file, if the names count recordings of one program and differ in nothing else: trace_0.json
    and trace_1.json, worker_4711.json and worker_4712.json, but not bs8.json and bs16.json."""
    by_stem = {named["stem"]: file for file in files if (named := JSON_NAME.fullmatch(file.name))}
    leads = {counted["lead"] if (counted := _COUNTED.fullmatch(stem)) else stem for stem in by_stem}
    return by_stem if len(leads) == 1 and len(by_stem) > 1 else {}


_ITERATION = r"(?:iteration|iter|global_?step|step|epoch|cycle)[-_]?\d+"
_BEFORE = r"(?:(?P<before>.+)[-_.])?"
_RANK_NAME = regex(rf"(?i){_BEFORE}(?P<label>{RANKS})")
_ITERATION_NAME = regex(rf"(?i){_BEFORE}(?P<label>{_ITERATION})")
_LAST = regex(r"[/\\][^/\\]+$")
_NUMBER = regex(r"\d+")
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
