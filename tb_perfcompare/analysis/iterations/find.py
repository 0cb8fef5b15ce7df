"""Finds the events that delimit the steps of a trace. Definition: docs/method/iterations.md."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import used_codes
from tb_perfcompare.analysis.entities.modules import module_calls, module_name
from tb_perfcompare.analysis.iterations.annotations import (
    AROUND,
    WRAPPERS,
    annotation_rows,
    by_name,
    known_marks,
    marks_with_known_names,
    other_marks,
    other_names,
    rows_named,
)
from tb_perfcompare.analysis.iterations.marks import (
    MAX_ITERATIONS,
    MIN_LIKENESS,
    MIN_OCCURRENCES,
    MIN_RECURRING,
    Marks,
    best_first,
    can_be_steps,
    from_the_beginning,
    is_iteration,
    marks_of,
)
from tb_perfcompare.analysis.iterations.repetition import repetition_marks
from tb_perfcompare.analysis.iterations.sequences import IN_NEARLY_ALL, Sequence, outside, score, sequence_of, sequences
from tb_perfcompare.analysis.iterations.training import training_marks
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import profiler_markers, recorded_extent
from tb_perfcompare.errors import MarkerMissing, SelectionError, choices
from tb_perfcompare.model.api_calls import GRAPH_LAUNCH
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.names.kinds import BETWEEN, glob_pattern, without_numbers
from tb_perfcompare.model.summary.iterations import (
    ANNOTATION,
    DETECTED,
    GRAPH,
    OPTIMIZER,
    PROFILER,
    WHOLE,
    Iterations,
    Marker,
)
from tb_perfcompare.quick_dataclass import dataclass


def graph_launches(timeline: InterpretedTrace) -> Marks:
    """Returns marks at all graph launches of the thread that makes most of them."""
    events, rows = timeline.events, timeline.calls_with(GRAPH_LAUNCH)
    names = {events.strings[code] for code in used_codes(events.name[rows], len(events.strings)).tolist()}
    return marks_of(timeline, GRAPH, ", ".join(sorted(names)), rows)


def graph_marks(timeline: InterpretedTrace, extent: tuple[int, int]) -> list[Marks]:
    """Returns marks at graph launches, if the calls between them repeat.

    They do not for a model that is split into several graphs, as it launches several per iteration.
    """
    marks = graph_launches(timeline)
    if len(marks.start_ns) < MIN_OCCURRENCES:
        return []
    made = np.flatnonzero((timeline.is_operator | timeline.is_api) & (timeline.lane == marks.lane))
    sequence = sequence_of(timeline, made)
    if not timeline.is_operator.any():  # without operators: exclude device work that lags behind
        extent = int(marks.start_ns[0]), int(sequence.end_ns.max())
    if not can_be_steps(marks, extent):
        return []
    result = score(sequence, marks.start_ns)
    return [replace(marks, alike=result.alike)] if is_iteration(result, fewest_names=1) else []


_MAX_LISTED = 24
_TRIED = "annotations, optimizer steps, DataLoader batches, graph launches, modules and repeated operators or kernels"


@dataclass(frozen=True, slots=True, eq=False)
class StepDelimiters:
    """What delimits the steps.

    iterations  the chosen marker and the candidates
    marks       None for ProfilerStep and for the whole recording
    refused     known names that were rejected because their ranges overlap or nest
    """

    iterations: Iterations
    marks: Marks | None
    refused: tuple[str, ...] = ()


def find_iterations(timeline: InterpretedTrace, wanted: str = "") -> StepDelimiters:
    """Finds what delimits the steps: `wanted` (an origin or a pattern of names), else the first good candidate.

    Raises MarkerMissing if no event matches `wanted`, SelectionError if it marks too many.
    """
    extent = recorded_extent(timeline)
    if extent is None:
        whole_recording = Marker(WHOLE, "", 1, 1.0, 0.0)
        return StepDelimiters(Iterations(whole_recording, (whole_recording,)), None)
    sure, unsure, profiler = _candidates(timeline, extent, searched=wanted.startswith(DETECTED))
    candidates = [*sure, *unsure]
    whole_recording = Marker(WHOLE, "", 1, 1.0, float(extent[1] - extent[0]))
    markers = (*([] if profiler is None else [profiler]), *(marks.marker(extent) for marks in candidates))
    markers = (*dict.fromkeys(markers[:_MAX_LISTED]), whole_recording)
    if wanted == WHOLE or (not wanted and not sure and profiler is None):
        return StepDelimiters(Iterations(whole_recording, markers, _TRIED if not wanted else ""), None)
    if profiler is not None and wanted in ("", PROFILER):
        return StepDelimiters(Iterations(profiler, markers), None)
    marks = candidates[0] if not wanted else _asked(timeline, wanted, candidates, markers)
    marker = marks.marker(extent)
    if marker not in markers:
        markers = (*markers[:-1], marker, whole_recording)
    return StepDelimiters(Iterations(marker, markers), marks, () if wanted else _refused(timeline, marks))


def _refused(timeline: InterpretedTrace, chosen: Marks) -> tuple[str, ...]:
    if chosen.origin == ANNOTATION:
        return ()
    return tuple(
        marks.name
        for marks in marks_with_known_names(timeline)
        if marks.nested and len(marks.start_ns) + marks.nested >= MIN_OCCURRENCES
    )


def _candidates(
    timeline: InterpretedTrace, extent: tuple[int, int], *, searched: bool
) -> tuple[list[Marks], list[Marks], Marker | None]:
    """Returns (marks in order of preference, marks that only a user may choose, ProfilerStep).

    Modules and repetition are searched only if there is nothing else, or with `searched`.
    """
    rows = profiler_markers(timeline)
    profiler = None
    if len(rows):
        start, end = timeline.events.start_ns[rows], timeline.ends(rows)
        covered = int((end - start).sum())
        share = min(covered / max(extent[1] - extent[0], 1), 1.0)
        profiler = Marker(PROFILER, "ProfilerStep#*", len(rows), share, covered / len(rows))
    marks, unsure = known_marks(timeline, extent), list[Marks]()
    paths = sequences(timeline) if profiler is None or searched else []
    around, within = other_marks(timeline, extent, paths)
    marks += around or _turn_marks(timeline, extent, paths)
    training, in_part = training_marks(timeline, extent, paths)
    marks += training
    marks += within
    marks += known_marks(timeline, extent, WRAPPERS)
    marks += graph_marks(timeline, extent)
    if searched or not (marks or profiler):
        marks += _module_marks(timeline, extent, paths)
        repeated, unsure = repetition_marks(timeline, paths, extent)
        marks += repeated
    return marks, [] if marks else [*in_part, *unsure], profiler


def _asked(timeline: InterpretedTrace, wanted: str, candidates: list[Marks], markers: tuple[Marker, ...]) -> Marks:
    """Returns the marks that a user asked for, whether or not they look like iterations."""
    own = [marks for marks in candidates if wanted in (marks.origin, marks.marker((0, 1)).asked_as)]
    if own:
        return own[0]
    if wanted == GRAPH:
        marks = graph_launches(timeline)
    elif wanted in (PROFILER, OPTIMIZER, DETECTED) or wanted.startswith(f"{DETECTED}:"):
        raise MarkerMissing(f"no iterations by --step-marker {wanted}", hint=has(markers))
    else:
        marks = _matching(timeline, wanted)
    if len(marks.start_ns) < 2:
        what = "nothing" if not len(marks.start_ns) else "one range only"
        raise MarkerMissing(f"--step-marker {wanted} marks {what}", hint=has(markers))
    if len(marks.start_ns) > MAX_ITERATIONS:
        raise SelectionError(
            f"--step-marker {wanted} marks {len(marks.start_ns):,} iterations; "
            f"at most {MAX_ITERATIONS:,} can be compared",
            hint="choose a marker around more work, or record less",
        )
    return marks


def has(markers: tuple[Marker, ...]) -> str:
    """Lists the available markers, as a hint."""
    return f"there are: {'; '.join(marker.shown for marker in markers)}"


def _matching(timeline: InterpretedTrace, pattern: str) -> Marks:
    """Returns marks at events that match the pattern, or one of several.

    At annotations; if none matches, at other host events; else at device work.
    """
    all_rows = np.arange(len(timeline.events))
    host = all_rows[~timeline.is_device]
    globs = [glob_pattern(part) for part in pattern.split(BETWEEN)]
    all_names: dict[str, Ints] = {}
    for rows, encloses in ((annotation_rows(timeline), True), (host, False), (all_rows[timeline.is_device], False)):
        names = by_name(timeline, rows)
        codes = [own for name, own in names.items() if name == pattern or any(glob.match(name) for glob in globs)]
        if codes:
            marked = rows_named(timeline, rows, codes)
            return marks_of(timeline, ANNOTATION, pattern, marked, texts=True, encloses_steps=encloses)
        all_names |= names
    raise MarkerMissing(f"no event is named {pattern[:200]!r}", hint=choices(pattern, all_names))


_MAX_NAMES = 8


def _turn_marks(timeline: InterpretedTrace, extent: tuple[int, int], sequences: list[Sequence]) -> list[Marks]:
    """Returns marks at outermost annotations of two to eight names that cover most of the recording, in any order.

    Excludes parts of an iteration (forward, backward, update), which have a fixed order, and microbatches of a
    pipeline, where parameters are updated between some of them only.
    """
    rows = annotation_rows(timeline)
    names = dict(other_names(timeline, rows))
    outermost = marks_of(timeline, ANNOTATION, "", rows_named(timeline, rows, names.values()), texts=True)
    turns = [without_numbers(text) for text in outermost.texts]
    used = sorted({*turns})
    if not 2 <= len(used) <= _MAX_NAMES or not _in_any_order(turns, used):
        return []
    own = rows_named(timeline, rows, [names[name] for name in used])
    marks = marks_of(timeline, ANNOTATION, BETWEEN.join(used), own, texts=True, encloses_steps=True)
    inside = int(timeline.events.dur_ns[own[timeline.lane[own] == marks.lane]].sum())
    if not can_be_steps(marks, extent) or inside < AROUND * (extent[1] - extent[0]):
        return []
    updating = [score(sequence, marks.start_ns).updating for sequence in sequences]
    return [] if any(share is not None and share < IN_NEARLY_ALL for share in updating) else [marks]


def _in_any_order(turns: list[str], used: list[str]) -> bool:
    """Whether for most pairs of names each follows the other; with two names also each itself."""
    follow = {*pairwise(turns)}
    if len(used) == 2:
        return len(follow) == len(used) ** 2
    both_ways = [(a, b) in follow and (b, a) in follow for a, b in combinations(used, 2)]
    return 2 * sum(both_ways) > len(both_ways)


def _module_marks(timeline: InterpretedTrace, extent: tuple[int, int], sequences: list[Sequence]) -> list[Marks]:
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
    for name in np.flatnonzero(np.bincount(top.name) >= MIN_OCCURRENCES).tolist():
        start = top.start_ns[top.name == name]
        marks = Marks(DETECTED, module_name(timeline.events.strings[int(top.names[name])]), start, lane=top.lane)
        if not can_be_steps(marks, extent):
            continue
        scores = [score(sequence, start) for sequence in (top, *around)]
        alike = min(result.alike for result in scores)
        if alike >= MIN_LIKENESS and all(result.recurring >= MIN_RECURRING for result in scores):
            candidates.append((alike, replace(marks, alike=alike)))
    return [from_the_beginning(timeline, marks, sequences) for marks in best_first(candidates)]
