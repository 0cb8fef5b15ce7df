"""Responses about a step: the events to draw at a zoom level, bounded in size, and the figures of one event."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_perfcompare.analysis.step_view.event_figures import event_figures, lane_of, name_totals
from tb_perfcompare.analysis.step_view.level_of_detail import detail, summed, visible
from tb_perfcompare.comparison.alignment.step_matches import StepMatches, name_differences
from tb_perfcompare.model.arrays import Flags, Ints
from tb_perfcompare.model.summary.step_events import NO_EVENT, StepDetail, StepEvents, StepFacts
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.wire.events import event_answer, event_dict
from tb_perfcompare.render.wire.steps import (
    Counterparts,
    area_answer,
    counterparts,
    differences_dict,
    step_answer,
    step_facts_dict,
    step_list_dict,
)
from tb_perfcompare.render.wire.wire_rows import MAX_BYTES

DRAWN_SINGLY = 30_000
"""A stretch with at most this many events is sent event by event, however short they are."""

DEFAULT_PIXELS = 1500
_FINEST_CELLS = 1 << 14
"""Number of cells for the first attempt to merge events, if single events do not fit into a response."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Part of a step, in ns from the step's zero, and the width in pixels at which it is drawn."""

    first_ns: int
    last_ns: int
    pixels: int = DEFAULT_PIXELS


@dataclass(frozen=True, slots=True)
class Area:
    """Part of two steps that are drawn together, in ns from the baseline's zero; the candidate is drawn `shift_ns`
    later."""

    first_ns: int
    last_ns: int
    shift_ns: int = 0


def drawn_step(
    own: StepEvents,
    facts: StepFacts,
    steps: Sequence[StepFacts],
    other: tuple[StepEvents, StepMatches] | None,
    stretch: Stretch | None,
    find: str,
    *,
    own_is_baseline: bool,
) -> bytes:
    """Returns the events to draw of a stretch of a step, at most MAX_BYTES of JSON. Adds the list of all steps if the
    whole step is drawn (`stretch` None)."""
    is_whole = stretch is None
    view = stretch or Stretch(*own.extent)
    pair = None if other is None else counterparts(own, *other, own_is_baseline=own_is_baseline)
    hits = _hits(own, find)
    differences = {}
    if is_whole and other is not None and own_is_baseline:
        differences = differences_dict(name_differences(name_totals(own), name_totals(other[0])))
    about = {
        "step": step_facts_dict(facts),
        **(step_list_dict(steps) if is_whole else {}),
        **differences,
        "other": None if other is None else _other(own, *other),
        "hits": None if hits is None else {"events": int(hits.sum()), "total_ns": int(own.dur_ns[hits].sum())},
    }
    cell_ns = _first_cell(own, view)
    while True:
        marks = detail(own, view.first_ns, view.last_ns, cell_ns)
        body = step_answer(own, marks, about, pair, _sums(marks, pair), None if hits is None else summed(hits, marks))
        if len(body) <= MAX_BYTES or cell_ns > view.last_ns - view.first_ns:
            return body
        cell_ns = 2 * cell_ns or max(1, (view.last_ns - view.first_ns) // _FINEST_CELLS)


def drawn_event(own: StepEvents, event: int, other: tuple[StepEvents, StepMatches] | None) -> bytes:
    """Returns the figures of an event and of its counterpart, if any, as JSON. Raises SelectionError."""
    figures = event_dict(own, event_figures(own, event), lane_of(own, event))
    partner = NO_EVENT if other is None else int(other[1].of_a[event])
    if other is None or partner == NO_EVENT:
        return event_answer(figures, None, renamed=False)
    counterpart = event_dict(other[0], event_figures(other[0], partner), lane_of(other[0], partner))
    return event_answer(figures, counterpart, renamed=bool(other[1].renamed[event]))


def compared_area(baseline: StepEvents, candidate: StepEvents, area: Area) -> bytes:
    """Returns the event names with self time within the area on either side, largest difference first, as JSON."""
    extents = (area.first_ns, area.last_ns), (area.first_ns - area.shift_ns, area.last_ns - area.shift_ns)
    names = name_differences(name_totals(baseline, extents[0]), name_totals(candidate, extents[1]))
    return area_answer(tuple(name for name in names if any(side and side.own_ns for side in name.sides)))


def _first_cell(own: StepEvents, stretch: Stretch) -> int:
    """Width in ns of the cells in which events are merged at first: one pixel; 0 for few events, sent singly."""
    if len(visible(own, stretch.first_ns, stretch.last_ns)) <= DRAWN_SINGLY:
        return 0
    return max(1, (stretch.last_ns - stretch.first_ns) // max(1, stretch.pixels))


def _sums(marks: StepDetail, pair: Counterparts | None) -> tuple[Ints, Ints]:
    """Returns per mark (the sum of its events' changes, the number of its events without a counterpart), each (n,)."""
    if pair is None:
        return np.zeros(len(marks), dtype=np.int64), np.zeros(len(marks), dtype=np.int64)
    return summed(pair.change, marks), summed(pair.partner == NO_EVENT, marks)


def _other(own: StepEvents, other: StepEvents, matches: StepMatches) -> dict[str, object]:
    matched = int((matches.of_a != NO_EVENT).sum())
    return {
        "worker": other.worker, "span": other.span, "label": other.label, "matched": matched,
        "renamed": int(matches.renamed.sum()), "alone": len(own) - matched,
    }  # fmt: skip


def _hits(own: StepEvents, find: str) -> Flags | None:
    """(n,) whether the event's name contains every word of `find` and no word given with a `-`, ignoring case; None
    without words."""
    words = [word.casefold() for word in find.split() if word != "-"]
    if not words:
        return None
    required = [word for word in words if not word.startswith("-")]
    excluded = [word[1:] for word in words if word.startswith("-")]

    def passes(name: str) -> bool:
        text = name.casefold()
        return all(word in text for word in required) and not any(word in text for word in excluded)

    hits: Flags = np.array([passes(name.name) for name in own.names], dtype=np.bool_)[own.name]
    return hits
