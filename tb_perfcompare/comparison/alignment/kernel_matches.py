"""Matches kernels below matched operators (docs/method/alignment.md#kernels)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from tb_perfcompare.comparison.alignment.place_tree import Work
from tb_perfcompare.model.names.kernel_names import kernel_function
from tb_perfcompare.model.summary.categories import MEMCPY, MEMSET
from tb_perfcompare.quick_dataclass import dataclass

CERTAIN, LIKELY, WEAK = "certain", "likely", "weak"
CONFIDENCES = (CERTAIN, LIKELY, WEAK)
"""Confidence of a match, highest first."""

SAME, RENAMED, FUSED, SPLIT = "same name", "renamed", "fused", "split"
OTHERS = "same operator, other kernels"
ALONE = "no counterpart"

ONE_BY_ONE = frozenset({SAME, RENAMED, FUSED, SPLIT})
"""Kinds that show which kernel corresponds to which."""

SHARE_APART = 0.05
"""Two sequences of kernels are cut where their cumulated shares of the operator's time are at most this far apart."""

SHARE_RATIO = 2.0
"""Largest ratio between two kernels' shares of their operators' time at which kernels in the same position match."""

MAX_IN_ORDER = 8
"""Number of kernels of one operator and shape up to which their order is meaningful; more are variants of a few."""

_COPIES = frozenset({MEMCPY, MEMSET})


@dataclass(slots=True)
class Run:
    """A kernel of one side: launches and time over all admitted steps."""

    name: str
    launches: int
    time_ns: int


@dataclass(slots=True)
class KernelMatch:
    """Kernels of the baseline and the candidate that do the same; one of the two is empty for ALONE."""

    category: str
    baseline: tuple[Run, ...]
    candidate: tuple[Run, ...]
    kind: str
    confidence: str
    rule: str

    def runs(self, side: int) -> tuple[Run, ...]:
        return self.candidate if side else self.baseline

    def time_ns(self, side: int) -> int:
        return sum(run.time_ns for run in self.runs(side))


def weakest(*confidences: str) -> str:
    """The lowest of these confidences."""
    return max(confidences, key=CONFIDENCES.index)


def match_kernels(
    a: Iterable[Work], b: Iterable[Work], units: tuple[int, int], confidence: str, *, ordered: bool
) -> tuple[KernelMatch, ...]:
    """Matches all kernels of both sides, each in exactly one match.

    units       units of work (steps) in which the launches of each side were counted
    confidence  confidence of the operators' match
    ordered     all calls have one shape, so that the order of the kernels is that of one call
    """
    by_category_a, by_category_b = _by_category(a), _by_category(b)
    matches: list[KernelMatch] = []
    for category in dict.fromkeys((*by_category_a, *by_category_b)):
        runs_a, runs_b = by_category_a.get(category, {}), by_category_b.get(category, {})
        matches += [
            KernelMatch(category, (runs_a[name],), (runs_b[name],), SAME, CERTAIN, "same name")
            for name in runs_a
            if name in runs_b
        ]
        rest_a = [run for name, run in runs_a.items() if name not in runs_b]
        rest_b = [run for name, run in runs_b.items() if name not in runs_a]
        matches += _by_function(category, rest_a, rest_b, confidence)
        matches += _by_position(category, rest_a, rest_b, units, confidence, ordered)
    return tuple(matches)


def _by_category(work: Iterable[Work]) -> dict[str, dict[str, Run]]:
    """Category -> name -> all its work, in the order in which it first ran."""
    by_category: dict[str, dict[str, Run]] = {}
    for launched in sorted(work, key=lambda each: each.order):
        here = by_category.setdefault(launched.category, {})
        if run := here.get(launched.name):
            run.launches += launched.launches
            run.time_ns += launched.time_ns
        else:
            here[launched.name] = Run(launched.name, launched.launches, launched.time_ns)
    return by_category


_function = lru_cache(maxsize=1 << 15)(kernel_function)


def _direction(name: str) -> str:
    """Kind of a copy: `Memcpy DtoH (Device -> Pinned)` and `Memcpy DtoH (Device -> Host)` are the same."""
    return " ".join(name.split()[:2])


def _by_function(category: str, rest_a: list[Run], rest_b: list[Run], confidence: str) -> list[KernelMatch]:
    """Matches kernels of the same function with other template arguments, and removes them from both lists."""
    if max(len(rest_a), len(rest_b)) == 1 or not rest_a or not rest_b:
        return []  # a single kernel left on each side is matched whatever its name
    key_of = _direction if category in _COPIES else _function
    groups_a, groups_b = _grouped(rest_a, key_of), _grouped(rest_b, key_of)
    sure = weakest(confidence, LIKELY)
    both = [key for key in groups_a if key in groups_b]
    matches = [
        KernelMatch(category, tuple(groups_a[key]), tuple(groups_b[key]), RENAMED, sure, "same function")
        for key in both
    ]
    for runs, groups in ((rest_a, groups_a), (rest_b, groups_b)):
        gone = {run.name for key in both for run in groups[key]}
        runs[:] = [run for run in runs if run.name not in gone]
    return matches


def _grouped(runs: Iterable[Run], key_of: Callable[[str], str]) -> dict[str, list[Run]]:
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(key_of(run.name), []).append(run)
    return groups


def _by_position(
    category: str, rest_a: list[Run], rest_b: list[Run], units: tuple[int, int], confidence: str, ordered: bool
) -> list[KernelMatch]:
    """Matches what neither name nor function matched: by position in the operator and share of its time."""
    if not rest_a or not rest_b:
        return [KernelMatch(category, (run,), (), ALONE, confidence, ALONE) for run in rest_a] + [
            KernelMatch(category, (), (run,), ALONE, confidence, ALONE) for run in rest_b
        ]
    if min(len(rest_a), len(rest_b)) == 1:
        kind = _kind(rest_a, rest_b, units)
        sure = confidence if kind == RENAMED and _equally_often(rest_a, rest_b, units) else weakest(confidence, LIKELY)
        return [KernelMatch(category, tuple(rest_a), tuple(rest_b), kind, sure, "the only kernel left on one side")]
    ordered = ordered and max(len(rest_a), len(rest_b)) <= MAX_IN_ORDER
    if len(rest_a) == len(rest_b) and all(
        _equally_often((a,), (b,), units) for a, b in zip(rest_a, rest_b, strict=True)
    ):
        return _matched_in_order(category, rest_a, rest_b, confidence if ordered else WEAK)
    blocks = _blocks(rest_a, rest_b) if ordered else [(rest_a, rest_b)]
    matches = []
    for block_a, block_b in blocks:
        kind = _kind(block_a, block_b, units)
        sure = weakest(confidence, LIKELY) if kind == OTHERS else WEAK
        rule = "the remaining kernels of the operator" if len(blocks) == 1 else "position and share of the time"
        matches.append(KernelMatch(category, tuple(block_a), tuple(block_b), kind, sure, rule))
    return matches


def _matched_in_order(category: str, rest_a: list[Run], rest_b: list[Run], confidence: str) -> list[KernelMatch]:
    """Matches equal numbers of kernels by position, each launched as often as its counterpart."""
    total = tuple(sum(run.time_ns for run in runs) for runs in (rest_a, rest_b))
    matches = []
    for a, b in zip(rest_a, rest_b, strict=True):
        near = a.time_ns * total[1] <= SHARE_RATIO * b.time_ns * total[0]
        near = near and b.time_ns * total[0] <= SHARE_RATIO * a.time_ns * total[1]
        sure = weakest(confidence, LIKELY if near else WEAK)
        matches.append(KernelMatch(category, (a,), (b,), RENAMED, sure, "same position, launched as often"))
    return matches


def _launches(runs: Sequence[Run]) -> int:
    return sum(run.launches for run in runs)


def _equally_often(runs_a: Sequence[Run], runs_b: Sequence[Run], units: tuple[int, int]) -> bool:
    return _launches(runs_a) * units[1] == _launches(runs_b) * units[0]


def _kind(runs_a: Sequence[Run], runs_b: Sequence[Run], units: tuple[int, int]) -> str:
    """Kind of a match. One kernel in place of several with no more launches in total replaces each of them; it is
    not their fusion."""
    if min(len(runs_a), len(runs_b)) > 1:
        return OTHERS
    before, after = _launches(runs_a) * units[1], _launches(runs_b) * units[0]
    if len(runs_a) > 1 and before > after:
        return FUSED
    return SPLIT if len(runs_b) > 1 and after > before else RENAMED


def _blocks(runs_a: list[Run], runs_b: list[Run]) -> list[tuple[list[Run], list[Run]]]:
    """Cuts both sequences where their cumulated shares of the time meet."""
    total = [sum(run.time_ns for run in runs) for runs in (runs_a, runs_b)]
    if not all(total):
        return [(runs_a, runs_b)]
    blocks = []
    i = j = start_i = start_j = 0
    done = [0.0, 0.0]
    while i < len(runs_a) or j < len(runs_b):
        before = tuple(done)
        if i < len(runs_a) and (before[0] <= before[1] or j == len(runs_b)):
            done[0] += runs_a[i].time_ns / total[0]
            i += 1
        if j < len(runs_b) and (before[1] <= before[0] or i == len(runs_a)):
            done[1] += runs_b[j].time_ns / total[1]
            j += 1
        ended = i == len(runs_a) and j == len(runs_b)
        has_both = i > start_i and j > start_j
        # The last cut must leave kernels on both sides.
        if ended or (has_both and i < len(runs_a) and j < len(runs_b) and abs(done[0] - done[1]) <= SHARE_APART):
            blocks.append((runs_a[start_i:i], runs_b[start_j:j]))
            start_i, start_j = i, j
    return blocks
