"""Who can own time: one entity per category and normalised name, and what each did in every step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.ownership import Claims, owned_time
from tb_perfcompare.analysis.steps import Windows
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.names import kernel_key, operator_key
from tb_perfcompare.model.summary import DEVICE_CATEGORIES, OwnedTime, StepCategory

Ints = NDArray[np.int64]

NOBODY = "(nothing recorded)"
"""Entity of the category Other: instants at which no event of the trace was active."""


def step_of(start_ns: Ints, windows: Windows) -> Ints:
    """(n,) index of the window an event starts in, -1 outside all."""
    if not len(windows.label):
        return np.full(len(start_ns), -1, dtype=np.int64)
    step = np.searchsorted(windows.start_ns, start_ns, side="right") - 1
    return np.where((step >= 0) & (start_ns < windows.end_ns[np.maximum(step, 0)]), step, -1)


def own(timeline: Timeline, windows: Windows, step: Ints) -> OwnedTime:
    """Owned time of every entity in every step; `step` (n,) is each event's step or -1."""
    events = timeline.events
    rows = np.flatnonzero(timeline.role >= 0)
    ranks = events.strings.ranks()
    order = np.lexsort(
        (ranks[events.name[rows]], events.external_id[rows], -events.dur_ns[rows], events.start_ns[rows])
    )
    rank = np.empty(len(rows), dtype=np.int64)
    rank[order] = np.arange(len(rows))
    entity, category, key, name = _entities(timeline, rows, ranks)
    claims = Claims(events.start_ns[rows], timeline.end_ns[rows], timeline.role[rows], entity, rank)
    time, rest = owned_time(claims, windows, len(key))
    steps = len(windows.label)
    counted = step[rows] >= 0
    flat = entity[counted] * steps + step[rows][counted]
    calls = np.bincount(flat, minlength=len(key) * steps).reshape(len(key), steps)
    plain = np.bincount(flat, weights=events.dur_ns[rows][counted], minlength=len(key) * steps)
    seen = np.flatnonzero((time.any(axis=1)) | (calls.any(axis=1))) if steps else np.zeros(0, dtype=np.int64)
    nothing = np.zeros((1, steps), dtype=np.int64)
    return OwnedTime(
        category=np.append(category[seen], np.int8(StepCategory.OTHER)),
        key=(*(key[i] for i in seen.tolist()), NOBODY),
        name=(*(name[i] for i in seen.tolist()), NOBODY),
        time_ns=np.vstack([time[seen], rest[None, :]]),
        plain_ns=np.vstack([plain.reshape(len(key), steps).astype(np.int64)[seen], rest[None, :]]),
        calls=np.vstack([calls[seen].astype(np.int64), nothing]),
    )


def _entities(timeline: Timeline, rows: Ints, ranks: Ints) -> tuple[Ints, NDArray[np.int8], list[str], list[str]]:
    """(entity of each row, category, key and display name of each entity)."""
    events = timeline.events
    texts = events.strings.texts
    role, name = timeline.role[rows].astype(np.int64), events.name[rows].astype(np.int64)
    pairs, pair_of = np.unique(role * len(texts) + name, return_inverse=True)
    index: dict[tuple[int, str], int] = {}
    shown: list[str] = []
    entity_of_pair = np.zeros(len(pairs), dtype=np.int64)
    pair_role, pair_name = np.divmod(pairs, max(len(texts), 1))
    for at in np.argsort(ranks[pair_name] if len(pairs) else pair_name, kind="stable").tolist():
        kind, text = int(pair_role[at]), texts[int(pair_name[at])]
        is_device = StepCategory(kind) in DEVICE_CATEGORIES
        key = (kind, kernel_key(text) if is_device else operator_key(text))
        if key not in index:
            index[key] = len(index)
            shown.append(text)
        entity_of_pair[at] = index[key]
    category = np.array([kind for kind, _ in index], dtype=np.int8)
    return entity_of_pair[pair_of.reshape(-1)], category, [text for _, text in index], shown
