"""Iterations by repetition alone: the operator (or kernel) that occurs once per period."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.iterations.marks import (
    MAX_ITERATIONS,
    MIN_OCCURRENCES,
    Marks,
    best_first,
    can_be_steps,
    from_the_beginning,
    judged,
)
from tb_perfcompare.analysis.iterations.sequences import Sequence
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.iterations import DETECTED

MIN_LOOP_CALLS = 10
"""Fewest calls of the only operator of a recording for each to be an iteration: no model calls one operator only."""

_MAX_COUNTS = 16
_MAX_ALTERNATIVES = 20
_MAX_OTHERS = 3


def repetition_marks(
    timeline: InterpretedTrace, sequences: list[Sequence], extent: tuple[int, int]
) -> tuple[list[Marks], list[Marks]]:
    """Returns (the best marks and alternatives, marks that may be layers of a model if there are no others).

    Alternatives may be needed to cut the other side in the same way: other periods (the tokens of a loop may be alike
    on one side only, its batches on both), marks that occur as often as the best, and periods that are less alike.

    Of names that occur equally often only the first is tried: in an iteration most names occur once, so the number of
    iterations is among the most common numbers of occurrences.
    """
    anchors: list[Marks] = []
    strings = timeline.events.strings
    for sequence in sequences:
        anchors += [anchor for anchor in _anchors(sequence, strings) if can_be_steps(anchor, extent)]
    one_operator = {len(sequence.names) for sequence in sequences} == {1}
    if anchors and one_operator and len(anchors[0].start_ns) >= MIN_LOOP_CALLS:
        return [replace(anchors[0], alike=1.0)], []
    results = [result for anchor in anchors if (result := judged(anchor, sequences))]
    best = best_first(results)
    if not best:
        unsure = best_first([result for anchor in anchors if (result := judged(anchor, sequences, layers_too=True))])
        return [], unsure[:_MAX_OTHERS]
    moved = [from_the_beginning(timeline, marks, sequences) for marks in best]
    as_often = [
        other if period is where else replace(other, start_ns=where.start_ns)
        for period, where in zip(best, moved, strict=True)
        for other in _alternatives(period, sequences, strings)
    ]
    less_good = [marks for _, marks in results if marks not in best]
    return [*moved, *as_often[:_MAX_ALTERNATIVES], *less_good[:_MAX_OTHERS]], []


def _occurrences(sequence: Sequence) -> tuple[Ints, Ints]:
    """Returns names in order of first occurrence, and their numbers of occurrences."""
    first = np.full(len(sequence.names), len(sequence.name), dtype=np.int64)
    first[sequence.name[::-1]] = np.arange(len(sequence.name))[::-1]
    order = np.argsort(first)
    return order, np.bincount(sequence.name, minlength=len(first))[order]


def _anchors(sequence: Sequence, strings: StringTable) -> list[Marks]:
    """Returns marks at one name for each of the most common numbers of occurrences."""
    names, counts = _occurrences(sequence)
    values, leaders, shared = np.unique(counts, return_index=True, return_counts=True)
    usable = (values >= MIN_OCCURRENCES) & (values <= MAX_ITERATIONS)
    values, leaders, shared = values[usable], leaders[usable], shared[usable]
    most_shared = np.lexsort((-values, -shared))[:_MAX_COUNTS]
    return [_marks(sequence, int(names[leaders[at]]), strings) for at in most_shared.tolist()]


def _alternatives(best: Marks, sequences: list[Sequence], strings: StringTable) -> list[Marks]:
    """Returns marks at names that occur exactly once in every iteration."""
    out: list[Marks] = []
    for sequence in sequences:
        names, counts = _occurrences(sequence)
        near = np.abs(counts - len(best.start_ns)) <= 1
        for name in names[near].tolist():
            marks = _marks(sequence, name, strings, best.alike)
            inside = np.searchsorted(best.start_ns, marks.start_ns, side="right")
            if marks.name != best.name and (np.diff(inside) > 0).all():
                out.append(marks)
    return out


def _marks(sequence: Sequence, name: int, strings: StringTable, alike: float | None = None) -> Marks:
    place = np.flatnonzero(sequence.name == name)
    return Marks(DETECTED, strings[int(sequence.names[name])], sequence.start_ns[place], alike=alike)
