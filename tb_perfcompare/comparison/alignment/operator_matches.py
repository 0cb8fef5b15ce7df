"""Matches operators of two sides that do the same work, by rules of decreasing certainty
(docs/method/alignment.md#operators)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from tb_perfcompare.comparison.alignment.kernel_matches import (
    ALONE,
    CERTAIN,
    LIKELY,
    SAME,
    WEAK,
    KernelMatch,
    match_kernels,
)
from tb_perfcompare.comparison.alignment.place_tree import NOWHERE, PlaceTree, Side, Work
from tb_perfcompare.model.names.join_keys import without_library
from tb_perfcompare.number_text import listed
from tb_perfcompare.quick_dataclass import dataclass

NO_OPERATOR = "(no operator)"
"""Operator name for work whose operator is not known."""

SAME_PLACE = "same place"
SHAPE = "operator and shape"
PLACE_OTHER_CALLS = "same place, different number of calls"
SHAPE_OTHER_CALLS = "operator and shape, different number of calls"
OTHER_SHAPE = "same place, other shape"
ENCLOSING_SHAPE = "below the same operator and shape"
ENCLOSING_NAME = "below the same operator"
LIBRARY = "another library's operator"
SAME_KERNEL = "same kernel, other operators"
SAME_KERNEL_ALONE = "same kernel, no operator known"

BY_OPERATOR = frozenset({
    SAME_PLACE, SHAPE, PLACE_OTHER_CALLS, SHAPE_OTHER_CALLS, OTHER_SHAPE, ENCLOSING_SHAPE, ENCLOSING_NAME, LIBRARY,
})  # fmt: skip
"""Rules that match operators; the others match kernels whatever launched them, or nothing."""

Key = TypeVar("Key")

_SEVERAL = 3
_WHOLE_MODEL = frozenset({"DataParallel.forward", "DistributedDataParallel.forward"})
"""Wrappers of whole models: running below the same one is no evidence that two operators match."""


@dataclass(frozen=True, slots=True)
class OperatorMatch:
    """Work of both sides below matched operators; one of the sides is empty for ALONE.

    input_shape  "" if not recorded or if it differs within the match; two shapes if the sides' differ
    calls        calls of the operator, over all admitted steps of each side
    """

    operator: str
    input_shape: str
    rule: str
    confidence: str
    calls: tuple[int, int]
    time_ns: tuple[int, int]
    kernels: tuple[KernelMatch, ...]

    @property
    def is_alone(self) -> bool:
        """Whether there is no counterpart on the other side."""
        return self.rule == ALONE


def match_operators(tree: PlaceTree, a: Side, b: Side, units: tuple[int, int]) -> tuple[OperatorMatch, ...]:
    """Matches all work of both sides, each in exactly one match. `units` are the units of work in which the calls of
    each side were counted: an operator is called as often if its calls per unit are equal."""
    matcher = _Matcher(tree, a, b, units)
    matcher.same_place(as_often=True)
    matcher.same_shape(as_often=True)
    matcher.same_place(as_often=False)
    matcher.same_shape(as_often=False)
    matcher.other_shapes()
    matcher.enclosing(matcher.shaped, ENCLOSING_SHAPE, CERTAIN, LIKELY)
    matcher.enclosing(lambda place: (tree.operator[place], ""), ENCLOSING_NAME, LIKELY, WEAK)
    matcher.enclosing(lambda place: (without_library(tree.operator[place]), ""), LIBRARY, LIKELY, WEAK)
    matcher.same_kernel()
    matcher.alone()
    return tuple(matcher.found)


class _Matcher:
    """Applies the rules in turn to the work that is left of each side, by place, in the order in which it first ran."""

    def __init__(self, tree: PlaceTree, a: Side, b: Side, units: tuple[int, int]) -> None:
        self._tree = tree
        self._units = units
        self._calls = (a.calls, b.calls)
        self._left = (dict(a.work), dict(b.work))
        self.found: list[OperatorMatch] = []

    def shaped(self, place: int) -> tuple[str, str] | None:
        """(operator, shape), None if no shape was recorded."""
        shape = self._tree.shape[place]
        return (self._tree.operator[place], shape) if shape else None

    def same_place(self, *, as_often: bool) -> None:
        """Matches the same operator and shape below the same ones, all the way up."""
        rule = SAME_PLACE if as_often else PLACE_OTHER_CALLS
        for place in self._places(0):
            if place in self._left[1] and self._as_often((place,), (place,)) == as_often:
                sure = CERTAIN if self._tree.shape[place] else LIKELY
                self._take((place,), (place,), self._tree.operator[place], self._tree.shape[place], rule, sure)

    def same_shape(self, *, as_often: bool) -> None:
        """Matches the same operator and shape wherever they were called from."""
        groups = self._both(lambda place: (self._tree.operator[place], self._tree.shape[place]))
        for (operator, shape), places_a, places_b in groups:
            if self._as_often(places_a, places_b) != as_often or not (as_often or shape):
                continue
            sure = CERTAIN if shape and as_often else LIKELY
            self._take(places_a, places_b, operator, shape, SHAPE if as_often else SHAPE_OTHER_CALLS, sure)

    def other_shapes(self) -> None:
        """Matches the same operator below the same ones with other shapes, called as often, in their order."""
        for _, group_a, group_b in self._both(lambda place: self._tree.path[place]):
            often: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})
            for side, places in enumerate((group_a, group_b)):
                for place in places:
                    often[side].setdefault(self._per_unit(side, place), []).append(place)
            for number, places_a in often[0].items():
                places_b = often[1].get(number, [])
                if len(places_a) != len(places_b):
                    continue
                for place_a, place_b in zip(places_a, places_b, strict=True):
                    operator, shape = self._tree.operator[place_a], self._shapes(place_a, place_b)
                    self._take((place_a,), (place_b,), operator, shape, OTHER_SHAPE, LIKELY)

    def enclosing(
        self, key_of: Callable[[int], tuple[str, str] | None], rule: str, as_often: str, otherwise: str
    ) -> None:
        """Matches what is left below an operator that both sides have, the innermost first; an operator encloses
        itself."""
        below_a, below_b = self._below(0, key_of), self._below(1, key_of)
        common = [key for key in below_a if key in below_b]
        depth = {
            key: max(self._tree.depth[outer] for _, outer in (*below_a[key], *below_b[key])) for key in common
        }
        for key in sorted(common, key=lambda key: (-depth[key], key)):
            pairs_a, pairs_b = (
                [pair for pair in below[key] if pair[0] in left]
                for below, left in zip((below_a, below_b), self._left, strict=True)
            )
            if not pairs_a or not pairs_b:
                continue
            around = ({outer for _, outer in pairs_a}, {outer for _, outer in pairs_b})
            sure = as_often if self._as_often(*around) else otherwise
            shape = key[1] or self._common_shape(*around)
            places_a, places_b = ([place for place, _ in pairs] for pairs in (pairs_a, pairs_b))
            self._take(places_a, places_b, key[0], shape, rule, sure, around)

    def _below(
        self, side: int, key_of: Callable[[int], tuple[str, str] | None]
    ) -> dict[tuple[str, str], list[tuple[int, int]]]:
        """Key of an operator -> (place of work that is left, the innermost operator of this key around it)."""
        below: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for place in self._places(side):
            around: dict[tuple[str, str], int] = {}
            for outer in self._tree.around(place):
                key = key_of(outer)
                if key is not None and self._tree.operator[outer] not in _WHOLE_MODEL:
                    around.setdefault(key, outer)
            for key, outer in around.items():
                below.setdefault(key, []).append((place, outer))
        return below

    def same_kernel(self) -> None:
        """Matches kernels of the same name whatever launched them, first those whose launcher is unknown."""
        alone = tuple(side.get(NOWHERE, []) for side in self._left)
        self._take_kernels(alone, SAME_KERNEL_ALONE, LIKELY)
        rest = tuple([work for works in side.values() for work in works] for side in self._left)
        self._take_kernels(rest, SAME_KERNEL, WEAK)

    def alone(self) -> None:
        """Adds the rest as matches without a counterpart, by operator and shape."""
        for side in (0, 1):
            groups: dict[tuple[str, str], list[int]] = {}
            for place in self._places(side):
                groups.setdefault((self._tree.operator[place], self._tree.shape[place]), []).append(place)
            for (operator, shape), places in groups.items():
                both: tuple[list[int], list[int]] = (places, []) if side == 0 else ([], places)
                self._take(*both, operator, shape, ALONE, CERTAIN)
            works = self._left[side].pop(NOWHERE, [])
            if works:
                self._add(*((works, []) if side == 0 else ([], works)), NO_OPERATOR, "", ALONE, CERTAIN, (0, 0))

    def _places(self, side: int) -> list[int]:
        return [place for place in self._left[side] if place != NOWHERE]

    def _both(self, key_of: Callable[[int], Key]) -> list[tuple[Key, list[int], list[int]]]:
        groups: tuple[dict[Key, list[int]], dict[Key, list[int]]] = ({}, {})
        for side in (0, 1):
            for place in self._places(side):
                groups[side].setdefault(key_of(place), []).append(place)
        return [(key, places, groups[1][key]) for key, places in groups[0].items() if key in groups[1]]

    def _per_unit(self, side: int, place: int) -> int:
        """Calls per unit of work, times the units of both sides."""
        return self._calls[side].get(place, 0) * self._units[1 - side]

    def _as_often(self, places_a: Iterable[int], places_b: Iterable[int]) -> bool:
        calls_a = sum(self._per_unit(0, place) for place in places_a)
        return calls_a == sum(self._per_unit(1, place) for place in places_b)

    def _shapes(self, x: int, y: int) -> str:
        """Both shapes, in an order that does not depend on the order of the sides."""
        return " / ".join(sorted({self._tree.shape[x], self._tree.shape[y]}))

    def _common_shape(self, places_a: Iterable[int], places_b: Iterable[int]) -> str:
        """The shapes of both sides if each has one, else ""."""
        shapes = [{self._tree.shape[place] for place in places} for places in (places_a, places_b)]
        return " / ".join(sorted({*shapes[0], *shapes[1]})) if max(map(len, shapes)) == 1 else ""

    def _take(
        self, places_a: Iterable[int], places_b: Iterable[int], operator: str, shape: str, rule: str, confidence: str,
        around: tuple[Iterable[int], Iterable[int]] | None = None,
    ) -> None:  # fmt: skip
        """Adds a match of everything left in these places; `around` are the places whose calls count, if others."""
        places = (tuple(places_a), tuple(places_b))
        calls = tuple(
            sum(self._calls[side].get(place, 0) for place in (places if around is None else around)[side])
            for side in (0, 1)
        )
        works = [[work for place in places[side] for work in self._left[side].pop(place)] for side in (0, 1)]
        self._add(works[0], works[1], operator, shape, rule, confidence, (calls[0], calls[1]))

    def _take_kernels(self, works: tuple[list[Work], ...], rule: str, confidence: str) -> None:
        """Matches kernels that both have, grouped by their operators."""
        named: tuple[dict[tuple[str, str], list[Work]], ...] = ({}, {})
        for side in (0, 1):
            for work in works[side]:
                named[side].setdefault((work.category, work.name), []).append(work)
        groups: dict[str, tuple[list[Work], list[Work]]] = {}
        for key, works_of_key in named[0].items():
            if key in named[1]:
                works_a, works_b = groups.setdefault(self._operators((*works_of_key, *named[1][key])), ([], []))
                works_a += works_of_key
                works_b += named[1][key]
        for side in (0, 1):
            self._remove(side, [work for both in groups.values() for work in both[side]])
        for operator, (works_a, works_b) in groups.items():
            self._add(works_a, works_b, operator, "", rule, confidence, (0, 0))

    def _operators(self, works: Iterable[Work]) -> str:
        names = sorted({
            NO_OPERATOR if work.place == NOWHERE else self._tree.operator[work.place] for work in works
        })  # fmt: skip
        return listed(names, _SEVERAL, " / ")

    def _remove(self, side: int, works: Iterable[Work]) -> None:
        gone = set(works)
        for place in {work.place for work in gone}:
            rest = [work for work in self._left[side][place] if work not in gone]
            if rest:
                self._left[side][place] = rest
            else:
                del self._left[side][place]

    def _add(
        self, works_a: list[Work], works_b: list[Work], operator: str, shape: str, rule: str, confidence: str,
        calls: tuple[int, int],
    ) -> None:  # fmt: skip
        ordered = bool(shape) or len({work.place for work in (*works_a, *works_b)}) == 1
        kernels = match_kernels(works_a, works_b, self._units, confidence, ordered=ordered)
        if confidence == LIKELY and self._same_launches(kernels):
            confidence = CERTAIN  # without shapes, equal kernels launched as often are equally certain
        time = (sum(work.time_ns for work in works_a), sum(work.time_ns for work in works_b))
        self.found.append(OperatorMatch(operator, shape, rule, confidence, calls, time, kernels))

    def _same_launches(self, kernels: Iterable[KernelMatch]) -> bool:
        return all(
            match.kind == SAME
            and match.baseline[0].launches * self._units[1] == match.candidate[0].launches * self._units[0]
            for match in kernels
        )
