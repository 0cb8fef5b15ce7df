"""Which runs belong together, and which workers of two runs match, by their names alone. Every suggestion has a reason.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from tb_perfcompare.comparison.pairing.phase_pairs import phase_pairs
from tb_perfcompare.quick_dataclass import dataclass

WORD_PAIRS: tuple[tuple[str, str], ...] = (
    ("normal", "abnormal"),
    ("baseline", "candidate"),
    ("base", "candidate"),
    ("before", "after"),
    ("old", "new"),
    ("good", "bad"),
    ("control", "test"),
    ("ref", "new"),
    ("reference", "new"),
    ("healthy", "faulty"),
    ("fast", "slow"),
    ("正常", "异常"),
    ("a", "b"),
)
"""(baseline word, candidate word), best first. Words are compared without case."""

_WORD = re.compile(r"\d+|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+")
_NUMBER = re.compile(r"\d+")
_ANY = "\0"  # stands for the word or number in which two names differ
_PART = "\1"  # follows a letter that is a part of a word
_ID = "\2"  # stands for a hash or a random id
_UUID = re.compile(r"(?<![^\W_])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![^\W_])")
_TOKEN = re.compile(r"[0-9a-zA-Z]{7,}")
_HEX = re.compile(r"[0-9a-f]+")
_RUN_OF_LIKE = re.compile(r"\d+|[a-z]+")
_SIZES = re.compile(r"(?:[a-z]+\d+)+")
_BATCH = re.compile(r"(?<![a-z])(?:[gm]?bsz?|batch(?:[-_ ]?size)?)[-_=]?(\d+)")


@dataclass(frozen=True, slots=True)
class Selection:
    """One side of a comparison by name. None: every worker of the run, every span of the worker."""

    run: str
    worker: str | None = None
    span: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides and, for a suggestion, why they belong together."""

    baseline: Selection
    candidate: Selection
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RunShape:
    """A run as pairing sees it: its name and (worker, span labels in time order) of each worker."""

    name: str
    workers: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerName:
    """A worker and its rank (None: not known)."""

    name: str
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class WorkerMatch:
    """Two workers that play the same part; `how` is "rank" or "name"."""

    baseline: WorkerName
    candidate: WorkerName
    how: str


@dataclass(frozen=True, slots=True)
class WorkerMatches:
    """Matched workers in the baseline's order, and those left alone on either side."""

    matches: tuple[WorkerMatch, ...]
    only_baseline: tuple[WorkerName, ...]
    only_candidate: tuple[WorkerName, ...]


def suggest_pairs(runs: Sequence[RunShape]) -> tuple[Pair, ...]:
    """Pairs worth comparing, best reason first; the order depends on the names only, not on the order of `runs`.

    1. names that differ only in one word pair (normal/abnormal, ...)
    2. per-cycle tables of one case that were recorded in different phases (phase_pairs.py)
    3. names that differ in one word pair and in numbers such as dates, where only one run bears each word
    4. the only run with the first word in a folder, with each run bearing the second
    5. names that differ only in one number: the smallest with every larger one
    6. the first two spans of one run (an A/A check)

    Hashes and random ids count as equal; names that give two batch sizes are no pair.
    """
    names = sorted({run.name for run in runs}, key=_natural)
    found: dict[frozenset[tuple[str, str | None]], Pair] = {}
    by_name = (*_by_words(names), *_by_phase(runs))
    for pair in (*by_name, *_by_words_and_numbers(names), *_by_folder(names), *_by_number(names)):
        if _may_be_alike(pair.baseline.run, pair.candidate.run):
            found.setdefault(frozenset({(pair.baseline.run, None), (pair.candidate.run, None)}), pair)
    checks = [_span_check(run) for run in sorted(runs, key=lambda run: _natural(run.name))]
    return (*found.values(), *(check for check in checks if check is not None))


def match_workers(baseline: Sequence[WorkerName], candidate: Sequence[WorkerName]) -> WorkerMatches:
    """Workers with the same rank belong together; among the rest, workers of the same name. A rank or name that
    occurs twice on one side matches nothing, because either of the two could be meant."""
    matches: dict[int, WorkerMatch] = {}
    taken: set[int] = set()
    for how in ("rank", "name"):
        left = _unique(baseline, how, skip=matches.keys())
        right = _unique(candidate, how, skip=taken)
        for key, index in left.items():
            if key in right:
                matches[index] = WorkerMatch(baseline[index], candidate[right[key]], how)
                taken.add(right[key])
    return WorkerMatches(
        matches=tuple(matches[index] for index in sorted(matches)),
        only_baseline=tuple(worker for index, worker in enumerate(baseline) if index not in matches),
        only_candidate=tuple(worker for index, worker in enumerate(candidate) if index not in taken),
    )


def _unique(workers: Sequence[WorkerName], how: str, skip: Iterable[int]) -> dict[str | int, int]:
    """Rank or name -> index of the one worker that has it."""
    places: dict[str | int, list[int]] = defaultdict(list)
    skipped = set(skip)
    for index, worker in enumerate(workers):
        key = worker.rank if how == "rank" else worker.name
        if key is not None and index not in skipped:
            places[key].append(index)
    return {key: indexes[0] for key, indexes in places.items() if len(indexes) == 1}


@lru_cache(maxsize=10_000)
def _words(name: str) -> tuple[tuple[str, ...], ...]:
    """Lower-case words of each path component; a capital letter and a change between letters and digits start one."""
    return tuple(tuple(_word(part, found) for found in _WORD.finditer(part)) for part in _without_ids(name).split("/"))


def _word(text: str, found: re.Match[str]) -> str:
    """In lower case; a letter that only a digit or another letter sets off is none that two names may differ in."""
    word = found.group()
    before, after = text[: found.start()][-1:], text[found.end() :][:1]
    whole = not after.isalnum() and (not before.isalnum() or (before.islower() and word.isupper()))
    return word.lower() if len(word) > 1 or whole else word.lower() + _PART


def _without_ids(name: str) -> str:
    """The name with one sign for each hash and random id: they differ without a meaning."""
    return _TOKEN.sub(lambda found: _ID if _is_id(found.group()) else found.group(), _UUID.sub(_ID, name))


def _is_id(token: str) -> bool:
    """Whether it is like `3f9a1c2` or `x7k2p9qd`. Letters followed by numbers, such as `h100x8bs32`, mean something."""
    if not (token.islower() or token.isupper()):
        return False
    token = token.lower()
    changes = len(_RUN_OF_LIKE.findall(token)) - 1
    if _HEX.fullmatch(token):
        return changes >= 2
    return len(token) >= 8 and changes >= 4 and not _SIZES.fullmatch(token)


def _may_be_alike(one: str, other: str) -> bool:
    """Whether no batch size that the names give differs."""
    sizes = [set(map(int, _BATCH.findall(name.lower()))) for name in (one, other)]
    return not all(sizes) or sizes[0] == sizes[1]


def _spots(name: str, word: str, *, blank_numbers: bool = False) -> Iterator[tuple[tuple[str, ...], ...]]:
    """The name's words with one occurrence of `word` blanked, for each occurrence."""
    components = _words(name)
    for depth, component in enumerate(components):
        for position, found in enumerate(component):
            if found != word:
                continue
            copy = [list(part) for part in components]
            copy[depth][position] = _ANY
            if blank_numbers:
                copy = [["#" if part.isdecimal() else part for part in parts] for parts in copy]
            yield tuple(tuple(part) for part in copy)


def _grouped(
    names: Sequence[str], words: tuple[str, str], *, blank_numbers: bool
) -> Iterator[tuple[list[str], list[str]]]:
    """(names with the first word, names with the second) for each surrounding they share."""
    sides: list[dict[tuple[tuple[str, ...], ...], list[str]]] = [defaultdict(list), defaultdict(list)]
    for side, word in zip(sides, words, strict=True):
        for name in names:
            for spot in _spots(name, word, blank_numbers=blank_numbers):
                side[spot].append(name)
    for spot, first in sides[0].items():
        if spot in sides[1]:
            yield first, sides[1][spot]


def _by_words(names: Sequence[str]) -> Iterator[Pair]:
    for words in WORD_PAIRS:
        reason = f"names differ only in {words[0]}/{words[1]}"
        for first, second in _grouped(names, words, blank_numbers=False):
            for left in first:
                yield from (_pair(left, right, reason) for right in second)


def _by_phase(runs: Sequence[RunShape]) -> Iterator[Pair]:
    tables = [(run.name, run.workers[0][0]) for run in runs if len(run.workers) == 1]
    for left, right, reason in phase_pairs(sorted(tables, key=lambda table: _natural(table[0]))):
        yield _pair(left, right, reason)


def _by_words_and_numbers(names: Sequence[str]) -> Iterator[Pair]:
    for words in WORD_PAIRS:
        reason = f"names differ only in {words[0]}/{words[1]} and in numbers"
        for first, second in _grouped(names, words, blank_numbers=True):
            if len(first) == len(second) == 1:
                yield _pair(first[0], second[0], reason)


def _by_folder(names: Sequence[str]) -> Iterator[Pair]:
    folders: dict[str, list[str]] = defaultdict(list)
    for name in names:
        folders[name.rpartition("/")[0]].append(name)
    for words in WORD_PAIRS[:-1]:  # a single letter says too little here
        for members in folders.values():
            last = {name: _words(name)[-1] for name in members}
            first = [name for name in members if words[0] in last[name] and words[1] not in last[name]]
            second = [name for name in members if words[1] in last[name] and words[0] not in last[name]]
            if len(first) == 1:
                reason = f"the only {words[0]} run next to one called {words[1]}"
                yield from (_pair(first[0], name, reason) for name in second)


def _by_number(names: Sequence[str]) -> Iterator[Pair]:
    families: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for name in names:
        text = _without_ids(name)
        for found in _NUMBER.finditer(text):
            around = (text[: found.start()].lower(), text[found.end() :].lower())
            families[around].append((found.group(), name))
    for members in families.values():
        (smallest, first), *rest = sorted(members, key=lambda member: (int(member[0]), member[0], member[1]))
        for number, name in rest:
            if number == smallest:
                continue  # they differ in their ids
            yield _pair(first, name, f"names differ only in a number: {smallest} and {number}")


def _span_check(run: RunShape) -> Pair | None:
    several = [(worker, spans) for worker, spans in run.workers if len(spans) >= 2]
    if not several:
        return None
    name, (first, second, *_) = several[0]
    everywhere = all(first in spans and second in spans for _, spans in run.workers)
    worker = None if everywhere else name
    return Pair(
        Selection(run.name, worker, first),
        Selection(run.name, worker, second),
        f"A/A check: spans {first} and {second} of one run; no real difference is expected",
    )


def _pair(baseline: str, candidate: str, reason: str) -> Pair:
    return Pair(Selection(baseline), Selection(candidate), reason)


def _natural(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Sort key: numbers by value, the rest by letters without case, ties by the name itself."""
    pieces = re.split(r"(\d+)", name.lower())
    return [(1, int(piece), piece) if piece.isdecimal() else (0, 0, piece) for piece in pieces], name
