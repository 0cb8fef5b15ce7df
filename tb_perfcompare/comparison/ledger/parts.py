"""The third level of the ledger: an entity split by caller and input shape; a gap split by its neighbors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tb_perfcompare.comparison.ledger.rows import Total, row_of
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.model.arrays import Flags, Ints
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOTHING_RECORDED
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.text_numbers import JoinedRows, parts_of, rows_of
from tb_perfcompare.quick_dataclass import dataclass

LISTED_FRACTION = 1000
"""A part is listed if its change is at least one thousandth of the longer side's step. So the parts of all entities
together are at most a few thousand rows, whatever the recording."""

MAX_LISTED = 20
"""Number of an entity's parts that are listed; the others share one row."""

NO_SHAPE = "(no input shape)"

Entity = tuple[str, str]
Parts = Mapping[str, Total]


def parts_of_sides(
    baseline: Summary, candidate: Summary, factors: tuple[int, int], entities: JoinedRows,
    calls: tuple[Ints, Ints],
) -> dict[int, tuple[Parts, Parts]]:
    """Row of an entity -> its parts on both sides, by name; for entities with more than one part, or with one whose
    calls changed differently from the entity's. Empty unless both sides have parts. Information on one side only,
    callers or shapes, is left out of the names: it would make all parts differ."""
    splits = [side.owned.parts for side in (baseline, candidate)]
    if splits[0] is None or splits[1] is None:
        return {}
    recorded = {*splits[0].recorded_keys} & {*splits[1].recorded_keys}
    sides = [_numbered(split, recorded, entities) for split in splits if split is not None]
    several = _several(sides[0], sides[1], calls, len(entities.numbers))
    parts_of: dict[int, tuple[dict[str, Total], dict[str, Total]]] = {
        row: ({}, {}) for row in np.flatnonzero(several).tolist()
    }
    texts = entities.numbers.texts()
    both = zip(sides, (len(baseline.steps), len(candidate.steps)), factors, strict=True)
    for side, (cells, steps, factor) in enumerate(both):
        there = np.flatnonzero(several[cells.entity])
        columns = (cells.entity, cells.caller, cells.shape, cells.time, cells.calls)
        for row, caller, shape, time, often in zip(*(column[there].tolist() for column in columns), strict=True):
            name = _name(texts[caller], texts[shape])
            parts = parts_of[row][side]
            new = Total(time * factor, often, steps, name)
            parts[name] = parts[name].plus(new) if name in parts else new
    return dict(parts_of)


def _name(caller: str, shape: str) -> str:
    return f"{caller} {shape}" if caller and shape else caller or shape or NO_SHAPE


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Parts of one side: row of the entity, numbers of the caller's name and of the shape, totals."""

    entity: Ints
    caller: Ints
    shape: Ints
    time: Ints
    calls: Ints


def _numbered(split: SplitTime, recorded: set[str], entities: JoinedRows) -> _Cells:
    numbers = entities.numbers
    category, entity, caller, shape = map(numbers.of, parts_of(split.keys, 4))
    labels = numbers.of(CATEGORY_LABELS)
    nothing, empty = numbers.of((NOTHING_RECORDED, "")).tolist()
    size = len(numbers)
    number = np.full(size, -1, dtype=np.int64)
    number[labels] = np.arange(len(labels))
    if "operator" not in recorded:
        caller = np.where(entity == nothing, caller, empty)
    if "shape" not in recorded:
        shape = np.full(len(shape), empty)
    rows = rows_of(entities, (number[category], entity))
    time, calls = split.totals()
    there = np.flatnonzero(rows >= 0)
    return _Cells(rows[there], caller[there], shape[there], time[there], calls[there])


def _several(a: _Cells, b: _Cells, calls: tuple[Ints, Ints], texts: int) -> Flags:
    """(entities,) whether an entity has more than one part, or one whose calls changed differently from the
    entity's."""
    entity = np.concatenate((a.entity, b.entity))
    code = np.concatenate((a.caller, b.caller)) * texts + np.concatenate((a.shape, b.shape))
    first = np.zeros(len(calls[0]), dtype=np.int64)
    first[entity] = code
    calls_a, calls_b = (
        np.bincount(side.entity, weights=side.calls, minlength=len(first)).astype(np.int64) for side in (a, b)
    )  # fmt: skip
    several: Flags = calls_b * calls[0] != calls_a * calls[1]
    several[entity[code != first[entity]]] = True
    return several


def pairs_of(a: Parts, b: Parts, steps: tuple[int, int]) -> dict[str, tuple[Total, Total]]:
    """Part -> its totals on both sides."""
    none = Total(0, 0, steps[0], ""), Total(0, 0, steps[1], "")
    return {name: (a.get(name, none[0]), b.get(name, none[1])) for name in dict.fromkeys((*a, *b))}


def part_rows(path: Entity, pairs: Mapping[str, tuple[Total, Total]], step: int) -> list[LedgerRow]:
    """Rows of depth 3 that sum to the entity's, largest |delta| first, ties by name; none for an entity with one
    part or without a material part. `step` is the longer side's step in ledger units."""
    if len(pairs) < 2:
        return []
    change = {name: abs(b.time - a.time) for name, (a, b) in pairs.items()}
    if max(change.values()) * LISTED_FRACTION < max(step, 1):
        return []
    ranked = sorted(pairs, key=lambda name: (-change[name], name))
    listed = [name for name in ranked[:MAX_LISTED] if change[name] * LISTED_FRACTION >= max(step, 1)]
    others = ranked[len(listed) :]
    if len(others) == 1:
        listed, others = ranked, []
    rows = [row_of((*path, name), *pairs[name]) for name in listed]
    if others:
        a, b = pairs[others[0]]
        for name in others[1:]:
            a, b = a.plus(pairs[name][0]), b.plus(pairs[name][1])
        rest = (*path, f"({len(others)} others)")
        a, b = (Total(side.time, side.calls, side.steps, rest[-1]) for side in (a, b))
        rows.append(row_of(rest, a, b, [pairs[name] for name in others]))
    return rows
