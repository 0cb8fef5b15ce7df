"""Iterations of a training loop: fetching a batch, stepping the optimizer."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import is_one_of
from tb_perfcompare.analysis.iterations.annotations import rows_named
from tb_perfcompare.analysis.iterations.marks import (
    MIN_OCCURRENCES,
    MIN_PART,
    Marks,
    can_be_steps,
    from_the_beginning,
    marks_of,
)
from tb_perfcompare.analysis.iterations.sequences import Sequence, score
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.ranges import OPTIMIZER_STEP, is_loader, passing_names
from tb_perfcompare.model.summary.iterations import OPTIMIZER

LOADER, STEP = "enumerate(DataLoader)*", "Optimizer.step#*"
_ORDINALS = {2: "2nd", 3: "3rd", 4: "4th"}
_CLEARLY_BETTER = 0.05
_MAX_PAIRED = 1_000


def training_marks(
    timeline: InterpretedTrace, extent: tuple[int, int], sequences: list[Sequence]
) -> tuple[list[Marks], list[Marks]]:
    """Returns marks at fetched batches and at the ends of optimizer steps; batches first if there is one per step.

    If an iteration makes several optimizer steps (two networks), the last one ends it; marks at each are offered as
    well, and those at every second (third, ...) if it may. Second come those that cover only a part of the recording,
    where it does not train all the time.
    """
    strings = timeline.events.strings
    rows = np.flatnonzero(is_one_of(timeline.events.category, (Category.OPERATOR, Category.ANNOTATION)))
    begun = rows_named(timeline, rows, [passing_names(is_loader, strings)])
    likely = strings.beginning((OPTIMIZER_STEP,))
    stepped = rows_named(timeline, rows, [[code for code in likely if strings[code].startswith(OPTIMIZER_STEP)]])
    each = marks_of(timeline, OPTIMIZER, STEP, stepped, ends=True)
    every = _every(each, sequences)
    once, other = (each, every) if every is None or not _take_turns(each, sequences) else (every, each)
    steps = from_the_beginning(timeline, once, sequences, closed=True)
    batches = marks_of(timeline, OPTIMIZER, LOADER, begun)
    candidates = [marks for marks in (batches, steps) if can_be_steps(marks, extent)]
    in_part = [marks for marks in (batches, steps) if marks not in candidates and can_be_steps(marks, extent, MIN_PART)]
    if len(candidates) == 2 and abs(len(batches.start_ns) - len(steps.start_ns)) > 1:
        candidates.reverse()
    if other is not None and can_be_steps(other, extent):
        candidates.append(other)
    return candidates, in_part


def _every(marks: Marks, sequences: list[Sequence]) -> Marks | None:
    """Every second (third, ...) mark, if the stretches between these are clearly more alike than between all."""
    if not sequences or len(marks.start_ns) < MIN_OCCURRENCES:
        return None
    best, alike = None, score(sequences[0], marks.start_ns).in_order
    for every, ordinal in _ORDINALS.items():
        last = marks.start_ns[every - 1 :: every]
        if len(last) < MIN_OCCURRENCES:
            break
        in_order = score(sequences[0], last).in_order
        if in_order > alike + _CLEARLY_BETTER:
            best, alike = Marks(marks.origin, f"every {ordinal} {STEP}", last, lane=marks.lane), in_order
    return best


def _take_turns(marks: Marks, sequences: list[Sequence]) -> bool:
    """Whether neighboring stretches each have names that the other lacks, like the steps of two networks; a step
    followed by a validation only has additional names."""
    return _exclusive(marks, sequences) >= 1 / max(_ORDINALS)


def _exclusive(marks: Marks, sequences: list[Sequence]) -> float:
    """Share of successive stretch pairs in which each has a name that the other lacks."""
    start = marks.start_ns[:_MAX_PAIRED]
    first_only, second_only = np.zeros(len(start) - 2, dtype=np.bool_), np.zeros(len(start) - 2, dtype=np.bool_)
    for sequence in sequences:
        stretch = np.searchsorted(start, sequence.start_ns, side="right") - 1
        inside = (stretch >= 0) & (stretch < len(start) - 1)
        has = np.zeros((len(sequence.names), len(start) - 1), dtype=np.bool_)
        has[sequence.name[inside], stretch[inside]] = True
        first_only |= (has[:, :-1] & ~has[:, 1:]).any(axis=0)
        second_only |= (has[:, 1:] & ~has[:, :-1]).any(axis=0)
    return float((first_only & second_only).mean())
