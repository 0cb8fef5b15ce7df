"""Iterations by repetition itself: the operator (or kernel) that occurs once per period."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.iterations.marks import FEWEST, MOST, Marks, can_be_steps, scored
from tb_perfcompare.analysis.iterations.sequences import Sequence
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.iterations import DETECTED

_MOST_COUNTS = 16
_MOST_ALTERNATIVES = 20


def repetition_marks(sequences: list[Sequence], strings: StringTable, extent: tuple[int, int]) -> list[Marks]:
    """The best anchor, then others by which the other side may be cut, too: of other periods (the tokens of a loop may
    be alike on one side only, its batches on both), and those that occur as often.

    Names that occur equally often are tried by their first one: in an iteration most names occur once, so that its
    period is among the numbers that most names have.
    """
    anchors: list[Marks] = []
    for sequence in sequences:
        anchors += [one for one in _anchors(sequence, strings) if can_be_steps(one, extent)]
    found = scored(anchors, sequences)
    if not found:
        return []
    as_often = [one for period in found for one in _alternatives(period, sequences, strings)]
    return [*found, *as_often][:_MOST_ALTERNATIVES]


def _occurrences(sequence: Sequence) -> tuple[Ints, Ints]:
    """Names in the order of their first occurrences, and their numbers of occurrences."""
    first = np.full(len(sequence.names), len(sequence.name), dtype=np.int64)
    first[sequence.name[::-1]] = np.arange(len(sequence.name))[::-1]
    order = np.argsort(first)
    return order, np.bincount(sequence.name, minlength=len(first))[order]


def _anchors(sequence: Sequence, strings: StringTable) -> list[Marks]:
    names, counts = _occurrences(sequence)
    values, leaders, shared = np.unique(counts, return_index=True, return_counts=True)
    usable = (values >= FEWEST) & (values <= MOST)
    values, leaders, shared = values[usable], leaders[usable], shared[usable]
    most_shared = np.lexsort((-values, -shared))[:_MOST_COUNTS]
    return [_marks(sequence, int(names[leaders[at]]), strings) for at in most_shared.tolist()]


def _alternatives(best: Marks, sequences: list[Sequence], strings: StringTable) -> list[Marks]:
    """Names that occur exactly once in every iteration."""
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
    """Iterations begin where the recording does, if what precedes the first occurrence precedes all of them: recordings
    begin between iterations more often than within one."""
    place = np.flatnonzero(sequence.name == name)
    before = int(place[0])
    if before and before <= int(np.diff(place, prepend=0).min()):
        head = sequence.name[:before]
        around = sequence.name[place[:, None] + np.arange(-before, 0)]
        if (around == head).all():
            place = place - before
    return Marks(DETECTED, strings[int(sequence.names[name])], sequence.start_ns[place], alike=alike)
