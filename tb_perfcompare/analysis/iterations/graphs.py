"""Iterations by launches of captured graphs: one decode step each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import used_codes
from tb_perfcompare.analysis.iterations.marks import FEWEST, Marks, can_be_steps, is_iteration, marks_of
from tb_perfcompare.analysis.iterations.sequences import score, sequence_of
from tb_perfcompare.analysis.trace.timeline import InterpretedTrace
from tb_perfcompare.model.summary.iterations import GRAPH

_LAUNCH = "GraphLaunch"
"""End of the names of the calls of every vendor: cudaGraphLaunch, cuGraphLaunch, hipGraphLaunch."""


def graph_launches(timeline: InterpretedTrace) -> Marks:
    """All of the thread that makes most of them."""
    events = timeline.events
    rows = np.flatnonzero(timeline.is_api)
    names = {
        code: events.strings[code]
        for code in used_codes(events.name[rows], len(events.strings)).tolist()
        if events.strings[code].endswith(_LAUNCH)
    }
    rows = rows[np.isin(events.name[rows], list(names))]
    return marks_of(timeline, GRAPH, ", ".join(sorted(set(names.values()))), rows)


def graph_marks(timeline: InterpretedTrace, extent: tuple[int, int]) -> list[Marks]:
    """Graph launches, if what happens between them repeats: a model cut into several graphs launches many of them in
    each iteration."""
    marks = graph_launches(timeline)
    if len(marks.start_ns) < FEWEST or not can_be_steps(marks, extent):
        return []
    calls = np.flatnonzero((timeline.is_operator | timeline.is_api) & (timeline.lane == marks.lane))
    found = score(sequence_of(timeline, calls), marks.start_ns)
    return [replace(marks, alike=found.alike)] if is_iteration(found, fewest_names=1) else []
