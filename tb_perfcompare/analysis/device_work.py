"""Tables of device work: kernels, copies and sets, collectives."""

from __future__ import annotations

import contextlib

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.launch_properties import launch_texts
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names import kernel_key, operator_key
from tb_perfcompare.model.summary import GroupTable, StepCategory

Ints = NDArray[np.int64]


def device_tables(timeline: Timeline, step: Ints, steps: int) -> dict[str, GroupTable]:
    """Tables with at least one row: "kernels", "kernels_by_launch" (by name and launch properties), "memcpy" (copies
    and sets by kind), "communication"."""
    category = timeline.events.category
    chosen = {
        "kernels": ("kernel", category == Category.KERNEL),
        "memcpy": ("memcpy", np.isin(category, (Category.MEMCPY, Category.MEMSET))),
        "communication": ("collective", timeline.role == StepCategory.COMMUNICATION),
    }
    tables = {name: _table(kind, timeline, rows, step, steps) for name, (kind, rows) in chosen.items()}
    launch = launch_texts(timeline.events, np.flatnonzero(chosen["kernels"][1] & (step >= 0)))
    if launch is not None:
        tables["kernels_by_launch"] = _table(
            "kernel_by_launch", timeline, category == Category.KERNEL, step, steps, launch
        )
    below = operator_texts(timeline, np.flatnonzero(chosen["kernels"][1] & (step >= 0)))
    if below is not None:
        tables["kernels_by_operator"] = _table(
            "kernel_by_operator", timeline, category == Category.KERNEL, step, steps, below, "operator"
        )
    return {name: table for name, table in tables.items() if len(table)}


def operator_texts(timeline: Timeline, rows: Ints) -> tuple[Ints, tuple[str, ...]] | None:
    """(text number of each row, texts): the operator that launched it, "" for none; None if no row has one."""
    operator = timeline.operator[rows]
    if not (operator >= 0).any():
        return None
    events = timeline.events
    name = np.where(operator >= 0, events.name[np.maximum(operator, 0)], -1)
    distinct, at = np.unique(name, return_inverse=True)
    index: dict[str, int] = {}
    number = [
        index.setdefault(operator_key(events.strings[code]) if code >= 0 else "", len(index))
        for code in distinct.tolist()
    ]
    return np.array(number, dtype=np.int64)[at], tuple(index)


def _table(
    kind: str,
    timeline: Timeline,
    chosen: NDArray[np.bool_],
    step: Ints,
    steps: int,
    launch: tuple[Ints, tuple[str, ...]] | None = None,
    column: str = "launch",
) -> GroupTable:
    """Groups by name; with `launch` (launch_texts, operator_texts) also by what that says of each row."""
    events = timeline.events
    rows = np.flatnonzero(chosen & (step >= 0))
    index: dict[str, int] = {}
    texts = events.strings.texts
    names = np.unique(events.name[rows])
    names = names[np.argsort(events.strings.ranks()[names])]
    table = np.zeros(len(texts), dtype=np.int64)
    raw: list[str] = []
    for name in names.tolist():
        key = kernel_key(texts[name])
        if key not in index:
            index[key] = len(index)
            raw.append(texts[name])
        table[name] = index[key]
    group, dur = table[events.name[rows]], events.dur_ns[rows]
    keys: tuple[tuple[str, ...], ...] = tuple((key,) for key in index)
    if launch is not None:
        code, launches = launch
        pairs, group = np.unique(group * len(launches) + code, return_inverse=True)
        both = [divmod(pair, len(launches)) for pair in pairs.tolist()]
        keys = tuple((*keys[name], launches[at]) for name, at in both)
        raw = [raw[name] for name, _ in both]
    groups = len(keys)
    flat = group * steps + step[rows]
    low = np.full(groups, np.iinfo(np.int64).max)
    high = np.zeros(groups, dtype=np.int64)
    np.minimum.at(low, group, dur)
    np.maximum.at(high, group, dur)
    facts: dict[str, NDArray[np.float64]] = {}
    if kind in ("kernel", "kernel_by_launch"):
        facts["blocks_per_sm"] = _weighted(timeline, "blocks_per_sm", rows, group, groups)
        facts["occupancy"] = _weighted(timeline, "occupancy", rows, group, groups)
        if timeline.vendor.tensor_cores:
            uses = [float(any(mark in key[0] for mark in timeline.vendor.tensor_cores)) for key in keys]
            facts["tensor_cores"] = np.array(uses, dtype=np.float64)
    if kind == "kernel_by_launch":
        facts["registers"] = _weighted_numbers(timeline, "registers", rows, group, groups)
        facts["shared_memory"] = _weighted_numbers(timeline, "shared_memory", rows, group, groups)
    if kind == "memcpy":
        facts["bytes"] = _summed(timeline, "bytes", rows, group, groups)
    return GroupTable(
        kind=kind,
        key_columns=("name",) if launch is None else ("name", column),
        keys=keys,
        names=tuple(raw),
        calls=np.bincount(flat, minlength=groups * steps).reshape(groups, steps).astype(np.int64),
        measures_ns={
            "total": np.bincount(flat, weights=dur, minlength=groups * steps).astype(np.int64).reshape(groups, steps)
        },
        min_ns=low,
        max_ns=high,
        facts=facts,
    )


def _weighted(timeline: Timeline, arg: str, rows: Ints, group: Ints, groups: int) -> NDArray[np.float64]:
    """Duration-weighted mean of an argument over the calls that carry it; NaN where none does."""
    value = np.asarray(timeline.events.arg(arg, np.nan), dtype=np.float64)[rows]
    return _weighted_values(timeline, value, rows, group, groups)


def _weighted_numbers(timeline: Timeline, arg: str, rows: Ints, group: Ints, groups: int) -> NDArray[np.float64]:
    """The same of an argument that is kept as JSON text."""
    text = np.asarray(timeline.events.arg(arg, -1), dtype=np.int64)[rows]
    number = np.full(len(timeline.events.strings) + 1, np.nan)  # the last place is for no text
    for index in np.unique(text[text >= 0]).tolist():
        with contextlib.suppress(ValueError):
            number[index] = float(timeline.events.strings[index])
    return _weighted_values(timeline, number[text], rows, group, groups)


def _weighted_values(
    timeline: Timeline, value: NDArray[np.float64], rows: Ints, group: Ints, groups: int
) -> NDArray[np.float64]:
    has = np.isfinite(value)
    weight = timeline.events.dur_ns[rows][has].astype(np.float64)
    total = np.bincount(group[has], weights=weight, minlength=groups)
    product = np.bincount(group[has], weights=weight * value[has], minlength=groups)
    mean: NDArray[np.float64] = np.divide(product, total, out=np.full(groups, np.nan), where=total > 0)
    return mean


def _summed(timeline: Timeline, arg: str, rows: Ints, group: Ints, groups: int) -> NDArray[np.float64]:
    """Sum of an argument over the calls; NaN where no call carries it."""
    value = np.asarray(timeline.events.arg(arg, -1), dtype=np.float64)[rows]
    has = value >= 0
    total = np.bincount(group[has], weights=value[has], minlength=groups)
    return np.where(np.bincount(group[has], minlength=groups) > 0, total, np.nan)
