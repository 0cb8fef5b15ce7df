"""Iterations by the calls of a module that no other module made, where modules were recorded."""

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
    """Outermost calls that follow each other in the same order, with the same calls between them. Layers of a model are
    inside it, so what the recording begins and ends with does not matter. An optimizer that steps between some of them
    only makes them microbatches."""
    rows = module_calls(timeline)
    if not len(rows):
        return []
    lane = timeline.lane[rows]
    top = sequence_of(timeline, rows[lane == int(np.bincount(lane).argmax())])
    around = [part for part in (outside(one, top.start_ns, top.end_ns) for one in sequences) if len(part.name)]
    found = []
    for name in np.flatnonzero(np.bincount(top.name) >= FEWEST).tolist():
        start = top.start_ns[top.name == name]
        marks = Marks(DETECTED, module_name(timeline.events.strings[int(top.names[name])]), start, lane=top.lane)
        if not can_be_steps(marks, extent):
            continue
        scores = [score(sequence, start) for sequence in (top, *around)]
        alike = min(one.alike for one in scores)
        if alike >= LEAST_ALIKE and all(one.recurring >= LEAST_RECURRING for one in scores):
            found.append((alike, replace(marks, alike=alike)))
    return [from_the_beginning(timeline, one, sequences) for one in best_first(found)]
