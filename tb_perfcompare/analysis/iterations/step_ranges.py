"""The steps of a trace: windows between the events that delimit them, and their kinds.

If the marker has no kind, the kind is that of the operators (or kernels) that only some iterations have, decided by
names alone, never by times. Definition: docs/method/iterations.md#kinds.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.event_masks import is_one_of, used_codes
from tb_perfcompare.analysis.columns.numbering import gather, rows_where
from tb_perfcompare.analysis.iterations.find import find_iterations
from tb_perfcompare.analysis.iterations.marks import MIN_OCCURRENCES, Marks
from tb_perfcompare.analysis.trace.event_steps import step_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.roles import NO_ROLE
from tb_perfcompare.analysis.trace.steps import Windows, range_windows, recorded_extent, step_windows, whole_windows
from tb_perfcompare.model.arrays import Ints, Ints32, chunks, is_of, median, places_of
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.kinds import BETWEEN, PLAIN, kinds_of, numbers_in, with_names, without_numbers
from tb_perfcompare.model.names.ranges import is_optimizer
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.iterations import (
    ANNOTATION,
    CUT_OFF,
    DETECTED,
    GRAPH,
    OPTIMIZER,
    WHOLE,
    Iterations,
    Marker,
)
from tb_perfcompare.number_text import percent
from tb_perfcompare.quick_dataclass import dataclass

_BY = {ANNOTATION: "annotation", OPTIMIZER: "training loop", GRAPH: "graph launch", DETECTED: "repeated name"}
_MAX_NAMED = 3

_FAR_LONGER = 1_000


def iteration_notes(steps: TraceSteps, where: str) -> tuple[Note, ...]:
    """Notes on what delimits the steps and how certain that is; none for ProfilerStep."""
    iterations, chosen = steps.iterations, steps.iterations.chosen
    if chosen.origin == WHOLE:
        return (Note(NoteCode.NO_STEPS, _whole(iterations), where),)
    if chosen.origin not in _BY:
        return ()
    parts = [
        f"{chosen.count:,} steps, each from one {chosen.name} to the next ({_BY[chosen.origin]}): "
        f"{percent(chosen.coverage)} of the recording{_sure(chosen)}"
    ]
    marks = steps.marks
    if marks is not None and marks.nested:
        parts.append(f"{marks.nested:,} within another are left out")
    if marks is not None and marks.elsewhere:
        parts.append(f"{marks.elsewhere:,} on other threads are left out")
    if steps.refused:
        parts.append(f"{', '.join(steps.refused)} overlap each other and are not used")
    pause = _pause(marks)
    if pause:
        parts.append(pause)
    others = [marker for marker in iterations.candidates if marker != chosen and marker.origin != WHOLE][:_MAX_NAMED]
    if others:
        parts.append(f"--step-marker chooses another: {', '.join(repr(marker.asked_as) for marker in others)}")
    return (Note(NoteCode.ITERATIONS, "; ".join(parts), where),)


def _pause(marks: Marks | None) -> str:
    """Describes an iteration that is far longer than the others, "" if there is none; it is compared like any other."""
    if marks is None or len(marks.start_ns) < MIN_OCCURRENCES + 1:
        return ""
    length = np.diff(marks.start_ns)
    longest, typical = int(length.argmax()), float(median(length))
    if length[longest] < _FAR_LONGER * max(typical, 1.0):
        return ""
    times = round(float(length[longest]) / max(typical, 1.0))
    label = _labels(marks)[longest]
    return f"iteration {label} is {times:,} times as long as the typical one: a pause, or the clock jumped"


def _sure(marker: Marker) -> str:
    if BETWEEN in marker.name:
        return ", in any order"
    return "" if marker.alike is None else f", calls {percent(marker.alike)} alike"


def _whole(iterations: Iterations) -> str:
    if not iterations.tried:
        return "the whole recording counts as one step, as asked"
    unsure = next((candidate for candidate in iterations.candidates if candidate.origin != WHOLE), None)
    choose = "call profiler.step() in the loop, or say what begins an iteration with --step-marker NAME"
    if unsure is not None:
        what = f"stretches {percent(unsure.alike)} alike, iterations or a model's layers" if unsure.alike else "steps"
        of = "it" if unsure.alike else f"{percent(unsure.coverage)} of it"
        choose = (
            f"{unsure.name} cuts {of} into {unsure.count:,} {what}; --step-marker {unsure.asked_as!r} makes them steps"
        )
    return (
        f"no ProfilerStep markers, and nothing that surely marks iterations ({iterations.tried} were tried): the whole "
        f"recording counts as one step; {choose}"
    )


@dataclass(frozen=True, slots=True, eq=False)
class TraceSteps:
    """A trace and its steps.

    timeline    the trace, with its step markers marked
    windows     steps under both rules ("device", "marker")
    iterations  what delimits the steps
    text        raw name of each step's marker; if all have one name, what the step has that others lack; () if nothing
    marks       None for ProfilerStep and for the whole recording
    refused     names that usually mark iterations, but nest here
    """

    timeline: InterpretedTrace
    windows: dict[str, Windows]
    iterations: Iterations
    text: tuple[str, ...] = ()
    marks: Marks | None = None
    refused: tuple[str, ...] = ()


def trace_steps(timeline: InterpretedTrace, marker: str = "", *, tail: bool = False) -> TraceSteps:
    """Finds the steps of a trace by the requested marker, else by the first that qualifies.

    With `tail` the last step is kept even if the recording ended before it did. Raises what find_iterations raises.
    """
    delimiters = find_iterations(timeline, marker)
    if delimiters.marks is None:
        windows = whole_windows(timeline) if marker == WHOLE else step_windows(timeline, tail=tail)
        return TraceSteps(timeline, windows, delimiters.iterations, class_texts(timeline, windows["marker"]))
    timeline = _with_markers(timeline, delimiters.marks)
    extent = recorded_extent(timeline)
    ranges = _ranges(delimiters.marks, 0 if extent is None else extent[1], tail=tail)
    windows = range_windows(timeline, ranges, tail=tail)
    texts = delimiters.marks.texts[: len(windows["device"].label)]
    kinds = {*kinds_of(texts)}
    if len(kinds) < 2 and all(kind == without_numbers(kind) for kind in kinds):
        texts = class_texts(timeline, windows["marker"]) or texts
    return TraceSteps(timeline, windows, delimiters.iterations, texts, delimiters.marks, delimiters.refused)


def _ranges(marks: Marks, end_ns: int, *, tail: bool) -> Windows:
    """Ranges from each mark to the next; the one after the last mark is complete only with `tail`."""
    label = _labels(marks)
    start = marks.start_ns
    end = np.append(start[1:], max(end_ns, int(start[-1])))
    if tail:
        return Windows(label, start, end, (), True, 0)
    cut_off = ((label[-1], int(end[-1] - start[-1]), CUT_OFF),)
    return Windows(label[:-1], start[:-1], end[:-1], cut_off, True, 0)


def _labels(marks: Marks) -> tuple[str, ...]:
    """Numbers in the markers' names if they count the iterations, else their indices from 0."""
    count = {*marks.texts}
    numbers = [numbers_in(text) for text in marks.texts] if len(count) == len(marks.texts) else []
    if numbers and all(len(in_text) == 1 and in_text[0].is_integer() for in_text in numbers):
        values = [int(in_text[0]) for in_text in numbers]
        if all(value < following for value, following in itertools.pairwise(values)):
            return tuple(map(str, values))
    return tuple(map(str, range(len(marks.start_ns))))


def _with_markers(timeline: InterpretedTrace, marks: Marks) -> InterpretedTrace:
    """Turns ranges around whole iterations into step markers, like ProfilerStep, so that they own no time."""
    if marks.rows is None or not len(marks.rows):
        return timeline
    rows = marks.rows[is_of(timeline.events.category[marks.rows], Category.ANNOTATION)]
    is_marker, role = timeline.is_marker.copy(), timeline.role.copy()
    is_marker[rows], role[rows] = True, NO_ROLE
    return replace(timeline, is_marker=is_marker, role=role)


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
