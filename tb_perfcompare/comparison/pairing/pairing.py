"""Suggests pairs of runs, by names alone. Every suggestion has a reason."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tb_perfcompare.comparison.pairing.run_names import (
    WORD_PAIRS,
    ids,
    ids_are_random,
    is_id,
    may_be_alike,
    numbers,
    without_ids,
    without_times,
    words_of,
)
from tb_perfcompare.model.phases import ABNORMAL, MAX_CHOICES, NORMAL, partners_of
from tb_perfcompare.quick_dataclass import dataclass

_ANY = "\0"  # stands for the word or number in which two names differ


_Named = tuple[str, tuple[str, ...]]
"""A run, and the ids and numbers in its name that may be random."""


@dataclass(frozen=True, slots=True)
class Selection:
    """One side of a comparison by name. None: every worker of the run, every span of the worker."""

    run: str
    worker: str | None = None
    span: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides and, for a suggestion, why they belong together; sent as it is."""

    baseline: Selection
    candidate: Selection
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RunShape:
    """A run as pairing sees it: its name, (worker, span labels in time order) of each worker, the modification time of
    its latest file, 0 if not known, and the workers in time order if each was recorded after the one before."""

    name: str
    workers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    modified: int = 0
    in_turns: tuple[str, ...] = ()


def suggest_pairs(runs: Sequence[RunShape]) -> tuple[Pair, ...]:
    """Pairs worth comparing, best reason first; for one reason by name, whatever the order of `runs`.

    1. names that differ only in one word pair (normal/abnormal, ...)
    2. per-cycle tables of one case that were recorded in different phases
    3. names that differ in one word pair and in numbers such as dates, if only one run has each word
    4. the only run with the first word in a folder, with each run that has the second
    5. names that differ only in one number: the smallest with every larger one
    6. the latest two runs whose names differ only in a hash, a random id or a time: the older with the newer
    7. the two workers of one run that were recorded one after the other
    8. the first two spans of one run (an A/A check)

    Hashes and random ids count as equal in 1, 3 and 5: runs with the same id are paired, else the latest with each
    word or number. Names with different batch sizes or devices are not paired.
    """
    names = sorted({run.name for run in runs}, key=_natural)
    latest_last = sorted(runs, key=lambda run: (run.modified, _natural(run.name)))
    by_runs: dict[frozenset[tuple[str, str | None]], Pair] = {}
    by_time = list(dict.fromkeys(run.name for run in latest_last))
    by_words = (*_by_words(by_time), *_by_phase(runs), *_by_words_and_numbers(names))
    others = (sorted(pairs, key=_by_name) for pairs in (_by_number(by_time), _of_one_name(latest_last)))
    for pair in (*by_words, *_by_folder(names), *itertools.chain.from_iterable(others)):
        if may_be_alike(pair.baseline.run, pair.candidate.run):
            by_runs.setdefault(frozenset({(pair.baseline.run, None), (pair.candidate.run, None)}), pair)
    within = [of(run) for of in (_two_starts, _span_check) for run in sorted(runs, key=lambda run: _natural(run.name))]
    return (*by_runs.values(), *(pair for pair in within if pair is not None))


def _spots(name: str, word: str, *, blank_numbers: bool = False) -> Iterator[tuple[tuple[str, ...], ...]]:
    """The name's words with one occurrence of `word` blanked, for each occurrence."""
    components = words_of(name)
    for depth, component in enumerate(components):
        for position, own in enumerate(component):
            if own != word:
                continue
            copy = [list(part) for part in components]
            copy[depth][position] = _ANY
            if blank_numbers:
                copy = [["#" if part.isdecimal() else part for part in parts] for parts in copy]
            yield tuple(tuple(part) for part in copy)


def _grouped(
    names: Sequence[str], words: tuple[str, str], *, blank_numbers: bool
) -> Iterator[tuple[list[str], list[str]]]:
    """Yields (names with the first word, names with the second) for each remainder of the name that they share."""
    sides: list[dict[tuple[tuple[str, ...], ...], list[str]]] = [defaultdict(list), defaultdict(list)]
    for side, word in zip(sides, words, strict=True):
        for name in names:
            for spot in _spots(name, word, blank_numbers=blank_numbers):
                side[spot].append(name)
    for spot, first in sides[0].items():
        if spot in sides[1]:
            yield first, sides[1][spot]


def _by_words(names: Sequence[str]) -> Iterator[Pair]:
    """Pairs by word; `names` has the latest last."""
    for words in WORD_PAIRS:
        reason = f"names differ only in {words[0]}/{words[1]}"
        pairs: list[Pair] = []
        for first, second in _grouped(names, words, blank_numbers=False):
            sides = ([(name, ids(name)) for name in side] for side in (first, second))
            for left, right, equal in _alike(*sides):
                pairs.append(_pair(left, right, reason if equal else f"{reason}, apart from hashes and random ids"))
        yield from sorted(pairs, key=_by_name)


def _alike(first: Sequence[_Named], second: Sequence[_Named]) -> list[tuple[str, str, bool]]:
    """(one of the first, one of the second, whether they have the same ids): all with the same ids, else the last of
    each if their ids are random."""
    with_ids = {ids: name for name, ids in second}
    same = [(name, with_ids[ids], True) for name, ids in first if ids in with_ids]
    if same or not ids_are_random(first[-1][1], second[-1][1]):
        return same
    return [(first[-1][0], second[-1][0], False)]


def _by_phase(runs: Sequence[RunShape]) -> Iterator[Pair]:
    tables = [(run.name, run.workers[0][0]) for run in runs if len(run.workers) == 1]
    for left, right, reason in _phase_pairs(sorted(tables, key=lambda table: _natural(table[0]))):
        yield _pair(left, right, reason)


def _by_words_and_numbers(names: Sequence[str]) -> Iterator[Pair]:
    for words in WORD_PAIRS:
        reason = f"names differ only in {words[0]}/{words[1]} and in numbers"
        for first, second in _grouped(names, words, blank_numbers=True):
            if len(first) == len(second) == 1 and ids_are_random(ids(first[0]), ids(second[0]), or_numbers=True):
                yield _pair(first[0], second[0], reason)


def _by_folder(names: Sequence[str]) -> Iterator[Pair]:
    folders: dict[str, list[str]] = defaultdict(list)
    for name in names:
        folders[name.rpartition("/")[0]].append(name)
    for words in WORD_PAIRS[:-1]:  # a single letter means too little here
        for members in folders.values():
            last = {name: words_of(name)[-1] for name in members}
            first = [name for name in members if words[0] in last[name] and words[1] not in last[name]]
            second = [name for name in members if words[1] in last[name] and words[0] not in last[name]]
            if len(first) == 1:
                reason = f"the only {words[0]} run next to one called {words[1]}"
                yield from (_pair(first[0], name, reason) for name in second)


def _by_number(names: Sequence[str]) -> Iterator[Pair]:
    """Pairs by number; `names` has the latest last."""
    families: dict[tuple[str, str], dict[str, list[_Named]]] = defaultdict(lambda: defaultdict(list))
    for name in names:
        for number, around, others in numbers(name):
            families[around][number].append((name, others))
    for members in families.values():
        smallest, *larger = sorted(members, key=lambda number: (int(number), number))
        for number in larger:
            reason = f"names differ only in a number: {smallest} and {number}"
            yield from (_pair(left, right, reason) for left, right, _ in _alike(members[smallest], members[number]))


def _of_one_name(latest_last: Sequence[RunShape]) -> Iterator[Pair]:
    reason = "two runs of one name, apart from hashes, random ids and times: the older is the baseline"
    kinds: dict[str, list[RunShape]] = defaultdict(list)
    for run in latest_last:
        kinds[without_ids(without_times(run.name))].append(run)
    for *_, older, newer in (found for found in kinds.values() if len(found) > 1):
        left, right = (ids(without_times(run.name)) for run in (older, newer))
        sure = all(one == other or is_id(one) or is_id(other) for one, other in zip(left, right, strict=True))
        if sure and ids_are_random(left, right) and older.modified < newer.modified:
            yield _pair(older.name, newer.name, reason)


def _two_starts(run: RunShape) -> Pair | None:
    if len(run.in_turns) != 2:  # of more it is unknown which belong together
        return None
    earlier, later = (Selection(run.name, worker) for worker in run.in_turns)
    return Pair(earlier, later, "two programs, one after the other in one directory: the earlier is the baseline")


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


def _by_name(pair: Pair) -> tuple[object, object]:
    return _natural(pair.baseline.run), _natural(pair.candidate.run)


def _natural(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Sort key: numbers by value, the rest by letters without case, ties by the name itself."""
    pieces = re.split(r"(\d+)", name.lower())
    return [(1, int(piece), piece) if piece.isdecimal() else (0, 0, piece) for piece in pieces], name


_FILE = (".csv", ".csv.gz")

_Place = tuple[tuple[str, ...], tuple[str, ...]]
"""Folders above and below the folder of the side."""


def _phase_pairs(runs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yields (normal run, abnormal run, reason) for (run, table) in the order of `runs`; no run twice, and tables
    with the same name are paired first. Tables of one case may differ in the phase: both phases beside decoding. A run
    lies below `normal_perf_data` or `abnormal_perf_data`, its worker bears the name of the table."""
    abnormal = {(place, table): run for place, table, run in reversed(list(_tables(runs, ABNORMAL)))}
    normal = list(_tables(runs, NORMAL))
    taken: set[str] = set()
    for choice in range(MAX_CHOICES):
        for place, table, run in normal:
            partner = _choice(abnormal, place, table, choice)
            if partner is None or run in taken or partner[0] in taken:
                continue
            taken |= {run, partner[0]}
            other = partner[1]
            same = (
                f"the tables {table}" if other == table else f"the table {table} with {other}, as no table has its name"
            )
            yield run, partner[0], f"{same}, in {NORMAL} and {ABNORMAL} of one case"


def _choice(
    abnormal: Mapping[tuple[_Place, str], str], place: _Place, table: str, choice: int
) -> tuple[str, str] | None:
    """(run, table) of the partner with the choice-th possible name, None if there is none."""
    names = list(partners_of(table))
    if choice >= len(names) or (place, names[choice]) not in abnormal:
        return None
    return abnormal[place, names[choice]], names[choice]


def _tables(runs: Sequence[tuple[str, str]], side: str) -> Iterator[tuple[_Place, str, str]]:
    """Yields (place, table, run) of every run in a folder of that side."""
    for run, table in runs:
        parts = run.split("/")
        if side in parts:
            at = parts.index(side)
            below = parts[at + 1 :]
            folders = below[:-1] if below and below[-1].endswith(_FILE) else below
            yield (tuple(parts[:at]), tuple(folders)), table, run
