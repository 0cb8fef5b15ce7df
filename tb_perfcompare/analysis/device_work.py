"""Tables of device work: kernels, copies and sets, collectives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.compat.tensor_cores import KERNEL_MARKS
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names import kernel_key
from tb_perfcompare.model.summary import GroupTable, StepCategory

Ints = NDArray[np.int64]

TENSOR_CORE_MARKS = (*KERNEL_MARKS, "tensorop", "wgmma", "gmma", "nvjet_", "_mma_", "tcgen05")
"""torch-tb-profiler's name tests and those of architectures after 2021 (Ampere's cutlass names, Hopper, Blackwell)."""


def device_tables(timeline: Timeline, step: Ints, steps: int) -> dict[str, GroupTable]:
    """Tables with at least one row: "kernels", "memcpy" (copies and sets by kind), "communication"."""
    category = timeline.events.category
    chosen = {
        "kernels": ("kernel", category == Category.KERNEL),
        "memcpy": ("memcpy", np.isin(category, (Category.MEMCPY, Category.MEMSET))),
        "communication": ("collective", timeline.role == StepCategory.COMMUNICATION),
    }
    tables = {name: _table(kind, timeline, rows, step, steps) for name, (kind, rows) in chosen.items()}
    return {name: table for name, table in tables.items() if len(table)}


def _table(kind: str, timeline: Timeline, chosen: NDArray[np.bool_], step: Ints, steps: int) -> GroupTable:
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
    groups = len(index)
    flat = group * steps + step[rows]
    low = np.full(groups, np.iinfo(np.int64).max)
    high = np.zeros(groups, dtype=np.int64)
    np.minimum.at(low, group, dur)
    np.maximum.at(high, group, dur)
    facts: dict[str, NDArray[np.float64]] = {}
    if kind == "kernel":
        facts["blocks_per_sm"] = _weighted(timeline, "blocks_per_sm", rows, group, groups)
        facts["occupancy"] = _weighted(timeline, "occupancy", rows, group, groups)
        if timeline.vendor.tensor_cores is None:
            uses = [float(any(mark in key for mark in TENSOR_CORE_MARKS)) for key in index]
            facts["tensor_cores"] = np.array(uses, dtype=np.float64)
    if kind == "memcpy":
        facts["bytes"] = _summed(timeline, "bytes", rows, group, groups)
    return GroupTable(
        kind=kind,
        key_columns=("name",),
        keys=tuple((key,) for key in index),
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
