"""Pools several captures of one side (spans, workers) into one summary; each step is tagged with its capture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from tb_perfcompare.analysis.pooling.pool_parts import pool_memory, pool_splits, pool_trees, pool_work
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.arrays import AnyInts, Floats, Ints
from tb_perfcompare.model.names.kinds import PLAIN, are_by_content
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.call_tree import CallTree
from tb_perfcompare.model.summary.collectives import joined
from tb_perfcompare.model.summary.summary import DeviceFacts, DeviceMetric, DroppedStep, Summary
from tb_perfcompare.model.summary.table_specs import TABLE_SPECS
from tb_perfcompare.model.summary.tables import CounterSeries, GroupTable, OwnedTime, StepTable

Key = TypeVar("Key")


def pool(summaries: Sequence[Summary]) -> Summary:
    """Pools summaries in the given order.

    Raises SelectionError if there are none, or if they have different step windows, metrics or step markers.
    """
    if not summaries:
        raise SelectionError("nothing to compare: no capture was read")
    if len(summaries) == 1:
        return summaries[0]
    first = summaries[0]
    if {(summary.window, summary.metric) for summary in summaries} != {(first.window, first.metric)}:
        raise SelectionError("captures with different step windows or metrics cannot be pooled")
    _check_units(summaries)
    counters, counter_notes = pool_counters(summaries)
    steps = [len(summary.steps) for summary in summaries]
    offsets = np.cumsum([0, *(len(summary.captures) for summary in summaries)])
    # Captures with one step each still give one step per capture.
    return replace(
        first,
        captures=tuple(capture for summary in summaries for capture in summary.captures),
        device=pooled_device(summaries),
        marked=all(summary.marked for summary in summaries),
        steps=_steps(summaries, offsets),
        dropped=tuple(
            DroppedStep(step.capture + int(offset), step.label, step.total_ns, step.reason)
            for summary, offset in zip(summaries, offsets, strict=False)
            for step in summary.dropped
        ),
        other_window=np.concatenate([summary.other_window for summary in summaries]),
        owned=_owned([summary.owned for summary in summaries]),
        modules=pool_splits([summary.modules for summary in summaries], steps),
        work=pool_work([summary.work for summary in summaries], steps),
        call_tree=pool_trees([summary.call_tree for summary in summaries], steps),
        call_paths=_paths(summaries, steps),
        collectives=joined(list(zip([summary.collectives for summary in summaries], steps, strict=True))),
        groups=_groups(summaries, steps),
        device_metrics=pooled_metrics(summaries),
        environment=pooled_environment(summaries),
        recommendations=tuple(dict.fromkeys(text for summary in summaries for text in summary.recommendations)),
        absent=_absent(summaries),
        notes=(*dict.fromkeys(note for summary in summaries for note in summary.notes), *counter_notes),
        bound_ns=_bound(summaries),
        counters=counters,
        memory=pool_memory([summary.memory for summary in summaries], steps, offsets[:-1].tolist()),
        launches=None,  # launches of different captures have no order
    )


def _check_units(summaries: Sequence[Summary]) -> None:
    """Raises SelectionError if captures' steps are delimited by different markers."""
    iterations = [summary.iterations for summary in summaries if summary.marked]
    units = dict.fromkeys(iteration.chosen.asked_as for iteration in iterations if iteration is not None)
    if len(units) > 1:
        raise SelectionError(
            f"steps of some captures are iterations by {' and of others by '.join(units)}",
            hint="choose a marker they share with --step-marker, or one capture with --worker and --span",
        )


def pooled_metrics(summaries: Sequence[Summary]) -> tuple[DeviceMetric, ...]:
    """Figures of all devices, under the names of their captures."""
    return tuple(
        replace(metric, device=f"{summary.captures[0].worker}/{summary.captures[0].span} {metric.device}")
        for summary in summaries
        for metric in summary.device_metrics
    )


def _texts(parts: Sequence[StepTable]) -> tuple[str, ...]:
    """Concatenates texts of steps. A capture without texts gets PLAIN if others have kinds by content, else labels."""
    texts = [text for part in parts for text in part.text]
    if not texts:
        return ()
    plain = are_by_content(texts)
    return tuple(
        text for part in parts for text in part.text or ((PLAIN,) * len(part) if plain else part.label)
    )


def _steps(summaries: Sequence[Summary], offsets: AnyInts) -> StepTable:
    parts = [summary.steps for summary in summaries]
    return StepTable(
        capture=np.concatenate([p.capture + np.int32(o) for p, o in zip(parts, offsets, strict=False)]).astype(
            np.int32
        ),
        label=tuple(label for p in parts for label in p.label),
        start_ns=np.concatenate([p.start_ns for p in parts]),
        total_ns=np.concatenate([p.total_ns for p in parts]),
        launches=np.concatenate([p.launches for p in parts]),
        backlog_ns=np.concatenate([p.backlog_ns for p in parts]),
        text=_texts(parts),
    )


def _owned(parts: Sequence[OwnedTime]) -> OwnedTime:
    keys = [list(zip(part.category.tolist(), part.key, strict=True)) for part in parts]
    index, name, places = _joined_keys([(own, part.name) for own, part in zip(keys, parts, strict=True)])
    return OwnedTime(
        category=np.array([category for category, _ in index], dtype=np.int8),
        key=tuple(key for _, key in index),
        name=name,
        time_ns=_stack([part.time_ns for part in parts], places, len(index)),
        plain_ns=_stack([part.plain_ns for part in parts], places, len(index)),
        calls=_stack([part.calls for part in parts], places, len(index)),
        parts=pool_splits([part.parts for part in parts], [part.time_ns.shape[1] for part in parts]),
    )


def _joined_keys(
    parts: Sequence[tuple[Sequence[Key], Sequence[str]]],
) -> tuple[dict[Key, int], tuple[str, ...], list[Ints]]:
    """Numbers the keys of all parts: (number of each key, name of its first occurrence, number of each part's keys)."""
    names: dict[Key, str] = {}
    for keys, shown in parts:
        for key, name in zip(keys, shown, strict=True):
            names.setdefault(key, name)
    index = {key: number for number, key in enumerate(names)}
    return index, tuple(names.values()), [np.array([index[key] for key in keys], np.int64) for keys, _ in parts]


def _stack(matrices: Sequence[Ints], places: Sequence[Ints], rows: int) -> Ints:
    """Places matrices next to each other, each at its rows; a group that a capture lacks has zeros in its steps."""
    out = np.zeros((rows, sum(matrix.shape[1] for matrix in matrices)), dtype=np.int64)
    at = 0
    for matrix, place in zip(matrices, places, strict=True):
        out[place, at : at + matrix.shape[1]] = matrix
        at += matrix.shape[1]
    return out


def _groups(summaries: Sequence[Summary], steps: Sequence[int]) -> dict[str, GroupTable]:
    names = dict.fromkeys(name for summary in summaries for name in summary.groups)
    return {name: _group([summary.groups.get(name) for summary in summaries], steps) for name in names}


def _paths(summaries: Sequence[Summary], steps: Sequence[int]) -> dict[str, CallTree]:
    """Pools the trees of call paths that every capture has."""
    pooled = {way: pool_trees([own.call_paths.get(way) for own in summaries], steps) for way in summaries[0].call_paths}
    return {way: tree for way, tree in pooled.items() if tree is not None}


def _group(parts: Sequence[GroupTable | None], steps: Sequence[int]) -> GroupTable:
    model = next(part for part in parts if part is not None)
    index, shown, places = _joined_keys([((), ()) if part is None else (part.keys, part.names) for part in parts])
    rows_total = len(index)

    def matrix(pick: Callable[[GroupTable], Ints]) -> Ints:
        empty = [np.zeros((0, count), dtype=np.int64) for count in steps]
        return _stack([pick(p) if p is not None else e for p, e in zip(parts, empty, strict=True)], places, rows_total)

    present = [(part, place) for part, place in zip(parts, places, strict=True) if part is not None]
    low = np.full(rows_total, np.iinfo(np.int64).max)
    high = np.zeros(rows_total, dtype=np.int64)
    for part, place in present:
        if part.min_ns is not None and part.max_ns is not None:
            np.minimum.at(low, place, part.min_ns)
            np.maximum.at(high, place, part.max_ns)
    timed = model.min_ns is not None
    return GroupTable(
        key_columns=model.key_columns,
        keys=tuple(index),
        names=shown,
        calls=matrix(lambda part: part.calls),
        measures_ns={name: matrix(_measure(name)) for name in model.measures_ns},
        min_ns=low if timed else None,
        max_ns=high if timed else None,
        facts=_facts(present, rows_total),
        sampled=all(part.sampled for part, _ in present),
    )


def _measure(name: str) -> Callable[[GroupTable], Ints]:
    return lambda part: part.measures_ns[name]


_SUMMED = frozenset(fact.name for spec in TABLE_SPECS.values() for fact in spec.facts if fact.summed)


def _facts(present: Sequence[tuple[GroupTable, Ints]], rows: int) -> Mapping[str, Floats]:
    out: dict[str, Floats] = {}
    for fact in dict.fromkeys(name for part, _ in present for name in part.facts):
        total, weight = np.zeros(rows), np.zeros(rows)
        for part, place in present:
            if fact not in part.facts:
                continue
            value = part.facts[fact]
            has = np.isfinite(value)
            each = np.ones(len(part)) if fact in _SUMMED else part.measures_ns["total"].sum(axis=1).astype(np.float64)
            total[place[has]] += value[has] * each[has]
            weight[place[has]] += each[has]
        mean = np.divide(total, weight, out=np.full(rows, np.nan), where=weight > 0)
        out[fact] = np.where(weight > 0, total, np.nan) if fact in _SUMMED else mean
    return out


def pooled_environment(summaries: Sequence[Summary]) -> tuple[tuple[str, str], ...]:
    """Setting -> all values that captures name."""
    values: dict[str, dict[str, None]] = {}
    for summary in summaries:
        for name, value in summary.environment:
            values.setdefault(name, {})[value] = None
    return tuple((name, ", ".join(distinct)) for name, distinct in values.items())


def _absent(summaries: Sequence[Summary]) -> dict[str, str]:
    """Tables that every capture lacks, with the first capture's reasons."""
    common = set.intersection(*(set(summary.absent) for summary in summaries))
    return {name: why for name, why in summaries[0].absent.items() if name in common}


def _bound(summaries: Sequence[Summary]) -> dict[str, int]:
    names = dict.fromkeys(name for summary in summaries for name in summary.bound_ns)
    return {name: sum(summary.bound_ns.get(name, 0) for summary in summaries) for name in names}


def counter_units(parts: Sequence[CounterSeries | None]) -> dict[tuple[str, str], str]:
    """Counter -> its unit in the first part that has it."""
    units: dict[tuple[str, str], str] = {}
    for part in parts:
        for key, unit in zip(part.keys, part.units, strict=True) if part is not None else ():
            units.setdefault(key, unit)
    return units


def pool_counters(summaries: Sequence[Summary]) -> tuple[CounterSeries | None, tuple[Note, ...]]:
    """Concatenates counters over the steps of all captures; None if no capture has counters.

    A capture that lacks a counter, or has it in another unit than the first capture (which a note says), has no value
    and no samples in its steps.
    """
    parts = [summary.counters for summary in summaries]
    units = counter_units(parts)
    if not units:
        return None, ()
    rows = {key: row for row, key in enumerate(units)}
    shape = (len(rows), sum(len(summary.steps) for summary in summaries))
    mean, sd = np.full(shape, np.nan), np.full(shape, np.nan)
    coverage, samples = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    notes = []
    start = 0
    for summary, part in zip(summaries, parts, strict=True):
        stop = start + len(summary.steps)
        if part is not None:
            same = [own for own, key in enumerate(part.keys) if part.units[own] == units[key]]
            at = [rows[part.keys[own]] for own in same]
            for total, own in ((mean, part.mean), (sd, part.sd), (coverage, part.coverage), (samples, part.samples)):
                total[at, start:stop] = own[same]
            left_out = [f"{key[0]} of {key[1]}" for own, key in enumerate(part.keys) if own not in set(same)]
            if left_out:
                message = f"in a different unit than in the first capture, so left out: {', '.join(left_out)}"
                notes.append(Note(NoteCode.COUNTERS_UNUSABLE, message, summary.captures[0].file.path))
        start = stop
    return CounterSeries(tuple(units), tuple(units.values()), mean, sd, coverage, samples), tuple(notes)


def pooled_device(summaries: Sequence[Summary]) -> DeviceFacts:
    """Returns kind and word of the first capture with device work, all models, and how many devices worked."""
    devices = [summary.device for summary in summaries]
    names = sorted({device.name for device in devices if device.name})
    busiest: dict[str, int] = {}
    for summary in summaries:
        # Workers have different devices; spans of one worker share them.
        worker = summary.captures[0].worker
        busiest[worker] = max(busiest.get(worker, 0), summary.device.count)
    device = next((each for each in devices if each.count), next((each for each in devices if each.name), devices[0]))
    return replace(device, name=", ".join(names), count=sum(busiest.values()))
