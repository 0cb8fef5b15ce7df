"""Kinds of iterations whose markers say nothing of them: by the operators (kernels) that only some of them have.

Names alone decide, never times. Definition: docs/method/iterations.md#kinds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.event_masks import among, used_codes
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.kinds import PLAIN, with_names
from tb_perfcompare.model.names.names import is_optimizer

LEAST_RUNS = 3
"""Stretches of iterations that have a name, between others that lack it: what happens once (a warm-up) is no kind."""

LEAST_SHARE = 0.1
"""Of the iterations that have a name, and of those that lack it."""

MOST_NAMED = 2
"""Groups of names that come and go together by which iterations are told apart: four kinds at most."""

_MOST_CELLS = 40_000_000
_HOST = (Category.OPERATOR, Category.ANNOTATION)
_DEVICE = (Category.KERNEL, Category.MEMCPY, Category.MEMSET)


def class_texts(timeline: InterpretedTrace, windows: Windows) -> tuple[str, ...]:
    """What each step has that others lack, "plain" where that is nothing; () where all are alike."""
    steps = len(windows.label)
    if steps < 2 * LEAST_RUNS - 1:
        return ()
    events = timeline.events
    rows = np.flatnonzero(among(events.category, _HOST) & ~timeline.is_marker)
    if not len(rows):
        rows = np.flatnonzero(among(events.category, _DEVICE))
    names = used_codes(events.name[rows], len(events.strings))
    if not len(names) or len(names) * steps > _MOST_CELLS:
        return ()
    has = _incidence(timeline, windows, rows, names)
    groups = _groups(has, [events.strings[code] for code in names.tolist()])
    if not groups:
        return ()
    return tuple(with_names([name for name, own in groups if own[step]]) or PLAIN for step in range(steps))


def _incidence(timeline: InterpretedTrace, windows: Windows, rows: Ints, names: Ints) -> NDArray[np.bool_]:
    """(names, steps) whether the step has an event of the name."""
    events = timeline.events
    place = np.zeros(len(events.strings), dtype=np.int64)
    place[names] = np.arange(len(names))
    step = np.searchsorted(windows.start_ns, events.start_ns[rows], side="right") - 1
    inside = (step >= 0) & (events.start_ns[rows] < windows.end_ns[step])
    has = np.zeros((len(names), len(windows.label)), dtype=np.bool_)
    has[place[events.name[rows[inside]]], step[inside]] = True
    return has


def _groups(has: NDArray[np.bool_], names: list[str]) -> list[tuple[str, NDArray[np.bool_]]]:
    """Names that come and go together, called by an optimizer among them or by the first in the alphabet, with the
    steps that have them; those that tell most names first."""
    steps = has.shape[1]
    count = has.sum(axis=1)
    runs = has[:, 0] + (has[:, 1:] & ~has[:, :-1]).sum(axis=1)
    least = max(LEAST_RUNS, LEAST_SHARE * steps)
    # stretches without it lie between and around those with it
    some = np.flatnonzero((count >= least) & (steps - count >= least - 1) & (runs >= LEAST_RUNS))
    together: dict[bytes, list[int]] = {}
    for at in some.tolist():
        together.setdefault(has[at].tobytes(), []).append(at)
    found = [
        (len(own), min((not is_optimizer(names[at]), names[at]) for at in own)[1], has[own[0]])
        for own in together.values()
    ]
    found.sort(key=lambda one: (-one[0], one[1]))
    return [(name, steps_with) for _, name, steps_with in found[:MOST_NAMED]]
