"""Work per kind of call as columns, shared by several tables, and of single kernels.

A kernel's work is that of the operator call that launched it, if it launched no other. Docs: docs/method/work.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_perfcompare.analysis.columns.grouping import Groups, argument_values
from tb_perfcompare.analysis.columns.numbering import factorize, gather, numbered_pairs, rows_where
from tb_perfcompare.analysis.columns.operator_keys import kernel_places, operator_keys_of
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.analysis.work.work import Work
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Flags, Floats, Ints, Ints32, StepIndex, is_of
from tb_perfcompare.model.events import Category, EventTable
from tb_perfcompare.model.summary.tables import STATED_WORK
from tb_perfcompare.model.texts import Coded, TextPool
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class KnownWork:
    """Work of w kinds of calls.

    one     (w, 2) FLOPs and bytes of one call; 0 if unknown
    model   (w,) index into `models`
    models  (data type, family, ""), or ("", "", why the work is unknown)
    """

    one: Ints
    model: Ints
    models: tuple[tuple[str, str, str], ...]

    @property
    def known(self) -> Flags:
        """(w,) Whether the work is known."""
        return np.array([not reason for *_, reason in self.models], dtype=bool)[self.model]

    def of(self, kinds: AnyInts) -> KnownWork:
        """Selects these kinds."""
        return KnownWork(self.one[kinds], self.model[kinds], self.models)

    def followed_by(self, works: Sequence[Work | str]) -> KnownWork:
        """Appends kinds with these works; a text is the reason why the work is unknown."""
        numbers = dict(zip(self.models, range(len(self.models)), strict=True))
        one: list[int] = []
        model: list[int] = []
        for work in works:
            if isinstance(work, str):
                one += (0, 0)
                model.append(numbers.setdefault(("", "", work), len(numbers)))
            else:
                one += (work.flops, work.bytes)
                model.append(numbers.setdefault((work.data_type, work.family, ""), len(numbers)))
        return KnownWork(
            np.concatenate([self.one, np.array(one, dtype=np.int64).reshape(-1, 2)]),
            np.concatenate([self.model, np.array(model, dtype=np.int64)]),
            tuple(numbers),
        )

    def without(self, chosen: Flags, reason: str) -> KnownWork:
        """Makes the work of the chosen kinds unknown for this reason; those unknown already keep their reason."""
        removed = np.flatnonzero(chosen & self.known)
        if not len(removed):
            return self
        added = self.followed_by([reason])
        one, model = self.one.copy(), self.model.copy()
        one[removed], model[removed] = 0, added.model[-1]
        return KnownWork(one, model, added.models)


NOTHING_KNOWN = KnownWork(np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64), ())
"""No kinds."""


_ARGUMENTS = ("flops", "moved_gb")

_MAX_VALUE = 2.0**56
"""Upper limit of plausible work of one call; larger values are ignored."""


def records_work(events: EventTable) -> bool:
    """Whether any event states its work."""
    return any(argument in events.args for argument in _ARGUMENTS)


def recorded_work(events: EventTable, rows: EventIndex) -> tuple[Ints32, list[Work | None]]:
    """Returns (index of each row's work, the works). Work 0 is None: no positive FLOPs or bytes are stated."""
    flops, moved = (_integers(events, rows, *of) for of in zip(_ARGUMENTS, (1.0, 1e9), strict=True))
    pairs, number = np.unique(np.stack([flops, moved]), axis=1, return_inverse=True)
    works: list[Work | None] = [
        Work(int(flop), int(byte), "", STATED_WORK) if flop or byte else None for flop, byte in pairs.T.tolist()
    ]
    if works[:1] != [None]:
        return (number.ravel() + 1).astype(np.int32), [None, *works]
    return number.ravel().astype(np.int32), works


def _integers(events: EventTable, rows: EventIndex, argument: str, unit: float) -> Ints:
    """(r,) Integer values of an argument, 0 if missing or implausible."""
    values: Floats = argument_values(events, argument, rows, 0.0) * unit
    sensible: Flags = np.isfinite(values) & (values > 0) & (values <= _MAX_VALUE)
    return np.rint(np.where(sensible, values, 0)).astype(np.int64)


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
