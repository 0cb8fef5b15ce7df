"""Joins the nn.Modules of both sides: the number of a module depends on the modules called before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import count, takewhile

from tb_perfcompare.comparison.alignment.renaming import renamed
from tb_perfcompare.model.names.ranges import MODULE_PREFIX, module_class
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.call_tree import CallTree, FrameKey, FrameKind
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.number_text import many

_MODULES = "modules"

MOST_PAIRS = 1_000_000
"""Pairs of siblings up to which equal sequences of classes are searched for: the search tries all pairs of a class,
75 ms for a thousand Linear on either side, 1.2 s for four thousand."""


def join_modules(baseline: Summary, candidate: Summary) -> tuple[Summary, Summary, tuple[Note, ...]]:
    """Returns both sides with modules at the same place under one name, and a note on the number of renamed ones. The
    side with fewer modules keeps its names, so that exchanging the sides exchanges the result."""
    names = {id(side): _modules(side) for side in (baseline, candidate)}
    one, two = sorted((baseline, candidate), key=lambda side: (len(names[id(side)]), names[id(side)]))
    if one.call_tree is None or two.call_tree is None:
        return baseline, candidate, ()
    joins = module_joins(one.call_tree, two.call_tree, names[id(one)], names[id(two)])
    if not joins:
        return baseline, candidate, ()
    matched = len({*joins.values()} & {*names[id(one)]})
    note = Note(NoteCode.ALIKE_NAMES, f"{many(matched, 'nn.Module')} matched despite different numbers", _MODULES)
    sides = [_renamed(side, joins) if side is two else side for side in (baseline, candidate)]
    return sides[0], sides[1], (note,) if matched else ()


def _modules(side: Summary) -> list[str]:
    """All modules of a side, sorted. The call tree lacks those that take little time."""
    table, split = side.groups.get(_MODULES), side.modules
    frames = () if side.call_tree is None else side.call_tree.keys()
    names = set[str]() if table is None else {key[0] for key in table.keys}
    names |= {name.removeprefix(MODULE_PREFIX) for name in side.owned.key if name.startswith(MODULE_PREFIX)}
    names |= set() if split is None else {name for path, *_ in split.keys for name in path.split("/")}
    return sorted(names | {name for kind, _, name in frames if kind == FrameKind.MODULE})


def _renamed(side: Summary, joins: Mapping[str, str]) -> Summary:
    of_functions = {f"{MODULE_PREFIX}{name}": f"{MODULE_PREFIX}{new}" for name, new in joins.items()}
    side = renamed(side, {StepCategory.OTHER: of_functions})
    table, split = side.groups.get(_MODULES), side.modules
    return replace(
        side,
        groups=side.groups if table is None else {**side.groups, _MODULES: _renamed_table(table, joins)},
        modules=None if split is None else _renamed_paths(split, joins),
        call_tree=None if side.call_tree is None else _renamed_tree(side.call_tree, joins),
        call_paths={way: _renamed_tree(tree, joins) for way, tree in side.call_paths.items()},
    )


def _renamed_table(table: GroupTable, joins: Mapping[str, str]) -> GroupTable:
    return replace(table, keys=tuple((joins.get(name, name), *rest) for name, *rest in table.keys))


def _renamed_paths(split: SplitTime, joins: Mapping[str, str]) -> SplitTime:
    """The split, by paths of modules such as "Unet_0/Conv2d_1"."""
    return split.renamed([
        ("/".join(joins.get(name, name) for name in path.split("/")), *rest) for path, *rest in split.keys
    ])  # fmt: skip


def _renamed_tree(tree: CallTree, joins: Mapping[str, str]) -> CallTree:
    return tree.renamed(joins, StepCategory.OTHER, frozenset({FrameKind.MODULE}))


def module_joins(
    one: CallTree, two: CallTree, names_a: Sequence[str], names_b: Sequence[str]
) -> dict[str, str]:  # fmt: skip
    """Module of the second side -> its name on the first, if that differs. Of the modules called by one module, those
    of a class are the same in their order. Others keep their names, or get further numbers if these are taken."""
    if not names_a or not names_b or names_a == names_b:
        return {}
    keys_a, keys_b = one.keys(), two.keys()
    joins: dict[str, str] = {}
    joined = set[str]()
    inner_a, inner_b = _children(one), _children(two)
    waiting = [(0, 0)]
    while waiting:
        at_a, at_b = waiting.pop()
        for place_a, place_b in _same(inner_a[at_a], inner_b[at_b], keys_a, keys_b):
            name_a, name_b = keys_a[place_a][2], keys_b[place_b][2]
            if keys_b[place_b][0] == FrameKind.MODULE and name_a not in joined and name_b not in joins:
                joins[name_b] = name_a
                joined.add(name_a)
            waiting.append((place_a, place_b))
    taken = {*names_a, *names_b} - (joins.keys() - {*names_a})
    for name in sorted(joined & {*names_b} - joins.keys()):
        numbers = (f"{module_class(name)}_{number}" for number in count())
        joins[name] = next(new for new in numbers if new not in taken)
        taken.add(joins[name])
    return {name: new for name, new in joins.items() if name != new}


def _children(tree: CallTree) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in range(len(tree))]
    for frame, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            children[parent].append(frame)
    return children


def _same(
    frames_a: Sequence[int], frames_b: Sequence[int], keys_a: Sequence[FrameKey], keys_b: Sequence[FrameKey]
) -> Iterator[tuple[int, int]]:
    """Yields siblings of both trees that are the same: modules by their classes, others by their keys."""
    others = {keys_b[frame]: frame for frame in frames_b if keys_b[frame][0] != FrameKind.MODULE}
    yield from ((frame, others[keys_a[frame]]) for frame in frames_a if keys_a[frame] in others)
    modules_a, modules_b = (
        [(frame, module_class(keys[frame][2])) for frame in frames if keys[frame][0] == FrameKind.MODULE]
        for frames, keys in ((frames_a, keys_a), (frames_b, keys_b))
    )
    yield from _same_classes(modules_a, modules_b)


def _same_classes(one: list[tuple[int, str]], two: list[tuple[int, str]]) -> Iterator[tuple[int, int]]:
    """Yields (frame, frame) of modules, given with their classes: those in the longest equal sequences of classes, then
    what is left of a class in its order."""
    left_a, left_b = dict(one), dict(two)
    for start_a, start_b, size in _equal_sequences([name for _, name in one], [name for _, name in two]):
        for at in range(size):
            frames = one[start_a + at][0], two[start_b + at][0]
            del left_a[frames[0]], left_b[frames[1]]
            yield frames
    rest_a, rest_b = _by_class(left_a), _by_class(left_b)
    for name, rest in rest_a.items():
        yield from zip(rest, rest_b.get(name, ()), strict=False)


def _by_class(classes: Mapping[int, str]) -> dict[str, list[int]]:
    frames: dict[str, list[int]] = {}
    for frame, name in classes.items():
        frames.setdefault(name, []).append(frame)
    return frames


def _equal_sequences(one: list[str], two: list[str]) -> Sequence[tuple[int, int, int]]:
    """(start, start, length) of equal sequences of classes: the longest, or of very many only the common start and
    end."""
    if len(one) * len(two) <= MOST_PAIRS:
        return SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks()
    start = _common_start(one, two)
    end = _common_start(one[start:][::-1], two[start:][::-1])
    return (0, 0, start), (len(one) - end, len(two) - end, end)


def _common_start(one: Iterable[str], two: Iterable[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
