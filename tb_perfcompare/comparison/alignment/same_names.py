"""Gives both sides the names under which their rows are joined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from tb_perfcompare.comparison.alignment.renaming import Joins, renamed, renamed_kernels
from tb_perfcompare.comparison.alignment.same_modules import join_modules
from tb_perfcompare.comparison.alignment.truncated_names import join_truncated_names
from tb_perfcompare.comparison.result.wording import many
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.api_calls import JOINED
from tb_perfcompare.model.names.join_keys import alike_key
from tb_perfcompare.model.names.python_frames import lasting_file, python_frame
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.cycles import DEVICE_TYPE, HOST_TYPE, is_device_type
from tb_perfcompare.model.summary.categories import StepCategory
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.vendor import Vendor
from tb_perfcompare.model.vendors import VENDORS

_TABLE, _FUNCTIONS = "kernels", "functions"
_NO_TYPES = frozenset({DEVICE_TYPE, HOST_TYPE})


def join_alike_names(baseline: Summary, candidate: Summary) -> tuple[Summary, Summary, tuple[Note, ...]]:
    """Returns both sides with common names of their kernels, and a note on the number of joined names."""
    joins = alike_names(_kernels(baseline), _kernels(candidate))
    if not joins:
        return baseline, candidate, ()
    pairs = len(set(joins.values()))
    message = f"{many(pairs, 'kernel name')} matched: only numbers or spelling of the build differ"
    note = Note(NoteCode.ALIKE_NAMES, message, _TABLE if _TABLE in baseline.groups else _FUNCTIONS)
    return renamed_kernels(baseline, joins), renamed_kernels(candidate, joins), (note,)


def alike_names(a: list[str], b: list[str]) -> dict[str, str]:
    """Name on a side -> name that both are compared under; unchanged names are left out."""
    if set(a) == set(b):
        return {}
    return {max(pair): min(pair) for pair in _one_to_one(a, b, alike_key, alike_key).values()}


def _kernels(side: Summary) -> list[str]:
    """Names of kernels; of a per-cycle table, names of the functions that run on devices."""
    table, functions = side.groups.get(_TABLE), side.groups.get(_FUNCTIONS)
    if functions is not None:
        return [name for name, kind in functions.keys if is_device_type(kind)]
    return [key[0] for key in table.keys] if table is not None else []


def with_same_names(baseline: Summary, candidate: Summary) -> tuple[Summary, Summary, tuple[Note, ...]]:
    """Returns both sides with all names and types joined, and notes on what was joined."""
    baseline, candidate = _join_function_types(baseline, candidate)
    baseline, candidate, cut = join_truncated_names(baseline, candidate)
    baseline, candidate, alike = join_alike_names(baseline, candidate)
    baseline, candidate, equal = _join_equivalent_names(baseline, candidate)
    baseline, candidate, modules = join_modules(baseline, candidate)
    return baseline, candidate, (*cut, *alike, *equal, *modules)


def _join_function_types(baseline: Summary, candidate: Summary) -> tuple[Summary, Summary]:
    """Returns both sides, with the types of functions that only the other side states.

    A function without a type takes the one that its name has on the other side, on the host or on devices, if there is
    only one.
    """
    a, b = baseline.groups.get(_FUNCTIONS), candidate.groups.get(_FUNCTIONS)
    if a is None or b is None:
        return baseline, candidate
    return _with_types(baseline, a, b), _with_types(candidate, b, a)


def _with_types(side: Summary, own: GroupTable, other: GroupTable) -> Summary:
    types: dict[tuple[str, bool], set[str]] = {}
    for name, kind in other.keys:
        types.setdefault((name, is_device_type(kind)), set()).add(kind)
    present = {*own.keys}
    keys = []
    for name, kind in own.keys:
        there = types.get((name, is_device_type(kind)), set())
        (stated,) = there if len(there) == 1 and kind in _NO_TYPES else (kind,)
        keys.append((name, stated) if (name, stated) not in present else (name, kind))
    if keys == [*own.keys]:
        return side
    return replace(side, groups={**side.groups, _FUNCTIONS: replace(own, keys=tuple(keys))})


_COPY = regex(r"(?P<what>Memcpy \w+|Memset)(?: \(.*\))?", re.DOTALL)
_VENDOR = {vendor.kind: vendor for vendor in VENDORS}

_Meaning = Callable[[str], str | None]
"""Returns what a name means, None if unknown."""


def _join_equivalent_names(baseline: Summary, candidate: Summary) -> tuple[Summary, Summary, tuple[Note, ...]]:
    """Returns both sides with common names, and notes on the number of joined names: of a Python function whose line
    moved, and, on devices of different vendors, of runtime calls and copies.

    Two names are joined if they mean the same and each is on one side only. Several names with one meaning stay
    separate, unless all of them can be paired by their order in the file (docs/method/alignment.md#names).
    """
    sides = baseline, candidate
    joins: dict[StepCategory, Joins] = {}
    frames = moved_frames(*(_names(side, StepCategory.OTHER) for side in sides))
    if frames:
        joins[StepCategory.OTHER] = frames
    vendor_a, vendor_b = (_VENDOR.get(side.device.kind) for side in sides)
    if vendor_a is not None and vendor_b is not None and vendor_a is not vendor_b:
        joins[StepCategory.RUNTIME] = equivalent_calls(
            _names(baseline, StepCategory.RUNTIME), _names(candidate, StepCategory.RUNTIME), vendor_a, vendor_b
        )
        for category in (StepCategory.MEMCPY, StepCategory.MEMSET):
            joins[category] = equivalent_copies(*(_names(side, category) for side in sides))
    joins = {category: names for category, names in joins.items() if names}
    if not joins:
        return baseline, candidate, ()
    return renamed(baseline, joins), renamed(candidate, joins), tuple(_notes(joins))


def moved_frames(a: Iterable[str], b: Iterable[str]) -> Joins:
    """Pairs Python functions of the same file and name whose line differs, `model.py(10): f` and `model.py(12): f`, or
    whose file is generated under a new name in each run, `/tmp/f_*.py(10): f`. Several functions of one name, such as
    methods, are paired in their order in the file, if both sides have all of them."""
    sides: tuple[dict[tuple[str, str], list[tuple[int, str]]], ...] = ({}, {})
    for by_function, names in zip(sides, (a, b), strict=True):
        for name in names:
            frame = python_frame(name)
            if frame is not None:
                by_function.setdefault((lasting_file(frame.file), frame.function), []).append((frame.line, name))
    joins: dict[str, str] = {}
    for (file, function), lines in sides[0].items():
        others = sides[1].get((file, function), [])
        if len(lines) != len(others) or (file.endswith("*.py") and len(lines) > 1):
            continue
        for (line, name), (other, moved) in zip(sorted(lines), sorted(others), strict=True):
            if name != moved:
                line_numbers = str(line) if line == other else "/".join(map(str, sorted((line, other))))
                joins[name] = joins[moved] = f"{file}({line_numbers}): {function}"
    return joins


def equivalent_calls(a: Iterable[str], b: Iterable[str], vendor_a: Vendor, vendor_b: Vendor) -> Joins:
    """Pairs calls of two vendors' runtimes that do the same: `cudaLaunchKernel` and `hipLaunchKernel`."""
    pairs = _one_to_one(a, b, vendor_a.call_of, vendor_b.call_of)
    rest = [{*side} - {*pairs} for side in (a, b)]
    pairs |= _one_to_one(rest[0], rest[1], vendor_a.role_of, vendor_b.role_of)
    return {name: JOINED.join(sorted(pair)) for pair in pairs.values() for name in pair}


def equivalent_copies(a: Iterable[str], b: Iterable[str]) -> Joins:
    """Pairs copies in the same direction, and sets: vendors name the memory on the host differently."""
    pairs = _one_to_one(a, b, _what_is_copied, _what_is_copied)
    return {name: str(_what_is_copied(name)) for name in pairs}


def _what_is_copied(name: str) -> str | None:
    copy = _COPY.fullmatch(name)
    return None if copy is None else copy["what"]


def _one_to_one(a: Iterable[str], b: Iterable[str], of_a: _Meaning, of_b: _Meaning) -> dict[str, tuple[str, str]]:
    """Name -> both names with its meaning, if each side has one such name and they differ."""
    groups: dict[str, tuple[set[str], set[str]]] = {}
    for side, (names, meaning) in enumerate(((a, of_a), (b, of_b))):
        for name in names:
            meant = meaning(name)
            if meant is not None:
                groups.setdefault(meant, (set(), set()))[side].add(name)
    pairs: dict[str, tuple[str, str]] = {}
    for names_a, names_b in groups.values():
        if len(names_a) == len(names_b) == 1 and names_a != names_b:
            pair = (next(iter(names_a)), next(iter(names_b)))
            pairs |= dict.fromkeys(pair, pair)
    return pairs


def _names(side: Summary, category: StepCategory) -> list[str]:
    own = zip(side.owned.category.tolist(), side.owned.key, strict=True)
    return [key for of_category, key in own if of_category == category]


def _notes(joins: Mapping[StepCategory, Joins]) -> Iterable[Note]:
    for category, names in joins.items():
        pairs = len({*names.values()})
        if category is StepCategory.OTHER:
            message = f"{many(pairs, 'Python function')} matched despite different lines or temporary files"
        else:
            nouns = {StepCategory.RUNTIME: "runtime call", StepCategory.MEMCPY: "copy direction"}
            message = f"{many(pairs, nouns.get(category, 'memory set'))} matched that the vendors name differently"
        yield Note(NoteCode.ALIKE_NAMES, message, "ledger")
