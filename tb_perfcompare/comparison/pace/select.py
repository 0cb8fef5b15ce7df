"""Selects rows of the same work by identity and number of calls, never by time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork, of_both, rows_by_name
from tb_perfcompare.comparison.pace.rows import WorkRows
from tb_perfcompare.comparison.statistics.between_captures import centers, row_means
from tb_perfcompare.comparison.statistics.samples import Samples, mean_per_observation
from tb_perfcompare.comparison.statistics.uniform_ratio import ratios_are_alike
from tb_perfcompare.comparison.statistics.weights import Work, inside
from tb_perfcompare.comparison.work.call_arguments import other_arguments
from tb_perfcompare.model.arrays import Flags, Floats, each_side
from tb_perfcompare.model.environment import channels_last
from tb_perfcompare.model.input_shapes import NO_TYPES, input_elements, launched_threads, tensor_types
from tb_perfcompare.model.names.collective_names import is_collective_kernel
from tb_perfcompare.model.names.work_kinds import CONVOLUTION, work_kind
from tb_perfcompare.model.summary.groups import GIL_WAITS
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.quick_dataclass import dataclass

Key = tuple[str, str]

ALIKE_CALLS = 0.02
"""Largest relative difference of a row's calls per step between captures of one side."""

OPERATORS, TYPES, KERNELS = "operators_by_shape", "operators_by_type", "kernels_by_launch"
BY_NAME, BY_OPERATOR = "operators", "kernels_by_operator"
_GRID, _ONE_BLOCK = "grid ", "grid [1, 1, 1] "
"""Beginning of a launch of blocks of threads, and of one of a single block."""

MANY_BLOCKS = 0.5
"""Least share of the kernel time in launches of several blocks, whose number follows the size of the inputs (0.87 to
1.00 in recordings)."""

SAME_LAUNCHES = 0.9
"""Share of the kernels of one side, by time and by name, that the other side launches alike and as often. From here on
they show without input shapes that both sides do the same work (1.00 in recordings of equal programs, at most 0.21
with other inputs). By name, too, because long products may have a grid that does not depend on their size."""


@dataclass(frozen=True, slots=True)
class Selected:
    """Rows that are used, and for other rows that both sides have, why they are not: key -> reason."""

    rows: WorkRows
    refused: Mapping[Key, str]


def select(
    table: str, measure: str, sides: tuple[Summary, Summary], samples: tuple[Samples, Samples], *,
    launching: bool = False,
) -> Selected | None:  # fmt: skip
    """Selects rows of `table`, timed by `measure`; None if a side has no such table or no times of single steps.
    `launching`: only operators that launch work of the device on both sides."""
    groups = _sampled_groups(table, measure, sides)
    if groups is None:
        return None
    places = each_side(_index_by_key, groups)
    shared = sorted(places[0].keys() & places[1].keys())
    indices = each_side(lambda side: np.array([side[key] for key in shared], dtype=np.int64), places)
    calls = each_side(lambda group, at, seen: mean_per_observation(group.calls[at], seen), groups, indices, samples)
    against = [_by_calls(calls, [seen.capture for seen in samples])]
    against.append(_by_launch(shared, sides) if table == KERNELS else _by_inputs(shared, sides, samples))
    if launching:
        launch = np.logical_and(*each_side(lambda group, at: _has_device_time(group)[at], groups, indices))
        against.append(["" if launches else "without device work, whose inputs may differ" for launches in launch])
    reasons = [next(filter(None, of_row), "") for of_row in zip(*against, strict=True)]
    times = each_side(
        lambda group, at, seen: mean_per_observation(group.measures_ns[measure][at], seen), groups, indices, samples
    )
    fastest = each_side(lambda group, at: None if group.min_ns is None else group.min_ns[at], groups, indices)
    rows = WorkRows(tuple(shared), calls, times)
    if fastest[0] is not None and fastest[1] is not None:
        rows = replace(rows, fastest_ns=each_side(lambda side: side.astype(np.float64), fastest))
    return _selected(rows, reasons)


def _selected(rows: WorkRows, reasons: Sequence[str]) -> Selected:
    """The rows without a reason against them, and the reasons of the others."""
    refused = {key: reason for key, reason in zip(rows.keys, reasons, strict=True) if reason}
    return Selected(rows.only(np.flatnonzero([not reason for reason in reasons])), refused)


def _sampled_groups(table: str, measure: str, sides: tuple[Summary, Summary]) -> tuple[GroupTable, GroupTable] | None:
    """The table of both sides; None if a side has none, or no times of single steps."""
    one, two = (side.groups.get(table) for side in sides)
    if one is None or two is None:
        return None
    return (one, two) if all(of.sampled and measure in of.measures_ns for of in (one, two)) else None


def operator_table(sides: tuple[Summary, Summary]) -> str:
    """Group table whose operators can be the same work: by input shape if both sides recorded shapes, else by name if
    the launches of the device show that inputs are the same, else ""."""
    if all(OPERATORS in side.groups for side in sides):
        return OPERATORS
    named = all(BY_NAME in side.groups for side in sides)
    return BY_NAME if named and same_launches(sides) >= SAME_LAUNCHES else ""


def host_tables(sides: tuple[Summary, Summary], operators: str) -> tuple[str, ...]:
    """Group tables of operators that may take equally long on the host, best first: `operators`, of the same work, and
    by name with a device, as launching takes as long for inputs of any size."""
    by_name = BY_NAME if all(BY_NAME in side.groups and KERNELS in side.groups for side in sides) else ""
    return tuple(dict.fromkeys(filter(None, (operators, by_name))))


def _has_device_time(group: GroupTable) -> Flags:
    """(r,) whether the device works for the operator itself."""
    device = group.measures_ns.get("device_self")
    return np.zeros(len(group), dtype=np.bool_) if device is None else np.asarray(device.sum(axis=1) > 0)


def same_launches(sides: tuple[Summary, Summary]) -> float:
    """Share of the kernels of one side that the other side launches in the same way (grid and block) and as often: by
    time, or with equal weights for all names of kernels, whichever is lower, of the side where it is higher. 0
    without grids that follow the size of the inputs, as on MLUs, which launch as many tasks as they have clusters; or
    if half of the time is in single blocks, unless all changed alike."""
    groups = [group for side in sides if (group := side.groups.get(KERNELS)) is not None]
    if len(groups) < len(sides) or not (all(map(_follow_sizes, groups)) or _changed_alike(*groups)):
        return 0.0
    places = [{key: row for row, key in enumerate(group.keys)} for group in groups]
    calls = [group.calls.sum(axis=1) / len(side.steps) for group, side in zip(groups, sides, strict=True)]
    by_time, by_name = list[float](), list[float]()
    for here, there in ((0, 1), (1, 0)):
        rows = np.array([places[there].get(key, -1) for key in groups[here].keys], dtype=np.int64)
        as_often = np.append(calls[there], 0.0)[rows] / np.maximum(calls[here], np.finfo(float).tiny)
        alike = np.minimum(as_often, 1.0)
        time = groups[here].measures_ns["total"].sum(axis=1)
        number = dict[str, int]()
        names = [number.setdefault(key[0], len(number)) for key in groups[here].keys]
        of_name = np.bincount(names, weights=calls[here])
        of_names = np.bincount(names, weights=alike * calls[here])[of_name > 0] / of_name[of_name > 0]
        by_time.append(float((alike * time).sum() / max(time.sum(), 1)))
        by_name.append(float(of_names.sum() / max(len(of_names), 1)))
    return min(max(by_time), max(by_name))


def _changed_alike(one: GroupTable, two: GroupTable) -> bool:
    """Whether launches of blocks changed by one ratio: larger inputs lengthen long kernels more than short ones."""
    on_grids = all(any(key[1].startswith(_GRID) for key in group.keys) for group in (one, two))
    return on_grids and ratios_are_alike(one, two)


def _follow_sizes(kernels: GroupTable) -> bool:
    """Whether most of the time is in launches of several blocks."""
    time = kernels.measures_ns["total"].sum(axis=1)
    several = [key[1].startswith(_GRID) and not key[1].startswith(_ONE_BLOCK) for key in kernels.keys]
    return float(time[several].sum()) >= MANY_BLOCKS * float(time.sum()) > 0


def same_inputs(sides: tuple[Summary, Summary]) -> float:
    """Share of the device time below operators (without a device: of the host time) spent on inputs of the same
    shapes, on the side where it is larger. Kernels with equal launches do different work on different inputs."""
    one, two = (work_of_operators(side, OPERATORS) for side in sides)
    return max(inside(one, two), inside(two, one))


def work_of_operators(side: Summary, table: str) -> dict[tuple[str, ...], Work]:
    """Key of a table of operators -> device time below it (without a device: host time) and calls per step."""
    group, steps = side.groups[table], len(side.steps)
    time = group.measures_ns.get("device_self")
    if time is None or not time.any():
        time = group.measures_ns["host_self"]
    rows = zip(group.keys, time.sum(axis=1).tolist(), group.calls.sum(axis=1).tolist(), strict=True)
    return {tuple(key): Work(time / steps, calls / steps) for key, time, calls in rows}


def _index_by_key(group: GroupTable) -> dict[Key, int]:
    return {(key[0], key[1] if len(key) > 1 else ""): at for at, key in enumerate(group.keys)}


def _with_other_types(sides: tuple[Summary, Summary], samples: tuple[Samples, Samples]) -> set[str]:
    """Operators that captures, of either side, call with other types of tensors."""
    types: dict[str, dict[tuple[int, int], set[tuple[str, ...]]]] = {}  # operator -> side and capture -> types
    for number, (side, seen) in enumerate(zip(sides, samples, strict=True)):
        group = side.groups.get(TYPES)
        if group is None:
            continue
        called = centers(mean_per_observation(group.calls, seen), seen.capture, row_means) > 0
        keys = tuple(group.keys)
        for row, capture in zip(*(places.tolist() for places in np.nonzero(called)), strict=True):
            name, listed = keys[row]
            if listed not in NO_TYPES:
                types.setdefault(name, {}).setdefault((number, capture), set()).add(tensor_types(listed))
    return {name for name, of in types.items() if len(set(map(frozenset, of.values()))) > 1}


def _by_calls(calls: Sequence[Floats], captures: Sequence[NDArray[np.int32]]) -> list[str]:
    """Why each row is not used by its calls, "" if it is."""
    missing, varying = np.zeros((2, len(calls[0])), dtype=bool)
    for side, capture in zip(calls, captures, strict=True):
        means = centers(side, capture, row_means)
        low, high = means.min(axis=1, initial=np.inf), means.max(axis=1, initial=0.0)
        missing |= low <= 0
        varying |= high > (1 + ALIKE_CALLS) * low
    return [
        "not in every capture" if gone else "calls per step differ between captures of one side" if vary else ""
        for gone, vary in zip(missing.tolist(), varying.tolist(), strict=True)
    ]


def _by_inputs(
    keys: Sequence[Key], sides: tuple[Summary, Summary], samples: tuple[Samples, Samples]
) -> list[str]:
    """Why each operator is not used by what it is called with or waits for, "" if it is."""
    types = _with_other_types(sides, samples)
    waiting = {key[0] for side in sides if GIL_WAITS in side.groups for key in side.groups[GIL_WAITS].keys}
    # launching takes as long with any arguments or strides
    on_host = not any(side.device.count for side in sides)
    arguments = frozenset(other_arguments(*sides)) if on_host else frozenset[Key]()
    return [
        "other input types" if name in types
        else "waits for Python's GIL" if name in waiting
        else "other arguments" if (name, shapes) in arguments
        else ""
        for name, shapes in keys
    ]  # fmt: skip


def _by_launch(keys: Sequence[Key], sides: tuple[Summary, Summary]) -> list[str]:
    """Why each kernel is not used by what it waits for, or what the operators that launch it are called with, "" if it
    is. Without strides, arguments seldom change how long most kernels of an operator take."""
    called = {name for (name, _), other in other_arguments(*sides).items() if other.has_other_strides}
    groups = (side.groups[BY_OPERATOR] for side in sides if called and BY_OPERATOR in side.groups)
    launched = {key[0] for group in groups for key in group.keys if key[1] in called}
    return [
        "waits for other ranks" if is_collective_kernel(kernel)
        else "other strides of its operator" if kernel in launched else ""
        for kernel, _ in keys
    ]  # fmt: skip


AT_EQUAL_AMOUNT = "at equal amount of work"


def select_at_equal_amount(
    table: str, measure: str, sides: tuple[Summary, Summary], samples: tuple[Samples, Samples], amount: AmountOfWork
) -> Selected | None:
    """Selects rows where the amount of work varies from step to step: operators or kernels by name whose calls and
    sizes are the same function of the amount on both sides, with the time that they take at equal amount. None as for
    `select`."""
    groups = _sampled_groups(table, measure, sides)
    if groups is None:
        return None
    sizes_of = launched_threads if table == KERNELS else input_elements
    a, b = of_both(*each_side(lambda group, seen: rows_by_name(group, measure, seen, sizes_of), groups, samples))
    same = amount.same_work((a.calls, b.calls)) & amount.same_work((a.size, b.size))
    types = _with_other_types(sides, samples) if table != KERNELS else set[str]()
    layout = _other_layout(sides) if table != KERNELS else frozenset[str]()
    reasons = [
        "other calls or sizes at equal amount of work" if not is_same
        else "other input types" if name in types
        else "other memory layout" if name in layout
        else ""
        for name, is_same in zip(a.names, same.tolist(), strict=True)
    ]  # fmt: skip
    keys = tuple((name, AT_EQUAL_AMOUNT) for name in a.names)
    selected = _selected(WorkRows(keys, (a.calls, b.calls), (a.time_ns, b.time_ns)), reasons)
    rows = selected.rows
    at_level = replace(
        rows, calls=amount.at_level(rows.calls), time_ns=amount.at_level(rows.time_ns), amount=amount,
        recorded_ns=rows.time_ns,
    )  # fmt: skip
    return replace(selected, rows=at_level)


def _other_layout(sides: tuple[Summary, Summary]) -> frozenset[str]:
    """Operators on images in channels_last layout on one side only, if convolutions are among them: these decide the
    layout of a network. None with a device, as launching takes as long in any layout."""
    if any(side.device.count for side in sides):
        return frozenset()
    names = channels_last(sides[0].environment) ^ channels_last(sides[1].environment)
    return names if any(work_kind(name) == CONVOLUTION for name in names) else frozenset()
