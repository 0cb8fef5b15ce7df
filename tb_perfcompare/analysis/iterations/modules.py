"""Iterations by the calls of an outermost module, if modules were recorded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.entities.modules import module_calls, module_name
from tb_perfcompare.analysis.iterations.beginnings import from_the_beginning
from tb_perfcompare.analysis.iterations.marks import (
    FEWEST,
    LEAST_ALIKE,
    LEAST_RECURRING,
    Marks,
    best_first,
    can_be_steps,
)
from tb_perfcompare.analysis.iterations.sequences import Sequence, outside, score, sequence_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.summary.iterations import DETECTED


def module_marks(timeline: InterpretedTrace, extent: tuple[int, int], sequences: list[Sequence]) -> list[Marks]:
    """Returns marks at outermost module calls that recur in one order with the same calls between them, best first.

    Layers of a model are inside an outermost call, so it does not matter what the recording begins and ends with.
    Excludes microbatches, where the optimizer steps between some of the calls only.
    """
    rows = module_calls(timeline)
    if not len(rows):
        return []
    lane = timeline.lane[rows]
    top = sequence_of(timeline, rows[lane == int(np.bincount(lane).argmax())])
    around = [part for part in (outside(each, top.start_ns, top.end_ns) for each in sequences) if len(part.name)]
    candidates = []
    for name in np.flatnonzero(np.bincount(top.name) >= FEWEST).tolist():
        start = top.start_ns[top.name == name]
        marks = Marks(DETECTED, module_name(timeline.events.strings[int(top.names[name])]), start, lane=top.lane)
        if not can_be_steps(marks, extent):
            continue
        scores = [score(sequence, start) for sequence in (top, *around)]
        alike = min(result.alike for result in scores)
        if alike >= LEAST_ALIKE and all(result.recurring >= LEAST_RECURRING for result in scores):
            candidates.append((alike, replace(marks, alike=alike)))
    return [from_the_beginning(timeline, marks, sequences) for marks in best_first(candidates)]
