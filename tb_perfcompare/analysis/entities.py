"""Who can own time: one entity per category and normalised name, and what each did in every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.flags import among
from tb_perfcompare.analysis.grouping import grouped
from tb_perfcompare.analysis.owned_parts import owned_parts
from tb_perfcompare.analysis.ownership import Claims, Shares, owned_shares
from tb_perfcompare.analysis.passes import Coded
from tb_perfcompare.analysis.steps import Windows
from tb_perfcompare.analysis.timeline import Timeline
from tb_perfcompare.model.events import Category, EventTable
from tb_perfcompare.model.names import kernel_key, operator_key
from tb_perfcompare.model.split_time import distinct
from tb_perfcompare.model.summary import DEVICE_CATEGORIES, NOBODY, PROFILER_WORK, OwnedTime, StepCategory

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """The events that may own time, and what each owns: m rows of e entities.

    row     (m,) int64 row of the EventTable
    role    (m,) int8 StepCategory
    shares  its claims are these rows
    entity  (m,) int64 its entity
    category, key, name  of each entity: (e,) int8 StepCategory, e texts that join two runs, e raw names to show
    """

    row: Ints
    role: NDArray[np.int8]
    shares: Shares
    entity: Ints
    category: NDArray[np.int8]
    key: list[str]
    name: list[str]


def step_of(start_ns: Ints, windows: Windows) -> Ints:
    """(n,) index of the window an event starts in, -1 outside all."""
    if not len(windows.label):
        return np.full(len(start_ns), -1, dtype=np.int64)
    edges = np.sort(np.concatenate([windows.start_ns, windows.end_ns]))
    step = np.searchsorted(windows.start_ns, edges, side="right") - 1
    step = np.where((step >= 0) & (edges < windows.end_ns[np.maximum(step, 0)]), step, -1)
    # from one edge to the next nothing changes
    return np.append(-1, step)[np.searchsorted(edges, start_ns, side="right")]


def find_owners(timeline: Timeline, windows: Windows) -> Owners:
    """Who owns which part of every step, event by event."""
    rows, role, shares = find_shares(timeline, windows)
    return Owners(rows, role, shares, *_entities(timeline, rows, role))


def find_shares(timeline: Timeline, windows: Windows) -> tuple[Ints, NDArray[np.int8], Shares]:
    """`row`, `role` and `shares` of Owners, which is all that categories need."""
    events = timeline.events
    role = _roles(timeline)
    rows = np.flatnonzero(role >= 0)
    # Of equal spans the one asked for later counts as started later. Work of one name and id may still have different
    # callers, by their launches or threads.
    name, lane = Coded(events.name, events.strings.ranks()), Coded(events.lane, _lane_ranks(events))
    claims = Claims(events.start_ns, timeline.end_ns, role, (events.external_id, name, events.correlation, lane))
    return rows, role[rows], owned_shares(claims, windows)


def _lane_ranks(events: EventTable) -> Ints:
    """Place of each lane by the texts of its process and thread, however often and in whichever order lanes come."""
    texts = [(str(pid), str(tid)) for pid, tid in zip(events.lanes.pid, events.lanes.tid, strict=True)]
    place = {text: number for number, text in enumerate(sorted(set(texts)))}
    return np.array([place[text] for text in texts], dtype=np.int64)


def own(timeline: Timeline, owners: Owners, step: Ints, steps: int) -> OwnedTime:
    """Owned time of every entity in every step; `step` (n,) is each event's step or -1."""
    events, rows, shares = timeline.events, owners.row, owners.shares
    entity, category, key, name = owners.entity, owners.category, owners.key, owners.name
    size = len(key) * steps
    time = np.bincount(entity[shares.claim] * steps + shares.step, weights=shares.time_ns, minlength=size)
    time = time.astype(np.int64).reshape(len(key), steps)
    rest = np.bincount(shares.gap_step, weights=shares.gap_end - shares.gap_start, minlength=steps).astype(np.int64)
    counted = np.flatnonzero(step[rows] >= 0)
    starting = grouped(entity[counted], len(key), step[rows[counted]], steps)
    calls, plain = starting.matrix(), starting.matrix(events.dur_ns[rows[counted]])
    del counted, starting  # what follows needs the room
    seen = np.flatnonzero((time.any(axis=1)) | (calls.any(axis=1))) if steps else np.zeros(0, dtype=np.int64)
    nothing = np.zeros((1, steps), dtype=np.int64)
    known = list(zip(category.tolist(), key, strict=True))
    return OwnedTime(
        category=np.append(category[seen], np.int8(StepCategory.OTHER)),
        key=(*(key[i] for i in seen.tolist()), NOBODY),
        name=(*(name[i] for i in seen.tolist()), NOBODY),
        time_ns=np.vstack([time[seen], rest[None, :]]),
        plain_ns=np.vstack([plain[seen], rest[None, :]]),
        calls=np.vstack([calls[seen], nothing]),
        parts=owned_parts(timeline, rows, shares, entity, known, step),
    )


def _roles(timeline: Timeline) -> NDArray[np.int8]:
    """Roles, and Other for what only explains a gap between the rest: the profiler's own work and Python functions."""
    explains = among(timeline.events.category, (Category.OVERHEAD, Category.PYTHON_FUNCTION)) & (timeline.role < 0)
    return np.where(explains, np.int8(StepCategory.OTHER), timeline.role)


def _entities(
    timeline: Timeline, rows: Ints, roles: NDArray[np.int8]
) -> tuple[Ints, NDArray[np.int8], list[str], list[str]]:
    """(entity of each row, category, key and display name of each entity)."""
    events = timeline.events
    texts, ranks = events.strings.texts, events.strings.ranks()
    role, name = roles.astype(np.int64), events.name[rows].astype(np.int64)
    pairs, pair_of = distinct(role * len(texts) + name, len(StepCategory) * len(texts))
    overhead = np.zeros(len(texts), dtype=bool)
    overhead[events.name[events.category == Category.OVERHEAD]] = True
    index: dict[tuple[int, str], int] = {}
    shown: list[str] = []
    entity_of_pair = np.zeros(len(pairs), dtype=np.int64)
    pair_role, pair_name = np.divmod(pairs, max(len(texts), 1))
    kinds, names = pair_role.tolist(), pair_name.tolist()
    for at in np.argsort(ranks[pair_name] if len(pairs) else pair_name, kind="stable").tolist():
        kind, text = kinds[at], texts[names[at]]
        key = (kind, kernel_key(text) if kind in DEVICE_CATEGORIES else operator_key(text))
        if kind == StepCategory.OTHER and overhead[names[at]]:
            key = (kind, PROFILER_WORK)
        if key not in index:
            index[key] = len(index)
            shown.append(text)
        entity_of_pair[at] = index[key]
    category = np.array([kind for kind, _ in index], dtype=np.int8)
    return entity_of_pair[pair_of], category, [text for _, text in index], shown
