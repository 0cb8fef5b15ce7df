"""Common tree of the operators of both sides, with the work of each side in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from math import gcd

from tb_perfcompare.model.summary.launch_sites import DeviceWork, place_below
from tb_perfcompare.quick_dataclass import dataclass

NOWHERE = -1
"""Place of work whose operator is not known."""


@dataclass(frozen=True, slots=True)
class Work:
    """Device work of one name in one place, over all admitted steps. `order` is its position among all work of its
    side."""

    category: str
    name: str
    place: int
    launches: int
    time_ns: int
    order: int


@dataclass(slots=True)
class PlaceTree:
    """Places of both sides, numbered; the same place has the same number on both. A place is an operator with an
    input shape in the place `above` (NOWHERE at the top); `path` numbers the chain of names, without shapes."""

    operator: list[str] = field(default_factory=list)
    shape: list[str] = field(default_factory=list)
    above: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    path: list[int] = field(default_factory=list)
    _places: dict[tuple[int, str, str], int] = field(default_factory=dict)
    _paths: dict[tuple[int, str], int] = field(default_factory=dict)

    def add(self, above: int, operator: str, shape: str) -> int:
        """Returns the number of a place, new or known."""
        number = self._places.get((above, operator, shape))
        if number is None:
            number = self._places[above, operator, shape] = len(self.operator)
            around = NOWHERE if above == NOWHERE else self.path[above]
            self.operator.append(operator)
            self.shape.append(shape)
            self.above.append(above)
            self.depth.append(0 if above == NOWHERE else self.depth[above] + 1)
            self.path.append(self._paths.setdefault((around, operator), len(self._paths)))
        return number

    def around(self, place: int) -> list[int]:
        """The place itself and those around it, innermost first."""
        places = []
        while place != NOWHERE:
            places.append(place)
            place = self.above[place]
        return places


@dataclass(frozen=True, slots=True)
class Side:
    """Work of one side by place in the order in which it first ran, and calls by place."""

    work: dict[int, list[Work]]
    calls: dict[int, int]


def has_shapes(work: DeviceWork) -> bool:
    """Whether the recording has input shapes of operators."""
    return any(shape for _, shape, _ in work.operators.keys)


def side_of(work: DeviceWork, tree: PlaceTree, *, shapes: bool) -> Side:
    """Builds the work of a side in the common tree; without `shapes` places differ by names only."""
    keys = list(work.operators.keys)
    row_of = {place_below(above, operator, shape): row for row, (operator, shape, above) in enumerate(keys)}
    number = _numbers(keys, row_of, tree, shapes=shapes)
    calls: dict[int, int] = {}
    for place, count in zip(number, work.operators.totals()[1].tolist(), strict=True):
        calls[place] = calls.get(place, 0) + count
    work_at: dict[int, dict[tuple[str, str], Work]] = {}
    times, launches = (figure.tolist() for figure in work.work.totals())
    for order, (category, name, text) in enumerate(work.work.keys):
        place = number[row_of[text]] if text in row_of else NOWHERE
        here = work_at.setdefault(place, {})
        # places that differ by shape alone may have been merged
        known = here.get((category, name), Work(category, name, place, 0, 0, order))
        sums = known.launches + launches[order], known.time_ns + times[order]
        here[category, name] = Work(category, name, place, *sums, known.order)
    return Side({place: list(here.values()) for place, here in work_at.items()}, calls)


def _numbers(keys: Sequence[tuple[str, ...]], row_of: Mapping[str, int], tree: PlaceTree, *, shapes: bool) -> list[int]:
    """Number of each row's place in the tree, to which places are added from the outermost to the innermost."""
    number: dict[int, int] = {}
    for row in range(len(keys)):
        chain = []
        at: int | None = row
        while at is not None and at not in number:
            chain.append(at)
            at = row_of.get(keys[at][2])
        for inner in reversed(chain):
            operator, shape, above = keys[inner]
            outer = number[row_of[above]] if above in row_of else NOWHERE
            number[inner] = tree.add(outer, operator, shape if shapes else "")
    return [number[row] for row in range(len(keys))]


def units_of_work(a: DeviceWork, b: DeviceWork, steps: tuple[int, int]) -> tuple[int, int]:
    """Units of work of both sides without step markers: the ratio of calls that most operators have, by name; the
    recordings' own steps if two ratios are equally frequent."""
    votes: dict[tuple[int, int], int] = {}
    calls: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for counts, side in zip(calls, (a, b), strict=True):
        for (operator, _, _), number in zip(side.operators.keys, side.operators.totals()[1].tolist(), strict=True):
            counts[operator] = counts.get(operator, 0) + number
    for operator, number in calls[0].items():
        other = calls[1].get(operator, 0)
        if number and other:
            ratio = (number // gcd(number, other), other // gcd(number, other))
            votes[ratio] = votes.get(ratio, 0) + 1
    most_votes = max(votes.values(), default=0)
    most = [ratio for ratio, number in votes.items() if number == most_votes]
    return most[0] if len(most) == 1 else steps
