"""Replaced operators: others are called below the same parent, after the same preceding call."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain

from tb_perfcompare.comparison.causes.evidence.host_time import MUCH_MORE, call_count_changed
from tb_perfcompare.comparison.causes.evidence.places.replacement import Place, Replacement, classes
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.ledger.call_tree import JointTree, trees_alike
from tb_perfcompare.model.names.autograd_names import backward_of, plain_name
from tb_perfcompare.model.names.work_kinds import VIEWS
from tb_perfcompare.model.summary.call_tree import CallTree, FrameKey, FrameKind

WHOLE_MULTIPLE = 0.05
"""Largest relative deviation of the number of new calls per removed call from a whole number."""

MAX_NAMES = 8
"""If more of the step's own operators than this are gone, the program is another one."""

_CALLED = frozenset({FrameKind.OPERATOR, FrameKind.MODULE})


def replacements(context: RuleContext, usual: float, steady: Callable[[str], bool]) -> list[Replacement]:
    """One replacement for each replaced operator, with its backward pass. `usual`: ratio of the candidate's to the
    baseline's amount of work; `steady`: whether most steps of a side call an operator."""
    tree, trees = context.tree, trees_alike(*context.sides)
    if tree is None or trees is None:
        return []
    candidates, backward = list[Replacement](), list[Place]()
    waiting = [_nest(tree, trees)]
    while waiting:
        parent = waiting.pop()
        candidates += _below(parent, usual, steady, backward)
        waiting += [place for place in parent.inner if _is_common(place, usual)]
    merged: dict[tuple[frozenset[str], frozenset[str]], Replacement] = {}
    for replacement in candidates:
        known = merged.setdefault(replacement.key, replacement)
        if known is not replacement:
            _join(known, replacement)
    joined = _with_same_classes(_with_backward([*merged.values()]))
    found = [one for one in joined if not one.is_wrapped and not one.is_renamed]
    computing = [one for one in found if any(place.frame.key[2] not in VIEWS for place in one.all)]
    for place in backward:
        side = int(place.more_calls > 0)
        if (owner := _owner(place, computing, side)) is not None:
            (owner.went, owner.came)[side].append(place)
    return found


def _nest(tree: JointTree, trees: tuple[CallTree, CallTree]) -> Place:
    """Converts the call tree's walk to nested places."""
    numbers = _numbers(trees[0]), _numbers(trees[1])
    around = [Place(tree.frames[0], (0, 0))]
    for frame in tree.frames[1:]:
        del around[frame.depth :]
        one, two = around[-1].number
        place = Place(frame, (numbers[0].get((one, frame.key)), numbers[1].get((two, frame.key))))
        around[-1].inner.append(place)
        around.append(place)
    return around[0]


def _numbers(tree: CallTree) -> dict[tuple[int | None, FrameKey], int]:
    """(number of the parent frame, key) -> number."""
    return {pair: at for at, pair in enumerate(zip(tree.parent.tolist(), tree.keys(), strict=True))}


def _is_common(place: Place, usual: float) -> bool:
    """Whether both sides call it as often, or in proportion to the work. What is outside of modules is not called."""
    a, b = place.frame.calls
    if not (a and b) or not call_count_changed(a, b):
        return a == b or bool(a and b)
    least, most = sorted((1.0, usual))
    return least / (1 + MUCH_MORE) <= b / a <= most * (1 + MUCH_MORE) and usual != 1.0


def _below(
    parent: Place, usual: float, steady: Callable[[str], bool], backward: list[Place]
) -> Iterator[Replacement]:  # fmt: skip
    """Yields what was replaced among the calls of one parent; adds autograd's functions that changed and replaced
    nothing to `backward`."""
    called = [place for place in parent.inner if place.frame.key[0] in _CALLED and any(place.frame.calls)]
    common = [place for place in called if _is_common(place, usual)]
    changed = [place for place in called if not _is_common(place, usual) and _is_recounted(place, steady)]
    is_step = not any(parent.frame.calls)
    made, alone = list[Replacement](), list[Place]()
    for run in _runs(changed, common):
        went, came = ([place for place in run if sign * place.more_calls > 0] for sign in (-1, 1))
        if went and came and _changed_names(went, came) and _is_done_by(went, came) and _is_done_by(came, went):
            made.append(Replacement("" if is_step else parent.name, went, came))
        else:
            alone += run
    if is_step and any(min(map(len, place.key)) > max(MAX_NAMES, len(common)) for place in made):
        return
    backward += [place for place in alone if place.is_backward]
    if made and not is_step:
        max(made, key=lambda one: one.time).around.append(parent)
    yield from made


def _is_recounted(place: Place, steady: Callable[[str], bool]) -> bool:
    """Whether it is called another number of times, in most steps."""
    kind, _, name = place.frame.key
    return call_count_changed(*place.frame.calls) and (kind == FrameKind.MODULE or steady(name))


def _runs(changed: Iterable[Place], common: Sequence[Place]) -> Iterable[list[Place]]:
    """The changed siblings, those together that first ran after the same common one."""
    order = [
        sorted((number, at) for at, place in enumerate(common) if (number := place.number[side]) is not None)
        for side in (0, 1)
    ]
    runs: dict[int, list[Place]] = {}
    for place in changed:
        runs.setdefault(_preceding_sibling(place, order), []).append(place)
    return chain.from_iterable(map(_without_optimizers, runs.values()))


def _without_optimizers(run: list[Place]) -> Iterator[list[Place]]:
    """Yields methods of optimizers that replace each other apart from what else changed there, such as clipping of
    gradients."""
    methods = [place for place in run if place.optimizer]
    if len({place.more_calls > 0 for place in methods}) > 1:
        yield methods
        run = [place for place in run if not place.optimizer]
    yield run


def _changed_names(went: list[Place], came: list[Place]) -> bool:
    """Whether calls of the removed operators became calls of the added ones: one side lacks some of them, or a whole
    number came for each that is gone."""
    if any(not all(place.frame.calls) for place in (*went, *came)):
        return True
    less, more = sorted(min(abs(place.more_calls) for place in side) for side in (went, came))
    return _is_whole(more / less)


def _is_done_by(places: Collection[Place], others: Collection[Place]) -> bool:
    """Whether others may do the work of methods of an optimizer: those of another one, or an operator that they call,
    on tensors one by one or on all."""
    if not classes(places) or classes(others):
        return True
    works = ({_work(place) for top in side for place in top.walk()} for side in (places, others))
    return bool(frozenset.intersection(*map(frozenset, works)))


def _work(place: Place) -> str:
    return plain_name(place.name.rpartition("::")[2]).removeprefix("foreach")


def _is_whole(ratio: float) -> bool:
    return round(ratio) > 0 and abs(ratio - round(ratio)) <= WHOLE_MULTIPLE * ratio


def _preceding_sibling(place: Place, common: list[list[tuple[int, int]]]) -> int:
    """Index of the common sibling (given per side in order) that first ran just before this place, on the side that
    calls it more often; -1 if none."""
    side = int(place.more_calls > 0)
    own = place.number[side]
    at = 0 if own is None else bisect(common[side], (own,))
    return common[side][at - 1][1] if at else -1


def _with_backward(found: list[Replacement]) -> list[Replacement]:
    """Joins each of autograd's functions to the replacement of the operators it belongs to; functions of no replaced
    operators go with those that are replaced together with them."""
    forward = [replacement for replacement in found if not replacement.is_backward]
    alone = list[Replacement]()
    for one in found:
        if one.is_backward:
            owners = [[_owner(place, forward, side) for place in (one.went, one.came)[side]] for side in (0, 1)]
            known = [of for side in owners for of in side if of is not None]
            if not known:
                alone.append(one)
                continue
            first = max(known, key=lambda of: (sum(of is other for other in known), of.time))
            for side, places in enumerate((one.went, one.came)):
                for place, owner in zip(places, owners[side], strict=True):
                    of = owner or first
                    (of.went, of.came)[side].append(place)
            first.around.extend(one.around)
    return [*forward, *alone]


def _owner(place: Place, forward: Iterable[Replacement], side: int) -> Replacement | None:
    """The replacement of the operators that one of autograd's functions belongs to."""
    return next((of for of in forward if _are_backward_of([place], (of.went, of.came)[side])), None)


def _join(one: Replacement, other: Replacement) -> None:
    """Adds the places of `other` to `one`."""
    one.went.extend(other.went)
    one.came.extend(other.came)
    one.around.extend(other.around)


def _with_same_classes(found: list[Replacement]) -> list[Replacement]:
    """Joins replacements of methods of one class by those of another: another optimizer has its own `step` and
    `zero_grad`."""
    of_classes: dict[tuple[frozenset[str], frozenset[str]], Replacement] = {}
    kept = []
    for one in sorted(found, key=lambda replacement: -replacement.time):
        known = one if one.optimizers is None else of_classes.setdefault(one.optimizers, one)
        if known is one:
            kept.append(one)
        else:
            _join(known, one)
    return [one for one in found if any(one is other for other in kept)]


def _are_backward_of(places: Iterable[Place], of: Iterable[Place]) -> bool:
    """Whether one of autograd's functions is that of an operator in `of`."""
    names = [name for place in places if (name := backward_of(place.name))]
    inside = {plain_name(place.frame.key[2].rpartition("::")[2]) for top in of for place in top.walk()}
    return any(own.startswith(name) for name in names for own in inside)
