"""Work of single kernels: that of the operator call that launched the kernel, if it launched no other.

Docs: docs/method/work.md.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.grouping import Groups
from tb_perfcompare.analysis.columns.numbering import factorize, gather, numbered_pairs, rows_where
from tb_perfcompare.analysis.columns.operator_keys import kernel_places, operator_keys_of
from tb_perfcompare.analysis.entities.known_work import KnownWork, recorded_work, records_work
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Ints32, StepIndex, is_of
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.texts import Coded, TextPool

SEVERAL = "its operator launches several kernels"


def kernel_work(
    timeline: InterpretedTrace, step: StepIndex, steps: int, call_of: Ints32, kind: AnyInts, work: KnownWork,
    no_operator: str,
) -> tuple[Coded, KnownWork, tuple[Ints, Ints, Ints]]:  # fmt: skip
    """Assigns work to kernel launches, which are of k kinds: a kind is a kernel and a work.

    Returns ((k,) key of the kernel, (k) work of one operator call, (k, s) launches, their time, and launches without
    further ones of a call, so that each call's work counts once).

    call_of  (n + 1,) index of the operator call that an event belongs to, -1 for none
    kind     kind of each call, as an index into `work`

    The work of a call with one kernel, launched once or more, is that kernel's. With several kernels, or a copy, it is
    unknown which one did it. Work that the trace states for a kernel takes precedence.
    """
    events = timeline.events
    rows = rows_where(is_of(events.category, Category.KERNEL) & (step >= 0))
    key, names = _keys(timeline, rows)
    call = call_of[gather(timeline.operator, rows)]
    is_single, first = _single_kernel_calls(timeline, step, call_of, call, key, len(kind))
    several, nowhere = len(work.model), len(work.model) + 1
    all_work = work.followed_by([SEVERAL, no_operator])
    own = np.append(kind, nowhere)[call]
    what = np.where(is_single[call] | ~all_work.known[own], own, several)
    if records_work(events):
        number, stated = recorded_work(events, rows)
        what, first = np.where(number > 0, len(all_work.model) + number, what), first | (number > 0)
        all_work = all_work.followed_by([entry or SEVERAL for entry in stated])
    pairs, group = numbered_pairs(key, len(names), what, len(all_work.model))
    at, kinds = np.divmod(pairs, len(all_work.model))
    groups = Groups(group, len(pairs), (step, rows), steps)
    of_calls = groups.matrix(counted=np.where(first, group, -1))
    matrices = groups.matrix(), groups.matrix((events.dur_ns, rows)), of_calls
    return (at, TextPool(names)), all_work.of(kinds), matrices


def _keys(timeline: InterpretedTrace, rows: Ints32) -> tuple[Ints32, list[str]]:
    """Returns (index of each kernel's key, the keys)."""
    strings = timeline.events.strings
    used, name = factorize(gather(timeline.events.name, rows), len(strings))
    places, key = factorize(kernel_places(strings, used), len(operator_keys_of(strings).pool))
    return key[name], [operator_keys_of(strings).pool.texts[place] for place in places.tolist()]


def _single_kernel_calls(
    timeline: InterpretedTrace, step: StepIndex, call_of: Ints32, call: Ints32, key: Ints32, calls: int
) -> tuple[Flags, Flags]:
    """Returns ((c + 1,) whether one kernel did all work of a call, (r,) whether a launch is the first of its call).

    The last entry is for events without a call (-1).
    """
    low, high = np.full(calls + 1, np.iinfo(np.int32).max, dtype=np.int32), np.full(calls + 1, -1, dtype=np.int32)
    np.minimum.at(low, call, key)
    np.maximum.at(high, call, key)
    copies = rows_where(is_of(timeline.events.category, Category.MEMCPY) & (step >= 0))
    high[call_of[gather(timeline.operator, copies)]] = np.iinfo(np.int32).max
    number: Ints = np.arange(len(call))
    first = np.full(calls + 1, len(call))
    np.minimum.at(first, call, number)
    is_single: Flags = low == high
    return is_single, first[call] == number
