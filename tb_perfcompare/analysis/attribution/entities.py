"""Entities, which own time: one per category and normalized name, with its time and calls in every step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.attribution.owned_parts import owned_parts
from tb_perfcompare.analysis.attribution.ownership import LAST, Claims, Shares, owned_shares
from tb_perfcompare.analysis.columns.event_masks import is_one_of
from tb_perfcompare.analysis.columns.grouping import Groups
from tb_perfcompare.analysis.columns.native_passes import Coded
from tb_perfcompare.analysis.columns.numbering import gather, numbered_pairs, rows_where, scatter_add
from tb_perfcompare.analysis.columns.operator_keys import kernel_places, operator_keys_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.trace.steps import Windows
from tb_perfcompare.analysis.trace.threads import on_other_threads
from tb_perfcompare.model.arrays import (
    EventIndex,
    Ints,
    Ints32,
    StepIndex,
    is_of,
    places_of,
    stable_order,
    unique_places,
)
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.summary.categories import DEVICE_CATEGORIES, NOTHING_RECORDED, PROFILER_WORK, StepCategory
from tb_perfcompare.model.summary.tables import OwnedTime
from tb_perfcompare.model.texts import Texts, column
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """The m events that may own time, their shares of each step, and their e entities.

    row       (m,) int32 row of the EventTable
    role      (m,) int8 StepCategory
    shares    its claims are these rows
    entity    (m,) int32 entity of each row
    category  (e,) int8 StepCategory
    key       (e) texts that match entities of two runs
    name      (e) raw names to show; like the keys, of OperatorKeys.pool
    """

    row: Ints32
    role: NDArray[np.int8]
    shares: Shares
    entity: Ints32
    category: NDArray[np.int8]
    key: Texts
    name: Texts


def find_owners(timeline: InterpretedTrace, windows: Windows) -> Owners:
    """Finds what each event owns of every step, and the entity of each event."""
    rows, role, shares = find_shares(timeline, windows)
    return Owners(rows, role, shares, *_entities(timeline, rows, role))


def find_shares(timeline: InterpretedTrace, windows: Windows) -> tuple[Ints32, NDArray[np.int8], Shares]:
    """Returns `row`, `role` and `shares` of Owners: enough for times by category."""
    events = timeline.events
    role = _roles(timeline)
    rows = rows_where(role >= 0)
    # Of equal spans the one requested later (by external id) counts as started later. Events with one name and id may
    # still differ in their callers, hence the launch (correlation) and the thread (lane).
    name = Coded(events.name, events.strings.ranks())
    priority = np.where(on_other_threads(timeline), np.int8(LAST), role)
    ties = events.external_id, name, events.correlation, timeline.lane
    claims = Claims(events.start_ns, events.dur_ns, priority, ties)
    return rows, gather(role, rows), owned_shares(claims, windows)


def own(timeline: InterpretedTrace, owners: Owners, step: StepIndex, steps: int) -> OwnedTime:
    """Returns the owned time of every entity in every step; `step` (n,) is each event's step or -1."""
    events, rows, shares = timeline.events, owners.row, owners.shares
    entity, category, key, name = owners.entity, owners.category, owners.key, owners.name
    time = scatter_add((entity, shares.claim), len(key), shares.step, steps, shares.time_ns)
    rest = scatter_add(shares.gap_step, steps, value=shares.gap_end - shares.gap_start)[:, 0]
    starting = Groups(entity, len(key), (step, rows), steps)
    calls, plain = starting.matrix(), starting.matrix((events.dur_ns, rows))
    seen = np.flatnonzero((time.any(axis=1)) | (calls.any(axis=1))) if steps else np.zeros(0, dtype=np.int64)
    no_calls = np.zeros((1, steps), dtype=np.int64)
    idle = operator_keys_of(events.strings).places((NOTHING_RECORDED,))
    return OwnedTime(
        category=np.append(category[seen], np.int8(StepCategory.OTHER)),
        key=column(np.append(key.code[seen], idle), key.pool),
        name=column(np.append(name.code[seen], idle), name.pool),
        time_ns=np.vstack([time[seen], rest[None, :]]),
        plain_ns=np.vstack([plain[seen], rest[None, :]]),
        calls=np.vstack([calls[seen], no_calls]),
        parts=owned_parts(timeline, rows, shares, entity, (category, key), step, steps),
    )


def _roles(timeline: InterpretedTrace) -> NDArray[np.int8]:
    """(n,) Role of each event; Other for events that only explain gaps: profiler overhead and Python functions."""
    explains = is_one_of(timeline.events.category, (Category.OVERHEAD, Category.PYTHON_FUNCTION)) & (timeline.role < 0)
    return np.where(explains, np.int8(StepCategory.OTHER), timeline.role)


def _entities(
    timeline: InterpretedTrace, rows: EventIndex, roles: NDArray[np.int8]
) -> tuple[Ints32, NDArray[np.int8], Texts, Texts]:
    """Returns (entity of each row, category, key and display name of each entity), ordered by first raw name."""
    events = timeline.events
    strings, keys = events.strings, operator_keys_of(events.strings)
    pairs, pair_of = numbered_pairs(roles, len(StepCategory), gather(events.name, rows), len(strings))
    role, name = np.divmod(pairs, max(len(strings), 1))
    place = _key_places(timeline, role, name)
    code, entity = unique_places(role * len(keys.pool) + place)  # nearly sorted already
    first = np.full(len(code), len(strings))
    if len(pairs):
        np.minimum.at(first, entity, strings.ranks()[name])
    order = stable_order(first)
    number = places_of(order, len(order))
    category, place = np.divmod(code[order], max(len(keys.pool), 1))
    return (
        gather(gather(number, entity), pair_of),
        category.astype(np.int8),
        Texts(place.astype(np.int32), keys.pool),
        Texts(strings.in_order()[first[order]], keys.pool),
    )


def _key_places(timeline: InterpretedTrace, role: Ints, name: Ints) -> Ints32:
    """(p,) Index into OperatorKeys.pool of the key of each (role, name) pair."""
    events = timeline.events
    overhead = np.zeros(len(events.strings) + 1, dtype=bool)
    overhead[events.name[is_of(events.category, Category.OVERHEAD)]] = True
    is_device = np.zeros(len(StepCategory), dtype=bool)
    is_device[list(DEVICE_CATEGORIES)] = True
    host, at = ~is_device[role], np.flatnonzero(is_device[role])
    keys = operator_keys_of(events.strings)
    place = np.zeros(len(role), dtype=np.int32)
    place[host] = keys.of(name[host])
    place[is_of(role, StepCategory.OTHER) & overhead[name]] = keys.places((PROFILER_WORK,))[0]
    place[at] = kernel_places(events.strings, name[at])
    return place
