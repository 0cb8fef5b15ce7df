"""Work per kind of call as columns, shared by several tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_perfcompare.analysis.columns.grouping import argument_values
from tb_perfcompare.analysis.work.recorded_call import Work
from tb_perfcompare.model.arrays import AnyInts, EventIndex, Flags, Floats, Ints, Ints32
from tb_perfcompare.model.events import EventTable
from tb_perfcompare.model.summary.summary import STATED_WORK
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
