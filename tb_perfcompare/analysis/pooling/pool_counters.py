"""Counters of several captures side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.summary import CounterSeries, Summary


def pool_counters(summaries: Sequence[Summary]) -> tuple[CounterSeries | None, tuple[Note, ...]]:
    """One series over the steps of all captures, in their order; None when no capture has counters.

    A capture that lacks a counter has no value and no samples in its steps. One that has it in another unit than the
    first does not mix with it and counts as lacking it; a note says so.
    """
    parts = [summary.counters for summary in summaries]
    units: dict[tuple[str, str], str] = {}
    for part in parts:
        for key, unit in zip(part.keys, part.units, strict=True) if part is not None else ():
            units.setdefault(key, unit)
    if not units:
        return None, ()
    rows = {key: row for row, key in enumerate(units)}
    shape = (len(rows), sum(len(summary.steps) for summary in summaries))
    mean, sd = np.full(shape, np.nan), np.full(shape, np.nan)
    coverage, samples = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    notes = []
    start = 0
    for summary, part in zip(summaries, parts, strict=True):
        stop = start + len(summary.steps)
        if part is not None:
            same = [own for own, key in enumerate(part.keys) if part.units[own] == units[key]]
            at = [rows[part.keys[own]] for own in same]
            for whole, one in ((mean, part.mean), (sd, part.sd), (coverage, part.coverage), (samples, part.samples)):
                whole[at, start:stop] = one[same]
            odd = [f"{key[0]} of {key[1]}" for own, key in enumerate(part.keys) if own not in set(same)]
            if odd:
                message = f"in another unit than in the first capture and left out: {', '.join(odd)}"
                notes.append(Note(NoteCode.COUNTERS_UNUSABLE, message, summary.captures[0].file.path))
        start = stop
    return CounterSeries(tuple(units), tuple(units.values()), mean, sd, coverage, samples), tuple(notes)
