"""Groups files into jobs by name, for tools other than torch's handler that write one file per rank.

    rank0_trace.json, rank1_trace.json                                    torchtitan
    1754000001.5-TP-0.trace.json.gz, 1754000001.5-TP-1.trace.json.gz      SGLang
    libkineto_activities_7801.json, libkineto_activities_7802.json        dynolog, or trace_0.json by hand: names that
                                            differ in a number, if the traces state the ranks
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from tb_perfcompare.sources.recognition.format_sniffers import JSON_NAME
from tb_perfcompare.sources.storage.filesystem import FileStat

_RANK = r"(?:rank|tp|dp|pp|ep|cp)[-_]?\d+"
RANKS = rf"{_RANK}(?:[-_]{_RANK})*"
"""Pattern of one rank, or of several along dimensions of the job: TP-0-DP-1."""
_RANKS = re.compile(rf"(?i)(?:^|(?<=[-_.])){RANKS}(?=$|[-_.])")
_NUMBERED = re.compile(r"(?P<before>.*?)[-_.]?\d+")
_ENDINGS = re.compile(r"(?:[-_.]?trace)?$")

_COUNTED = re.compile(
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


def _ranks_of(text: str) -> tuple[int, ...]:
    """The numbers in a rank text, one for each dimension of the job."""
    return tuple(map(int, re.findall(r"\d+", text)))


def are_ranks(texts: Iterable[str]) -> bool:
    """Whether the numbers are 0, 1, 2, ... in each dimension: llama_tp1.json and llama_tp2.json are two experiments."""
    return all(set(column) == set(range(max(column) + 1)) for column in zip(*map(_ranks_of, texts), strict=False))


def captures_of_one(files: Iterable[FileStat]) -> dict[str, FileStat]:
    """Stem of the name -> file, if the names count recordings of one program and differ in nothing else: trace_0.json
    and trace_1.json, worker_4711.json and worker_4712.json, but not bs8.json and bs16.json."""
    by_stem = {named["stem"]: file for file in files if (named := JSON_NAME.fullmatch(file.name))}
    leads = {counted["lead"] if (counted := _COUNTED.fullmatch(stem)) else stem for stem in by_stem}
    return by_stem if len(leads) == 1 and len(by_stem) > 1 else {}
