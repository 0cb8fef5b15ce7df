"""Two scans of one file, each of other stretches of it -> one, in file order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.events import ArgKind, FlowTable, SparseColumn
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.arguments import SLOTS
from tb_perfcompare.sources.gathered import Gathered
from tb_perfcompare.sources.process_layers import OperatorArrows

Rows = tuple[int, int, int]
"""Numbers of events, flows and operator arrows."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """`rows` rows of the second scan, which belong behind the first `behind` rows of the first."""

    behind: Rows
    rows: Rows


def interleaved(first: Gathered, second: Gathered, insertions: Sequence[Insertion]) -> Gathered:
    """Both as one. `insertions` say where the rows of the second belong, in order; metadata are the second's."""
    first = replace(
        first,
        counts=first.counts + second.counts,
        labels=second.labels,
        processes=second.processes,
        threads=second.threads,
        counters=second.counters,
    )
    if not insertions:
        return first
    code_of = _merged_strings(first.strings, second.strings)
    places = {place: lane for lane, place in enumerate(dict.fromkeys(first.places + second.places))}
    lane_of = [np.array([places[place] for place in scan.places], np.int32) for scan in (first, second)]
    events, flows, arrows = (_places_of(insertions, column) for column in range(3))

    def lanes(a: NDArray[np.int32], b: NDArray[np.int32], at: NDArray[np.int64]) -> NDArray[np.int32]:
        return np.insert(_picked(lane_of[0], a), at, _picked(lane_of[1], b))

    return replace(
        first,
        places=tuple(places),
        raw_category=np.insert(first.raw_category, events, code_of[second.raw_category]),
        name=np.insert(first.name, events, code_of[second.name]),
        lane=lanes(first.lane, second.lane, events),
        start_ns=np.insert(first.start_ns, events, second.start_ns),
        dur_ns=np.insert(first.dur_ns, events, second.dur_ns),
        complete=np.insert(first.complete, events, second.complete),
        arguments=tuple(
            _merged(a, _recoded(b, code_of) if column.kind is ArgKind.JSON else b, events)
            for (column, _), a, b in zip(SLOTS, first.arguments, second.arguments, strict=True)
        ),
        flows=FlowTable(
            np.insert(first.flows.is_start, flows, second.flows.is_start),
            np.insert(first.flows.flow_id, flows, second.flows.flow_id),
            np.insert(first.flows.start_ns, flows, second.flows.start_ns),
        ),
        arrows=OperatorArrows(
            np.insert(first.arrows.is_start, arrows, second.arrows.is_start),
            np.insert(first.arrows.number, arrows, second.arrows.number),
            lanes(first.arrows.lane, second.arrows.lane, arrows),
            np.insert(first.arrows.start_ns, arrows, second.arrows.start_ns),
        ),
    )


def _places_of(insertions: Sequence[Insertion], column: int) -> NDArray[np.int64]:
    """(rows of the second scan,) the row of the first before which each stands."""
    behind = np.array([insertion.behind[column] for insertion in insertions], np.int64)
    return np.repeat(behind, [insertion.rows[column] for insertion in insertions])


def _merged_strings(into: StringTable, other: StringTable) -> NDArray[np.int32]:
    """Codes in `into` of the texts of `other`, which are added."""
    return np.array([into.intern(text) for text in other.texts], np.int32)


def _picked(of: NDArray[Any], codes: NDArray[np.int32]) -> NDArray[Any]:
    picked: NDArray[Any] = of[codes]
    return picked


def _recoded(column: SparseColumn, code_of: NDArray[np.int32]) -> SparseColumn:
    return SparseColumn(column.rows, code_of[column.values.astype(np.intp)])


def _merged(first: SparseColumn, second: SparseColumn, at: NDArray[np.int64]) -> SparseColumn:
    """One argument of both scans. A row of the first moves down by what is inserted above it."""
    moved = first.rows + np.searchsorted(at, first.rows, side="right").astype(np.int32)
    inserted = (at[second.rows] + second.rows).astype(np.int32)
    order = np.searchsorted(moved, inserted)
    return SparseColumn(np.insert(moved, order, inserted), np.insert(first.values, order, second.values))
