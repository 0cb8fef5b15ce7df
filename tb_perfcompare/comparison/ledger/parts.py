"""The third level of the ledger: an entity by who called it and with which input shape; a gap by what was around it."""

from __future__ import annotations

from collections.abc import Mapping

from tb_perfcompare.comparison.ledger.rows import Total, row_of
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import NOBODY, Summary

LISTED_FRACTION = 1000
"""A part is listed if its change is at least one thousandth of the longer side's step. So the parts of all entities
together are at most a few thousand rows, whatever the recording."""

MOST_LISTED = 20
"""Parts of one entity that are listed; the others stand in one row."""

NO_SHAPE = "(no input shape)"

Entity = tuple[str, str]
Parts = Mapping[str, Total]


def parts_of_sides(
    baseline: Summary, candidate: Summary, factors: tuple[int, int]
) -> tuple[Mapping[Entity, Parts], Mapping[Entity, Parts]]:
    """(category label, entity) -> its parts by name, for each side; empty unless both sides know them. What only one
    side tells, callers or shapes, is left out of the names: it would make all parts differ."""
    splits = [side.owned.parts for side in (baseline, candidate)]
    if splits[0] is None or splits[1] is None:
        return {}, {}
    told = {*splits[0].told} & {*splits[1].told}
    one, two = (
        _parts(split, told, len(side.steps), factor)
        for split, side, factor in zip(splits, (baseline, candidate), factors, strict=True)
        if split is not None
    )
    return one, two


def _parts(split: SplitTime, told: set[str], steps: int, factor: int) -> dict[Entity, dict[str, Total]]:
    out: dict[Entity, dict[str, Total]] = {}
    time, calls = split.totals()
    operators, shaped = "operator" in told, "shape" in told
    for (category, entity, caller, shape), t, c in zip(split.keys, time.tolist(), calls.tolist(), strict=True):
        if entity != NOBODY and not operators:
            caller = ""
        if not shaped:
            shape = ""
        name = f"{caller} {shape}" if caller and shape else caller or shape or NO_SHAPE
        parts = out.setdefault((category, entity), {})
        new = Total(t * factor, c, steps, name)
        parts[name] = parts[name].plus(new) if name in parts else new
    return out


def pairs_of(a: Parts, b: Parts, steps: tuple[int, int]) -> dict[str, tuple[Total, Total]]:
    """Part -> its totals on both sides."""
    none = Total(0, 0, steps[0], ""), Total(0, 0, steps[1], "")
    return {name: (a.get(name, none[0]), b.get(name, none[1])) for name in dict.fromkeys((*a, *b))}


def part_rows(entity: LedgerRow, pairs: Mapping[str, tuple[Total, Total]], step: int) -> list[LedgerRow]:
    """Rows of depth 3 that sum to the entity's, largest |delta| first, ties by name; none for an entity with one part
    or without a part that matters. `step` is the longer side's step in ledger units."""
    if len(pairs) < 2:
        return []
    change = {name: abs(b.time - a.time) for name, (a, b) in pairs.items()}
    if max(change.values()) * LISTED_FRACTION < max(step, 1):
        return []
    ranked = sorted(pairs, key=lambda name: (-change[name], name))
    listed = [name for name in ranked[:MOST_LISTED] if change[name] * LISTED_FRACTION >= max(step, 1)]
    others = ranked[len(listed) :]
    if len(others) == 1:
        listed, others = ranked, []
    rows = [row_of((*entity.path, name), *pairs[name]) for name in listed]
    if others:
        a, b = pairs[others[0]]
        for name in others[1:]:
            a, b = a.plus(pairs[name][0]), b.plus(pairs[name][1])
        path = (*entity.path, f"({len(others)} others)")
        a, b = (Total(side.time, side.calls, side.steps, path[-1]) for side in (a, b))
        rows.append(row_of(path, a, b, [pairs[name] for name in others]))
    return rows
