"""The retained events of a trace in time order, with the numbers as torch-tb-profiler computes with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.compat.events.intervals import Numbers, scalar
from tb_perfcompare.analysis.compat.events.kinds import STEP_PREFIX, Kind, step_label
from tb_perfcompare.analysis.compat.events.variant import Variant
from tb_perfcompare.model.arrays import Flags, Ints, LaneIndex, NameIndex
from tb_perfcompare.model.events import ABSENT, Category, EventTable
from tb_perfcompare.model.recordings.recording import DUR_FRACTION, TS_FRACTION, TraceRecording

_LIGHTNING_PROFILE = "[pl][profile]"
_LIGHTNING_MODULE = "[pl][module]"
_EXACT_DOUBLE = 2**53


@dataclass(frozen=True, eq=False)
class EventStream:
    """Retained events, n of them, stably sorted by start.

    table        the recording's events
    texts        all strings; `name` indexes it
    row          (n,) row in the recording's event table
    kind         (n,) Kind
    name, lane   (n,) int32
    start, end, dur   (n,) microseconds, see microseconds()
    external_id, correlation   (n,) int64, ABSENT if missing
    lightning    PyTorch Lightning wrote the trace
    skipped      events left out because a field is unusable, by reason
    """

    table: EventTable
    variant: Variant
    texts: Sequence[str]
    row: Ints
    kind: NDArray[np.int8]
    name: NameIndex
    lane: LaneIndex
    start: Numbers
    end: Numbers
    dur: Numbers
    external_id: Ints
    correlation: Ints
    lightning: bool
    skipped: dict[str, int]

    def __len__(self) -> int:
        return len(self.row)

    def of(self, *kinds: Kind) -> Ints:
        """Positions of the events of these kinds, ascending."""
        mask = self.kind == kinds[0]
        for kind in kinds[1:]:
            mask |= self.kind == kind
        return np.flatnonzero(mask)

    def named(self, test: Callable[[str], object]) -> Flags:
        """(n,) truth of `test` for each event's name; the test runs once per distinct name."""
        table = np.zeros(len(self.texts), dtype=np.bool_)
        for index in self.distinct_names:
            table[index] = bool(test(self.texts[index]))
        truth: Flags = table[self.name]
        return truth

    @cached_property
    def distinct_names(self) -> list[int]:
        """Indices into `texts` that are names of retained events."""
        used = np.zeros(len(self.texts), dtype=np.bool_)
        used[self.name] = True
        indices: list[int] = np.flatnonzero(used).tolist()
        return indices

    @cached_property
    def thread_of_lane(self) -> tuple[int | None, ...]:
        """Thread number per lane; None where `tid` is no number."""
        return tuple(_integer(tid) for tid in self.table.lanes.tid)

    def argument(self, column: str, positions: NDArray[Any], missing: int | float) -> NDArray[Any]:
        """Values of an argument for the events at `positions`, `missing` where absent."""
        values: NDArray[Any] = self.table.arg(column, missing)[self.row[positions]]
        return values

    @property
    def first_start(self) -> int | float:
        """Earliest start of all retained events, memory events included; 0 without events."""
        return scalar(self.start[0]) if len(self) else 0


def read_stream(recording: TraceRecording, variant: Variant) -> EventStream:
    """The retained events of a recording."""
    table = recording.events
    lightning = recording.properties.get("Framework") == "pytorch-lightning"
    kind = _kinds(table, variant)
    name = table.name.copy()
    skipped = {"step marker without a number": _mark_steps(table, kind)}
    texts: Sequence[str] = table.strings.texts
    if lightning:
        texts = _mark_lightning(table, kind, name)
    kept = np.flatnonzero(kind != Kind.UNKNOWN)
    start = _written(recording, table.start_ns, kept, TS_FRACTION)
    order = np.argsort(start, kind="stable")
    row = kept[order]
    start = start[order]
    dur = _written(recording, table.dur_ns, row, DUR_FRACTION)
    return EventStream(
        table=table,
        variant=variant,
        texts=texts,
        row=row,
        kind=kind[row],
        name=name[row],
        lane=table.lane[row],
        start=start,
        end=start + dur,
        dur=dur,
        external_id=table.external_id[row],
        correlation=table.correlation[row],
        lightning=lightning,
        skipped={reason: count for reason, count in skipped.items() if count},
    )


def _written(recording: TraceRecording, ns: Ints, rows: Ints, which: int) -> Numbers:
    """Microseconds of these rows. Where some were written with a fraction and some without, Python's own numbers:
    whether a sum is "0us" or "0.0us" depends on each of them."""
    if recording.fractions is None:
        return microseconds(ns[rows], recording.fractional_times)
    is_fraction = (recording.fractions[rows] & which) > 0
    mixed: NDArray[Any] = microseconds(ns[rows], fractional=True).astype(object)
    mixed[~is_fraction] = microseconds(ns[rows][~is_fraction], fractional=False).astype(object)
    return mixed


def microseconds(ns: Ints, fractional: bool) -> Numbers:
    """Nanoseconds as the microseconds a JSON parser makes of them.

    Whole traces give int64. Fractional ones give the double nearest to the decimal fraction, also for absolute stamps
    beyond 2**53 ns: there whole microseconds are exact and the thousandths are far finer than half a unit in the last
    place, so that one rounding remains.
    """
    if not fractional:
        return ns // 1000
    whole, rest = np.divmod(ns, 1000)
    return np.where(np.abs(ns) < _EXACT_DOUBLE, ns / 1000.0, whole + rest / 1000.0)


def _kinds(table: EventTable, variant: Variant) -> NDArray[np.int8]:
    """(rows,) Kind by spelling of the category; memory events by their phase."""
    by_spelling = np.full(max(len(table.strings), 1), Kind.UNKNOWN, dtype=np.int8)
    for index in np.unique(table.raw_category).tolist():
        by_spelling[index] = variant.categories.get(table.strings[index].lower(), Kind.UNKNOWN)
    kind = by_spelling[table.raw_category]
    kind[table.category == Category.MEMORY] = Kind.MEMORY
    module = (kind == Kind.PYTHON_FUNCTION) & (table.arg("python_module_id", ABSENT) != ABSENT)
    kind[module] = Kind.MODULE
    return kind


def _mark_steps(table: EventTable, kind: NDArray[np.int8]) -> int:
    """Turns step markers into steps, also those on device streams; forgets (and counts) markers without a number."""
    hosts = (kind == Kind.OPERATOR) | (kind == Kind.ANNOTATION)
    bad = 0
    for index in np.unique(table.name[hosts]).tolist():
        text = table.strings[index]
        if text.startswith(STEP_PREFIX):
            marked = hosts & (table.name == index)
            usable = step_label(text) is not None
            kind[marked] = Kind.STEP if usable else Kind.UNKNOWN
            bad += 0 if usable else int(np.count_nonzero(marked))
    return bad


def _mark_lightning(table: EventTable, kind: NDArray[np.int8], name: NameIndex) -> list[str]:
    """Gives Lightning's own regions their kinds and short names; returns the texts with the short names added."""
    kind[(kind == Kind.PYTHON_FUNCTION) | (kind == Kind.MODULE)] = Kind.UNKNOWN
    texts = list(table.strings.texts)
    operators = kind == Kind.OPERATOR
    for index in np.unique(table.name[operators]).tolist():
        text = table.strings[index]
        if text.startswith(_LIGHTNING_PROFILE):
            new, short = Kind.LIGHTNING_PROFILE, text[len(_LIGHTNING_PROFILE) :]
        elif text.startswith(_LIGHTNING_MODULE):
            new, short = Kind.LIGHTNING_MODULE, text[len(_LIGHTNING_MODULE) :].split(": ", 1)[-1]
        else:
            continue
        marked = operators & (table.name == index)
        kind[marked] = new
        name[marked] = len(texts)
        texts.append(short)
    return texts


def _integer(tid: int | str) -> int | None:
    """The number, None for a text that is none and for what fits into no column."""
    try:
        number = int(tid)
    except ValueError:
        return None
    return number if ABSENT < number < 2**63 else None
