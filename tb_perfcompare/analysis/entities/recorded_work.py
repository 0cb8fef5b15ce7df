"""Work stated by the trace: FLOPs (`with_flops`, torch.compile) and gigabytes (torch.compile) of a call."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.grouping import argument_of
from tb_perfcompare.analysis.work.recorded_call import Work
from tb_perfcompare.model.arrays import EventIndex, Flags, Floats, Ints, Ints32
from tb_perfcompare.model.events import EventTable
from tb_perfcompare.model.summary.summary import STATED_WORK

ARGUMENTS = ("flops", "moved_gb")

_MOST = 2.0**56
"""Upper limit of plausible work of one call; larger values are ignored."""


def records_work(events: EventTable) -> bool:
    """Whether any event states its work."""
    return any(argument in events.args for argument in ARGUMENTS)


def recorded_work(events: EventTable, rows: EventIndex) -> tuple[Ints32, list[Work | None]]:
    """Returns (index of each row's work, the works). Work 0 is None: no positive FLOPs or bytes are stated."""
    flops, moved = (_integers(events, rows, *of) for of in zip(ARGUMENTS, (1.0, 1e9), strict=True))
    pairs, number = np.unique(np.stack([flops, moved]), axis=1, return_inverse=True)
    works: list[Work | None] = [
        Work(int(flop), int(byte), "", STATED_WORK) if flop or byte else None for flop, byte in pairs.T.tolist()
    ]
    if works[:1] != [None]:
        return (number.ravel() + 1).astype(np.int32), [None, *works]
    return number.ravel().astype(np.int32), works


def _integers(events: EventTable, rows: EventIndex, argument: str, unit: float) -> Ints:
    """(r,) Integer values of an argument, 0 if missing or implausible."""
    values: Floats = np.asarray(argument_of(events, argument, rows, 0.0), dtype=np.float64) * unit
    sensible: Flags = np.isfinite(values) & (values > 0) & (values <= _MOST)
    return np.rint(np.where(sensible, values, 0)).astype(np.int64)
