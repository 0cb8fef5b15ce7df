"""A replaced operator: the calls that are gone, those that came instead, and their time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import field

from tb_perfcompare.comparison.causes.evidence.amounts import Amount, total_by_key
from tb_perfcompare.comparison.ledger.call_tree import Frame
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.names.autograd_names import AUTOGRAD_RANGE, backward_of
from tb_perfcompare.model.names.join_keys import without_library
from tb_perfcompare.model.names.ranges import module_class
from tb_perfcompare.model.summary.call_tree import MIXED, FrameKind
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.quick_dataclass import dataclass

MOVED_CALL_RATIO = 4.0
"""Ratio of calls from which all of their time counts as moved, not only the part by count."""

MAX_AROUND = 4.0
"""Largest change of the own time of the operator around a replacement, relative to the time of the replaced calls."""

STILL = 0.5
"""An operator was only moved if its calls changed at one place, but in total by less than this share of that change."""

_METHOD = regex(r"Optimizer\.\w+#(\w+)\.\w+")


@dataclass(frozen=True, slots=True)
class Place:
    """A frame with those inside, and its number in the tree of each side (None if absent). Siblings are numbered in
    the order in which they first ran."""

    frame: Frame
    number: tuple[int | None, int | None]
    inner: list[Place] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Name without the number of a module's instance."""
        kind, _, name = self.frame.key
        return module_class(name) if kind == FrameKind.MODULE else without_library(name)

    @property
    def recorded_name(self) -> str:
        """Name as recorded, but without the number of a module's instance."""
        kind, _, name = self.frame.key
        return self.name if kind == FrameKind.MODULE else name

    @property
    def more_calls(self) -> float:
        """Calls per step, candidate minus baseline."""
        return self.frame.calls[1] - self.frame.calls[0]

    @property
    def is_backward(self) -> bool:
        """Whether autograd calls it."""
        return bool(backward_of(self.name))

    @property
    def is_module(self) -> bool:
        """Whether it is an nn.Module."""
        return self.frame.key[0] == FrameKind.MODULE

    @property
    def optimizer(self) -> str:
        """The class of the optimizer whose method this is, "" if it is none."""
        method = _METHOD.fullmatch(self.frame.key[2])
        return method[1] if method else ""

    def operators(self) -> Iterator[Place]:
        """Yields the operators that it calls, without those in other operators."""
        for place in self.inner:
            if place.frame.key[0] == FrameKind.OPERATOR:
                yield place
            else:
                yield from place.operators()

    def walk(self) -> Iterator[Place]:
        """Yields this place and all places inside."""
        yield self
        for place in self.inner:
            yield from place.walk()


@dataclass(frozen=True, slots=True)
class Replacement:
    """An operator's replacement, over all its places: what is gone and what came instead. `parent`: the operator
    around them, "" for the step; `around`: its places, in which no other replacement takes more time."""

    parent: str
    went: list[Place]
    came: list[Place]
    around: list[Place] = field(default_factory=list)

    @property
    def all(self) -> list[Place]:
        """All places, gone and new."""
        return [*self.went, *self.came]

    @property
    def optimizers(self) -> tuple[frozenset[str], frozenset[str]] | None:
        """Classes of the optimizers that are gone and new; None if something else was replaced."""
        went, came = classes(self.went), classes(self.came)
        return (went, came) if went and came and went != came else None

    @property
    def is_of_modules(self) -> bool:
        """Whether modules were replaced by modules, whatever autograd calls for them."""
        forward = ([place for place in side if not place.is_backward] for side in (self.went, self.came))
        return all(side and all(place.is_module for place in side) for side in forward)

    @property
    def is_renamed(self) -> bool:
        """Whether modules of another class call the same operators as often."""
        return self.is_of_modules and not any(self.operator_calls().values())

    @property
    def is_backward(self) -> bool:
        """Whether it is one of autograd's functions."""
        return any(all(place.is_backward for place in side) for side in (self.went, self.came))

    @property
    def key(self) -> tuple[frozenset[str], frozenset[str]]:
        """Key under which replacements in several places are the same."""
        return frozenset(place.name for place in self.went), frozenset(one.name for one in self.came)

    def explains(self, unit: int, *, without: Collection[str] = ()) -> dict[tuple[str, str], float]:
        """(category, entity) -> signed microseconds per step, without those of the operators `without`; `unit` is the
        number of ledger integers per microsecond."""
        parts: list[tuple[tuple[str, str], float]] = []
        for top in self.all:
            share = 1.0 if self.optimizers else _share(top.frame)
            for place in top.walk():
                if place.frame.key[2] not in without:
                    parts += _own_change(place, share / unit)
        for place in self.around:
            if place.frame.key[2] in self.changed_around:
                parts += _own_change(place, 1 / unit)
        return total_by_key(parts)

    @property
    def time(self) -> int:
        """Time of the calls that are gone or came, whichever is more, ledger integers per step."""
        return max(sum(place.frame.baseline for place in self.went), sum(place.frame.candidate for place in self.came))

    @property
    def changed_around(self) -> frozenset[str]:
        """Operators around it whose own time changes with the calls: the code between them, or their own instead."""
        own = sum(place.frame.own[1] - place.frame.own[0] for place in self.around)
        places = self.around if abs(own) <= MAX_AROUND * self.time else ()
        return frozenset(place.frame.key[2] for place in places)

    @property
    def moved(self) -> frozenset[str]:
        """Operators inside that are gone in one place and came in another, as often."""
        calls = self.operator_calls()
        inner = [{place.frame.key[2] for top in side for place in top.walk()} for side in (self.went, self.came)]
        return frozenset(name for name in inner[0] & inner[1] if not calls.get(name, 1.0))

    @property
    def is_wrapped(self) -> bool:
        """Whether what is gone (or new) is still called as often, inside another operator: a cast, or a range of
        autograd, which later versions of PyTorch record. One call around many, such as aten::_foreach_add_, is more
        than a wrapper."""
        fewer, more = sorted(sum(abs(place.more_calls) for place in side) for side in (self.went, self.came))
        if more >= MOVED_CALL_RATIO * fewer:
            return False
        net = total_by_key((place.recorded_name, place.more_calls) for top in self.all for place in top.walk())
        names = [{place.name for place in side} for side in (self.went, self.came)]
        return any(
            all(abs(net[place.recorded_name] / place.more_calls) < STILL for place in side)
            or any(f"{AUTOGRAD_RANGE}{name}" in names[1 - at] for name in names[at])
            for at, side in enumerate((self.went, self.came))
        )

    def operator_calls(self) -> dict[str, float]:
        """Operator -> calls per step, candidate minus baseline, including those inside."""
        every = (place for top in self.all for place in top.walk() if place.frame.key[0] == FrameKind.OPERATOR)
        return total_by_key((place.frame.key[2], place.more_calls) for place in every)


def classes(places: Collection[Place]) -> frozenset[str]:
    """Optimizers whose methods these annotations are; empty unless all are."""
    names = frozenset(place.optimizer for place in places)
    return frozenset() if "" in names else names


def _own_change(place: Place, scale: float) -> Iterator[tuple[tuple[str, str], float]]:
    """Yields ((category, entity), change of a place's own time times `scale`), if it is of one category."""
    _, category, name = place.frame.key
    own = place.frame.own[1] - place.frame.own[0]
    if category != MIXED and own:
        yield (CATEGORY_LABELS[category], name), scale * own


def _share(frame: Frame) -> float:
    """Share of a frame's change that is by count; all of it if most calls are new or gone."""
    fewer, more = sorted(frame.calls)
    if more >= MOVED_CALL_RATIO * fewer:
        return 1.0
    delta = frame.candidate - frame.baseline
    return counted_change(frame) / delta if delta else 0.0


def counted_change(frame: Frame) -> float:
    """Part of a frame's change by count, ledger integers per step."""
    return Amount(*frame.calls, frame.baseline, frame.candidate).counted_us
