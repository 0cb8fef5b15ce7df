"""Merges two scans of different parts of one file, in file order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Ints, Ints32
from tb_perfcompare.model.events import ArgKind, FlowTable, SparseColumn
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.trace.columns.arguments import SLOTS
from tb_perfcompare.sources.trace.columns.assemble_columns import Gathered
from tb_perfcompare.sources.trace.columns.process_layers import OperatorArrows

Rows = tuple[int, int, int]
"""Numbers of rows of events, flows and operator arrows."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """`rows` rows of the second scan, which belong after the first `behind` rows of the first scan."""

    behind: Rows
    rows: Rows


def interleaved(first: Gathered, second: Gathered, insertions: Sequence[Insertion]) -> Gathered:
    """Merges both scans.

    `insertions` are the positions of the second scan's rows, in order; metadata are the second's.
    """
    first = replace(
        first,
        counts=first.counts + second.counts,
        process_labels=second.process_labels,
        process_names=second.process_names,
        thread_names=second.thread_names,
        counters=second.counters,
        ranges=second.ranges,
    )
    if not insertions:
        return first
    code_of = np.array([first.strings.intern(text) for text in second.strings.texts], np.int32)
    places = {place: lane for lane, place in enumerate(dict.fromkeys(first.places + second.places))}
    lane_of = [np.array([places[place] for place in scan.places], np.int32) for scan in (first, second)]
    events, flows, arrows = (_Splice(insertions, column) for column in range(3))

    def lanes(a: Ints32, b: Ints32, splice: _Splice) -> Ints32:
        same = np.array_equal(lane_of[0], np.arange(len(lane_of[0])))
        return splice(a if same else _picked(lane_of[0], a), _picked(lane_of[1], b))

    return replace(
        first,
        places=tuple(places),
        raw_category=events(first.raw_category, code_of[second.raw_category]),
        name=events(first.name, code_of[second.name]),
        lane=lanes(first.lane, second.lane, events),
        start_ns=events(first.start_ns, second.start_ns),
        dur_ns=events(first.dur_ns, second.dur_ns),
        complete=events(first.complete, second.complete),
        arguments=tuple(
            events.sparse(a, _recoded(b, code_of) if column.kind is ArgKind.JSON else b)
            for (column, _), a, b in zip(SLOTS, first.arguments, second.arguments, strict=True)
        ),
        flows=FlowTable(
            flows(first.flows.is_start, second.flows.is_start),
            flows(first.flows.flow_id, second.flows.flow_id),
            flows(first.flows.start_ns, second.flows.start_ns),
        ),
        arrows=OperatorArrows(
            arrows(first.arrows.is_start, second.arrows.is_start),
            arrows(first.arrows.number, second.arrows.number),
            lanes(first.arrows.lane, second.arrows.lane, arrows),
            arrows(first.arrows.start_ns, second.arrows.start_ns),
        ),
    )


class _Splice:
    """Inserts rows of a second scan between those of a first."""

    def __init__(self, insertions: Sequence[Insertion], column: int) -> None:
        rows = np.array([insertion.rows[column] for insertion in insertions], np.int64)
        used = rows > 0
        self._behind = np.array([insertion.behind[column] for insertion in insertions], np.int64)[used]
        self._taken = np.cumsum(rows[used])  # rows of the second placed up to each insertion

    def __call__(self, first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
        """Merges a dense column."""
        return _spliced(first, second, self._behind, self._taken) if len(self._behind) else first

    def sparse(self, first: SparseColumn, second: SparseColumn) -> SparseColumn:
        """Merges the columns of one argument. Rows of the first scan shift down by the number inserted above them."""
        if not len(self._behind):
            return first
        at = np.searchsorted(first.rows, self._behind)  # values of the first before each insertion
        until = np.searchsorted(second.rows, self._taken)
        above = np.repeat(np.append(0, self._taken), np.diff(at, prepend=0, append=len(first.rows)))
        before = np.repeat(self._behind, np.diff(until, prepend=0))
        first_rows, second_rows = (first.rows + above).astype(np.int32), (second.rows + before).astype(np.int32)
        return SparseColumn(
            _spliced(first_rows, second_rows, at, until), _spliced(first.values, second.values, at, until)
        )


def _spliced(
    first: NDArray[Any], second: NDArray[Any], at: Ints, until: Ints
) -> NDArray[Any]:
    """Inserts second[:until[0]] before first[at[0]], second[until[0]:until[1]] before first[at[1]], and so on."""
    parts, a, b = [], 0, 0
    for next_a, next_b in zip(at.tolist(), until.tolist(), strict=True):
        parts += [first[a:next_a], second[b:next_b]]
        a, b = next_a, next_b
    return np.concatenate([*parts, first[a:]])


def _picked(of: NDArray[Any], codes: Ints32) -> NDArray[Any]:
    picked: NDArray[Any] = of[codes]
    return picked


def _recoded(column: SparseColumn, code_of: Ints32) -> SparseColumn:
    return SparseColumn(column.rows, code_of[column.values.astype(np.intp)])
