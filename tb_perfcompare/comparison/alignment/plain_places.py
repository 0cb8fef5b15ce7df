"""Plain matches: places that both sides have, call as often and launch kernels of the same names from, matched in bulk.

They are most of a long recording. The first rule of the alignment (docs/method/alignment.md#operators) would match
them anyway; here they are found as columns, without an object for each operator or kernel.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from tb_perfcompare.comparison.alignment.kernel_matches import CERTAIN, LIKELY, SAME, KernelMatch, Run
from tb_perfcompare.comparison.alignment.operator_matches import SAME_PLACE, OperatorMatch
from tb_perfcompare.model.arrays import Flags, Ints, Nanoseconds, each_side
from tb_perfcompare.model.summary.launch_sites import OUTSIDE, DeviceWork, place_below
from tb_perfcompare.model.text_numbers import JoinedRows, TextNumbers, at_rows, join_rows
from tb_perfcompare.model.texts import Column
from tb_perfcompare.quick_dataclass import dataclass

MANY = 5_000
"""Number of places or kernels of a side from which this is faster than one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class PlainKernels:
    """k kernels of the same name on both sides, in the order of their operators: those of operator i are start[i] to
    start[i + 1].

    category, name   (k,) texts
    time, launches   of each side, (k,)
    """

    start: Nanoseconds
    category: Column
    name: Column
    time: tuple[Ints, Ints]
    launches: tuple[Ints, Ints]

    def largest(self, number: int, side: int, most: int) -> tuple[list[Run], int]:
        """Kernels of one operator with the most time on a side, equal ones by name, and their total number."""
        stretch = slice(int(self.start[number]), int(self.start[number + 1]))
        time: dict[str, int] = {}
        launches: dict[str, int] = {}
        figures = self.time[side][stretch].tolist(), self.launches[side][stretch].tolist()
        for name, ns, often in zip(self.name[stretch], *figures, strict=True):
            time[name] = time.get(name, 0) + ns
            launches[name] = launches.get(name, 0) + often
        first = heapq.nsmallest(most, time, key=lambda name: (-time[name], name))
        return [Run(name, launches[name], time[name]) for name in first], len(time)


@dataclass(frozen=True, slots=True, eq=False)
class PlainMatches:
    """g matched operators, each for all its plain places, and the kernels below them.

    operator, shape  (g,) numbers of texts
    is_certain       (g,) whether the match is certain, else likely
    time, calls      of each side, (g,)
    """

    numbers: TextNumbers
    operator: Ints
    shape: Ints
    is_certain: Flags
    time: tuple[Ints, Ints]
    calls: tuple[Ints, Ints]
    kernels: PlainKernels

    def __len__(self) -> int:
        return len(self.operator)

    def total_ns(self, side: int) -> int:
        """Time of all kernels of a side."""
        return int(self.time[side].sum())

    def match(self, number: int) -> OperatorMatch:
        """Returns one of the matches as the rules would make it."""
        texts = self.numbers.texts()
        own = self.kernels
        stretch = slice(int(own.start[number]), int(own.start[number + 1]))
        names = own.name[stretch]
        runs_a, runs_b = (
            [
                Run(name, launches, time)
                for name, launches, time in zip(
                    names, own.launches[side][stretch].tolist(), own.time[side][stretch].tolist(), strict=True
                )
            ]
            for side in (0, 1)
        )
        kernels = (
            KernelMatch(category, (x,), (y,), SAME, CERTAIN, SAME)
            for category, x, y in zip(own.category[stretch], runs_a, runs_b, strict=True)
        )
        return OperatorMatch(
            texts[self.operator[number]], texts[self.shape[number]], SAME_PLACE,
            CERTAIN if self.is_certain[number] else LIKELY,
            (int(self.calls[0][number]), int(self.calls[1][number])),
            (int(self.time[0][number]), int(self.time[1][number])),
            tuple(kernels),
        )  # fmt: skip


def plain_matches(
    a: DeviceWork, b: DeviceWork, units: tuple[int, int], numbers: TextNumbers
) -> tuple[PlainMatches, tuple[Flags, Flags]]:
    """Returns (matches, for each side the flags of work rows in none of them). Both sides must have operators."""
    operators = join_rows(numbers, a.operators.keys, b.operators.keys, 3)
    place = _places(operators)
    work = join_rows(numbers, a.work.keys, b.work.keys, 3)
    both = (work.at_a >= 0) & (work.at_b >= 0)
    row_of = np.full(len(numbers), -1, dtype=np.int64)
    row_of[place[place >= 0]] = np.flatnonzero(place >= 0)
    row = row_of[work.parts[2]]
    calls = at_rows(a.operators.totals()[1], operators.at_a), at_rows(b.operators.totals()[1], operators.at_b)
    is_plain = calls[0] * units[1] == calls[1] * units[0]
    is_plain[row[~both & (row >= 0)]] = False
    taken = (row >= 0) & is_plain[row]
    matched = np.flatnonzero(taken)
    remaining = _not_taken(work.at_a[taken], len(a.work)), _not_taken(work.at_b[taken], len(b.work))
    return _grouped(operators, work, row[matched], matched, calls, units, (a, b)), remaining


def _places(operators: JoinedRows) -> Ints:
    """(r,) number of the place of each operator that both sides have, with everything around it; -1 for others."""
    numbers = operators.numbers
    texts = numbers.texts()
    rows = np.flatnonzero((operators.at_a >= 0) & (operators.at_b >= 0))
    parts = (part[rows].tolist() for part in operators.parts)
    made = [
        place_below(texts[above], texts[operator], texts[shape])
        for operator, shape, above in zip(*parts, strict=True)
    ]  # fmt: skip
    place, above = numbers.of(made), operators.parts[2][rows]
    reachable = above == numbers.of((OUTSIDE,))[0]
    while True:
        there = np.zeros(len(numbers), dtype=bool)
        there[place[reachable]] = True
        more = reachable | there[above]
        if np.array_equal(more, reachable):
            break
        reachable = more
    places = np.full(len(operators), -1, dtype=np.int64)
    places[rows[reachable]] = place[reachable]
    return places


def _grouped(
    operators: JoinedRows, work: JoinedRows, row: Ints, plain: Ints, calls: Sequence[Ints], units: tuple[int, int],
    sides: tuple[DeviceWork, DeviceWork],
) -> PlainMatches:  # fmt: skip
    """Groups plain rows of the work into matches; `row` is the operator of each."""
    numbers = operators.numbers
    code = operators.parts[0][row] * len(numbers) + operators.parts[1][row]
    group_code, group = np.unique(code, return_inverse=True)
    group = group.reshape(-1)
    order = np.argsort(group, kind="stable")
    size = len(group_code)
    totals, rows_of_sides = [side.work.totals() for side in sides], (work.at_a[plain], work.at_b[plain])
    time, launches = (
        each_side(lambda total, rows, figure=figure: total[figure][rows], totals, rows_of_sides) for figure in (0, 1)
    )
    alike = np.ones(size, dtype=bool)
    alike[group[launches[0] * units[1] != launches[1] * units[0]]] = False
    shape = group_code % len(numbers)
    owners, first = np.unique(row, return_index=True)
    return PlainMatches(
        numbers, group_code // len(numbers), shape, alike | (shape != numbers.of(("",))[0]),
        each_side(lambda own: _sums_by_group(group, own, size), time),
        each_side(lambda own: _sums_by_group(group[first], own[owners], size), calls),
        PlainKernels(
            np.searchsorted(group[order], np.arange(size + 1)),
            numbers.column(work.parts[0][plain][order]), numbers.column(work.parts[1][plain][order]),
            each_side(lambda own: own[order], time), each_side(lambda own: own[order], launches),
        ),
    )  # fmt: skip


def _not_taken(taken: Ints, count: int) -> Flags:
    remaining = np.ones(count, dtype=bool)
    remaining[taken] = False
    return remaining


def _sums_by_group(group: Ints, values: Ints, size: int) -> Ints:
    out = np.zeros(size, dtype=np.int64)
    np.add.at(out, group, values)
    return out
