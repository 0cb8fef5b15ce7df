"""Groups files into jobs by name, for tools other than torch's handler that write one file per rank.

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
"""One rank, or several along dimensions of the job: TP-0-DP-1."""
_ENDINGS = re.compile(r"(?:[-_.]?trace)?$")


def split_by_job(files: Iterable[FileStat]) -> tuple[dict[str, dict[str, FileStat]], list[FileStat]]:
    """(common part of a job's file names -> rank text -> file, remaining files). Each job has at least two ranks."""
    jobs: dict[str, dict[str, FileStat]] = {}
    others: list[FileStat] = []
    for file in files:
        named = JSON_NAME.fullmatch(file.name)
        rank = None if named is None else _RANKS.search(named["stem"])
        if named is None or rank is None:
            others.append(file)
            continue
        before, after = named["stem"][: rank.start()], named["stem"][rank.end() :]
        common = _ENDINGS.sub("", before + after.lstrip("-_.")).strip("-_.") or "ranks"
        ranks = jobs.setdefault(common, {})
        others += [file] if rank[0] in ranks else []  # .json and .json.gz of one rank
        ranks.setdefault(rank[0], file)
    alone = [name for name, ranks in jobs.items() if len(ranks) < 2 or not _are_ranks(ranks)]
    others += [file for name in alone for file in jobs.pop(name).values()]
    return jobs, others


def _are_ranks(texts: Iterable[str]) -> bool:
    """Whether the numbers are 0, 1, 2, ... in each dimension: llama_tp1.json and llama_tp2.json are two experiments."""
    numbers = zip(*(map(int, re.findall(r"\d+", text)) for text in texts), strict=False)
    return all(set(column) == set(range(max(column) + 1)) for column in numbers)
