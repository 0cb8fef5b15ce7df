"""Iterations by annotations: record_function, NVTX ranges, annotations of engines and trainers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import used_codes
from tb_perfcompare.analysis.iterations.marks import (
    MIN_OCCURRENCES,
    Marks,
    best_first,
    can_be_steps,
    judged,
    marks_of,
    one_to_one,
)
from tb_perfcompare.analysis.iterations.sequences import Sequence, outside
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import Ints, are_in, is_of
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.names.collective_names import is_collective_annotation
from tb_perfcompare.model.names.kinds import glob_pattern, without_numbers
from tb_perfcompare.model.names.ranges import is_loader, is_optimizer, is_step
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.model.summary.iterations import ANNOTATION

KNOWN = (
    "execute_context_*",  # vLLM
    "execute_new_*_cached_*",
    "context_*_generation_*",
    "step[*",  # SGLang
    "[Executor] _forward_step*",  # TensorRT-LLM
    "[pl][profile]*run_training_batch",  # Lightning
    "train_step",
    "train_step *",
    "training_step",
    "iteration",
    "iteration *",
    "iteration_*",
    "iter *",
    "iter_*",
    "step *",
    "step_*",
)
"""Names of iterations in engines and trainers, with numbers taken out; the first that matches is used.

In names without a `*` in the middle, `*` matches only a number.
"""

WRAPPERS = ("gpu_model_runner: forward", "_forward_step", "## forward ##", "DistributedDataParallel.forward")
"""Names of annotations around a part of each iteration; tried last."""

AROUND = 0.8
"""Least share of the recording that annotations with unknown names cover if they enclose whole iterations."""

_FAMILIES = frozenset(KNOWN[:5])
_MAX_SCORED = 16


def annotation_rows(timeline: InterpretedTrace) -> Ints:
    """Returns the host annotations; if the host was not recorded, their copies on streams."""
    category = timeline.events.category
    rows = np.flatnonzero(is_of(category, Category.ANNOTATION))
    if len(rows) or timeline.is_host_work.any():
        return rows
    return np.flatnonzero(is_of(category, Category.DEVICE_ANNOTATION))


def by_name(timeline: InterpretedTrace, rows: Ints, likely: Iterable[int] | None = None) -> dict[str, Ints]:
    """Maps each name without numbers to the codes of these events' names with that form, in order of the string table.

    `likely`, if given, are ascending codes to restrict the search to.
    """
    texts = timeline.events.strings.texts
    used = used_codes(timeline.events.name[rows], len(texts))
    if likely is not None:
        used = used[are_in(used, np.fromiter(likely, np.int64))]
    codes_of: dict[str, list[int]] = {}
    for code in used.tolist():
        codes_of.setdefault(without_numbers(texts[code]), []).append(code)
    return {name: np.array(codes, dtype=np.int64) for name, codes in codes_of.items()}


def rows_named(timeline: InterpretedTrace, rows: Ints, codes: Iterable[Ints | list[int]]) -> Ints:
    wanted = np.zeros(len(timeline.events.strings), dtype=np.bool_)
    for group in codes:
        wanted[group] = True
    return rows[wanted[timeline.events.name[rows]]]


def known_marks(timeline: InterpretedTrace, extent: tuple[int, int], known: tuple[str, ...] = KNOWN) -> list[Marks]:
    """Returns marks at annotations with known names of iterations, if they can be steps."""
    return [marks for marks in marks_with_known_names(timeline, known) if can_be_steps(marks, extent)]


def marks_with_known_names(timeline: InterpretedTrace, known: tuple[str, ...] = KNOWN) -> list[Marks]:
    """Returns marks at annotations with known names of iterations, whether or not they can be steps."""
    events = timeline.events
    rows = annotation_rows(timeline)
    likely = _likely(events.strings, known)
    # category of annotations until 2021
    old = np.flatnonzero(is_of(events.category, Category.OPERATOR)) if likely else rows[:0]
    names = by_name(timeline, rows)
    for name, codes in by_name(timeline, old, likely).items():
        if any(_matches(pattern, name) for pattern in known):
            names[name] = np.concatenate([names.get(name, codes[:0]), codes])
    candidates = []
    for pattern in known:
        matching = [codes for name, codes in names.items() if _matches(pattern, name)]
        if matching:
            own = rows_named(timeline, np.concatenate([rows, old]), matching)
            encloses = pattern not in WRAPPERS
            candidates.append(marks_of(timeline, ANNOTATION, pattern, own, texts=True, encloses_steps=encloses))
    return candidates


def other_marks(
    timeline: InterpretedTrace, extent: tuple[int, int], sequences: list[Sequence]
) -> tuple[list[Marks], list[Marks]]:
    """Returns marks at annotations with other names that delimit iterations, best first.

    First those around most of each iteration, second those around a part of it.
    """
    rows = annotation_rows(timeline)
    around: list[tuple[float, Marks]] = []
    within: list[tuple[float, Marks]] = []
    unsure: list[Marks] = []
    for marks, own, share in _usable(timeline, extent, rows, other_names(timeline, rows)):
        result = judged(marks, sequences) or (_judged_outside(timeline, marks, own, sequences) if sequences else None)
        if result is not None:
            (around if share >= AROUND else within).append(result)
        elif share < AROUND:
            unsure.append(marks)
    within += [
        (value, replace(marks, alike=sure.alike))
        for marks in unsure
        for value, sure in within[:1]
        if one_to_one(marks, sure)
    ]
    return best_first(around), best_first(within)


def other_names(timeline: InterpretedTrace, rows: Ints) -> list[tuple[str, Ints]]:
    """Returns unknown names without numbers, and their codes, if they occur often enough; most frequent first."""
    count = np.bincount(timeline.events.name[rows], minlength=len(timeline.events.strings))
    names = [
        (-int(count[codes].sum()), name, codes)
        for name, codes in by_name(timeline, rows).items()
        if not (is_step(name) or is_loader(name) or is_optimizer(name) or is_collective_annotation(name))
        and not any(_matches(pattern, name) for pattern in (*KNOWN, *WRAPPERS))
    ]
    names.sort(key=itemgetter(0, 1))
    return [(name, codes) for minus_count, name, codes in names if -minus_count >= MIN_OCCURRENCES]


def _usable(
    timeline: InterpretedTrace, extent: tuple[int, int], rows: Ints, names: list[tuple[str, Ints]]
) -> list[tuple[Marks, Ints, float]]:
    """Returns marks that can be steps, their ranges in time order, and the share of the recording that these cover."""
    usable = []
    for name, codes in names:
        own = rows_named(timeline, rows, [codes])
        marks = marks_of(timeline, ANNOTATION, name, own, texts=True)
        if not can_be_steps(marks, extent):
            continue
        own = own[timeline.lane[own] == marks.lane]
        own = own[np.argsort(timeline.events.start_ns[own], kind="stable")]
        inside = int(timeline.events.dur_ns[own].sum())
        usable.append((marks, own, inside / max(extent[1] - extent[0], 1)))
        if len(usable) == _MAX_SCORED:
            break
    return usable


def _judged_outside(
    timeline: InterpretedTrace, marks: Marks, own: Ints, sequences: list[Sequence]
) -> tuple[float, Marks] | None:
    """Judges marks by the calls around their ranges, as the calls inside may differ (prefill and decode).

    Rejects layers of a model: around them are the model's first and last calls, which do not recur.
    """
    start, end = timeline.events.start_ns[own], timeline.ends(own)
    around = [part for part in (outside(sequence, start, end) for sequence in sequences) if len(part.name)]
    if not around:
        return 1.0, marks
    return judged(marks, around, fewest_names=1)


def _likely(strings: StringTable, patterns: tuple[str, ...]) -> list[int]:
    """Returns the codes of all texts that may match a pattern, by the text before its first `*`, which has no number.

    A prefilter: there may be a million operator names.
    """
    return strings.beginning(pattern.partition("*")[0] for pattern in patterns)


def _matches(pattern: str, name: str) -> bool:
    if pattern in _FAMILIES or pattern.startswith("[pl]"):
        return glob_pattern(pattern).match(name) is not None
    return name.lower() == pattern.lower()
