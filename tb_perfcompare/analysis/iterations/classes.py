"""Kinds of iterations by operators (or kernels) that only some iterations have, for markers without kind.

Decided by names alone, never by times. Definition: docs/method/iterations.md#kinds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.event_masks import is_one_of, used_codes
from tb_perfcompare.analysis.columns.numbering import chunks, gather, rows_where
from tb_perfcompare.analysis.trace.event_steps import step_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.model.arrays import Ints, Ints32, places_of
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.kinds import PLAIN, with_names
from tb_perfcompare.model.names.names import is_optimizer

MIN_RUNS = 3
"""Least number of separate runs of iterations with a name: what happens once (a warm-up) is not a kind."""

MIN_SHARE = 0.1
"""Least share of iterations that have a name, and of those that lack it."""

MAX_NAMED = 2
"""Largest number of name groups that distinguish iterations: four kinds at most."""

_MAX_CELLS = 40_000_000
_HOST = (Category.OPERATOR, Category.ANNOTATION)


def class_texts(timeline: InterpretedTrace, windows: Windows) -> tuple[str, ...]:
    """Returns what each step has that others lack, "plain" for nothing; empty if all steps are alike."""
    steps = len(windows.label)
    if steps < 2 * MIN_RUNS - 1:
        return ()
    events = timeline.events
    rows = rows_where(is_one_of(events.category, _HOST) & ~timeline.is_marker)
    if not len(rows):
        rows = rows_where(timeline.is_device)
    names = used_codes(gather(events.name, rows), len(events.strings))
    if not len(names) or len(names) * steps > _MAX_CELLS:
        return ()
    has = _incidence(timeline, windows, rows, names)
    groups = _groups(has, [events.strings[code] for code in names.tolist()])
    if not groups:
        return ()
    return tuple(with_names([name for name, own in groups if own[step]]) or PLAIN for step in range(steps))


def _incidence(timeline: InterpretedTrace, windows: Windows, rows: Ints32, names: Ints) -> NDArray[np.bool_]:
    """(names, steps) Whether the step has an event with the name."""
    events = timeline.events
    place = places_of(names, len(events.strings))
    has = np.zeros((len(names), len(windows.label)), dtype=np.bool_)
    for chunk in chunks(len(rows)):
        step = step_of(gather(events.start_ns, rows[chunk]), windows)
        inside = step >= 0
        has[gather(place, gather(events.name, rows[chunk][inside])), step[inside]] = True
    return has


def _groups(has: NDArray[np.bool_], names: list[str]) -> list[tuple[str, NDArray[np.bool_]]]:
    """Groups names that occur in exactly the same steps: (representative name, (steps,) where they occur).

    The representative is an optimizer's name if there is one, else the first alphabetically; groups with most names
    first.
    """
    steps = has.shape[1]
    count = has.sum(axis=1)
    runs = has[:, 0] + (has[:, 1:] & ~has[:, :-1]).sum(axis=1)
    least = max(MIN_RUNS, MIN_SHARE * steps)
    # there may be one run less without the name than with it
    candidates = np.flatnonzero((count >= least) & (steps - count >= least - 1) & (runs >= MIN_RUNS))
    together: dict[bytes, list[int]] = {}
    for at in candidates.tolist():
        together.setdefault(has[at].tobytes(), []).append(at)
    groups = [
        (len(own), min((not is_optimizer(names[at]), names[at]) for at in own)[1], has[own[0]])
        for own in together.values()
    ]
    groups.sort(key=lambda group: (-group[0], group[1]))
    return [(name, steps_with) for _, name, steps_with in groups[:MAX_NAMED]]
