"""Files of one job by their names: those that tools other than torch's handler write, one for each rank.

    rank0_trace.json, rank1_trace.json                                    torchtitan
    1754000001.5-TP-0.trace.json.gz, 1754000001.5-TP-1.trace.json.gz      SGLang
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tb_perfcompare.sources.recognition.format_sniffers import JSON_NAME
from tb_perfcompare.sources.storage.filesystem import FileStat

_RANK = r"(?:rank|tp|dp|pp|ep|cp)[-_]?\d+"
_RANKS = re.compile(rf"(?i)(?:^|(?<=[-_.])){_RANK}(?:[-_]{_RANK})*(?=$|[-_.])")
"""One rank, or those along several dimensions of the job: TP-0-DP-1."""
_ENDINGS = re.compile(r"(?:[-_.]?trace)?$")

_COUNTED = re.compile(
    r"(?P<lead>(?:.*[-_.])?(?:trace|profile|prof|run|rep|repeat|trial|capture|worker|process|proc|pid)?[-_.]?)\d+", re.I
)
"""A name that ends in a number with a word before it that says what is counted, or none."""


def split_by_job(files: Iterable[FileStat]) -> tuple[dict[str, dict[str, FileStat]], list[FileStat]]:
    """(what the names of a job's files have in common -> its ranks -> file; files of no job of several ranks)."""
    jobs: dict[str, dict[str, FileStat]] = {}
    others: list[FileStat] = []
    for file in files:
        named = JSON_NAME.fullmatch(file.name)
        found = None if named is None else _RANKS.search(named["stem"])
        if named is None or found is None:
            others.append(file)
            continue
        before, after = named["stem"][: found.start()], named["stem"][found.end() :]
        common = _ENDINGS.sub("", before + after.lstrip("-_.")).strip("-_.") or "ranks"
        ranks = jobs.setdefault(common, {})
        others += [file] if found[0] in ranks else []  # .json and .json.gz of one rank
        ranks.setdefault(found[0], file)
    alone = [name for name, ranks in jobs.items() if len(ranks) < 2 or not _are_ranks(ranks)]
    others += [file for name in alone for file in jobs.pop(name).values()]
    return jobs, others


def _are_ranks(texts: Iterable[str]) -> bool:
    """Whether the numbers are 0, 1, 2, ... in each dimension: llama_tp1.json and llama_tp2.json are two experiments."""
    numbers = zip(*(map(int, re.findall(r"\d+", text)) for text in texts), strict=False)
    return all(set(column) == set(range(max(column) + 1)) for column in numbers)


def captures_of_one(files: Iterable[FileStat]) -> dict[str, FileStat]:
    """Name without its ending -> file, if the names count recordings of one program and differ in nothing else:
    trace_0.json and trace_1.json, worker_4711.json and worker_4712.json, but not bs8.json and bs16.json."""
    found = {named["stem"]: file for file in files if (named := JSON_NAME.fullmatch(file.name))}
    leads = {counted["lead"] if (counted := _COUNTED.fullmatch(stem)) else stem for stem in found}
    return found if len(leads) == 1 and len(found) > 1 else {}
