"""Converts counter events (`ph` C) to columns of the numbers in their `args`.

    {"ph": "C", "name": "GPU 0 Utilization", "pid": 0, "ts": 1691.047, "args": {"GPU Utilization": 0.75}}

A scanner passes its counter events, decoded as `Event`, to a CounterBuilder. They are interpreted here and in
counter_samples.py, independently of the scanner. docs/inputs/trace_format.md has the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, compress
from operator import attrgetter, methodcaller
from typing import Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Floats, Ints, Ints32, NameIndex, Nanoseconds
from tb_perfcompare.model.recordings.recording import HOST_DEVICE
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.trace.columns.event import Counts, Event
from tb_perfcompare.sources.trace.columns.growable_array import GrowableArray
from tb_perfcompare.sources.trace.columns.interning import Names, Place, normalized_id
from tb_perfcompare.sources.trace.columns.numbers import parse_floats, parse_integers, parse_times

NOT_STATED = -2
"""Device of a sample whose `args` do not state it."""

CounterPlace: TypeAlias = tuple[Place, Place, bytes]
"""(process, thread) as written, and the JSON text of `id`, b"null" without one."""

_DEVICE_KEYS = ("device", "Device Id")
_NO_SERIES = frozenset({*_DEVICE_KEYS, "Device Type", "External id", "external id", "correlation", "Ev Idx"})
_HOLDERS = ("args", "value")
_NUMBER_BYTES = np.frombuffer(b"-0123456789", np.uint8)
_NULL_BYTE = ord("n")
_LARGEST_DEVICE = int(np.iinfo(np.int32).max)
_GAP = b"\0"

Args: TypeAlias = Mapping[str, msgspec.Raw]
_NO_ARGS: Args = {}
_ARGS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)
_UNREADABLE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
_values, _ts, _name = methodcaller("values"), attrgetter("ts"), attrgetter("name")
_PHASE = "C"


@dataclass(frozen=True, slots=True, eq=False)
class CounterColumns:
    """The numbers of counter events in file order, m rows, and counts of the events.

    strings  texts of `name` and `series`
    name     (m,) int32 name of the event
    series   (m,) int32 key of the number
    place    (m,) int32 index into `places`
    device   (m,) int32 as stated in `args`: a number, HOST_DEVICE for a negative one, NOT_STATED for none
    time_ns  (m,) int64
    value    (m,) float64, finite
    places   distinct places, in order of first appearance
    seen     counter events: seen = kept + dropped + skipped
    kept     events with at least one row
    counts   what was dropped, skipped, repaired and rounded; its `seen` is 0, as the caller counts all elements
    """

    strings: StringTable
    name: NameIndex
    series: Ints32
    place: Ints32
    device: Ints32
    time_ns: Nanoseconds
    value: Floats
    places: tuple[CounterPlace, ...]
    seen: int
    kept: int
    counts: Counts

    def __len__(self) -> int:
        return len(self.time_ns)


class CounterBuilder:
    """Takes decoded counter events in file order; `finish` returns the columns."""

    def __init__(self) -> None:
        self._strings = StringTable()
        self._texts = Names(self._strings)
        self._places: dict[CounterPlace, int] = {}
        self._columns: tuple[GrowableArray[Any], ...] = (
            GrowableArray(np.int32), GrowableArray(np.int32), GrowableArray(np.int32), GrowableArray(np.int32),
            GrowableArray(np.int64), GrowableArray(np.float64),
        )  # fmt: skip
        self._seen = 0
        self._kept = 0
        self._counts = Counts()

    def add(self, events: Sequence[Event]) -> None:
        """Adds the next counter events of the file."""
        self._seen += len(events)
        arguments = [_flattened(event.args) if event.args else _NO_ARGS for event in events]
        numbers = find_numbers(arguments)
        name = np.fromiter(map(self._texts.__getitem__, map(_name, events)), np.int32, len(events))
        times = parse_times(list(map(_ts, events)))
        good = numbers.has_number & (name >= 0) & times.valid
        without = compress(events, ~numbers.has_number & ~numbers.missing)
        self._counts.skipped.update(f"{_PHASE}/{event.cat or ''}" for event in without)
        self._drop("counter value", ~numbers.has_number & numbers.missing)
        self._drop("name", numbers.has_number & (name < 0))
        self._drop("ts", numbers.has_number & (name >= 0) & ~times.valid)
        self._kept += int(np.count_nonzero(good))
        lost = int(numbers.lost[good].sum())
        if lost:
            self._counts.repaired["counter values beyond a double"] += lost
        # only kept events: the time of a dropped one does not matter
        kept_times = times if good.all() else parse_times([event.ts for event in compress(events, good)])
        self._counts.finer += kept_times.finer
        chosen = good[numbers.event]
        event = numbers.event[chosen]
        series = [self._texts[key] for key in compress(numbers.key, chosen)]
        parts: tuple[NDArray[Any], ...] = (
            name[event],
            np.array(series, np.int32),
            np.fromiter(map(self._place, events), np.int32, len(events))[event],
            _devices(arguments)[event],
            times.ns[event],
            numbers.value[chosen],
        )
        for column, part in zip(self._columns, parts, strict=True):
            column.append(part)

    def finish(self) -> CounterColumns:
        """All columns; the builder is empty afterwards."""
        name, series, place, device, time_ns, value = (column.finish() for column in self._columns)
        return CounterColumns(
            self._strings, name, series, place, device, time_ns, value, tuple(self._places), self._seen, self._kept,
            self._counts,
        )  # fmt: skip

    def _place(self, event: Event) -> int:
        place = (normalized_id(event.pid), normalized_id(event.tid), bytes(event.id))
        return self._places.setdefault(place, len(self._places))

    def _drop(self, reason: str, rows: Flags) -> None:
        count = int(np.count_nonzero(rows))
        if count:
            self._counts.dropped[reason] += count


def no_counters() -> CounterColumns:
    """The columns of a trace without counter events."""
    return CounterBuilder().finish()


def _flattened(args: Args) -> Args:
    """The arguments, with members of an object (or of its text) under "args" or "value" moved up one level."""
    for holder in _HOLDERS:
        held = args.get(holder)
        inner = _object(bytes(held)) if held is not None else None
        if inner is not None:
            args = {**inner, **{key: value for key, value in args.items() if key != holder}}
    return args


def _object(text: bytes) -> Args | None:
    """Members of a JSON object, or of an object written as a JSON text; None for anything else."""
    if text[:1] not in (b"{", b'"'):
        return None
    try:
        if text[:1] == b'"':
            text = _TEXT.decode(text).encode()
            if not text.lstrip().startswith(b"{"):
                return None
        return _ARGS.decode(text)
    except _UNREADABLE:
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The k finite numbers in the arguments of n events.

    event       (k,) int64 index of the event
    key         k keys
    value       (k,) float64
    has_number  (n,) whether the event has a number
    lost        (n,) int64 count of numbers beyond the range of a double
    missing     (n,) whether a number is lost or `null`
    """

    event: Ints
    key: list[str]
    value: Floats
    has_number: Flags
    lost: Ints
    missing: Flags


def find_numbers(arguments: Sequence[Args]) -> Numbers:
    """Finds the numbers in the arguments of events."""
    n = len(arguments)
    event = np.repeat(np.arange(n), np.fromiter(map(len, arguments), np.int64, n))
    keys = list(chain.from_iterable(arguments))
    texts = list(chain.from_iterable(map(_values, arguments)))
    is_series = np.fromiter((key not in _NO_SERIES for key in keys), np.bool_, len(keys))
    first = _first_bytes(texts)
    is_number = is_series & np.isin(first, _NUMBER_BYTES)
    value, finite = parse_floats(list(compress(texts, is_number)))
    lost = np.bincount(event[is_number][~finite], minlength=n)
    gaps = np.bincount(event[is_series & (first == _NULL_BYTE)], minlength=n)
    event_of_number = event[is_number][finite]
    return Numbers(
        event=event_of_number,
        key=list(compress(compress(keys, is_number), finite)),
        value=value[finite],
        has_number=np.bincount(event_of_number, minlength=n) > 0,
        lost=lost,
        missing=(lost > 0) | (gaps > 0),
    )


def _first_bytes(texts: Sequence[msgspec.Raw]) -> NDArray[np.uint8]:
    """(n,) first byte of each JSON text, which determines its type."""
    if not texts:
        return np.zeros(0, np.uint8)
    data = np.frombuffer(_GAP.join(texts), np.uint8)
    return data[np.concatenate(([0], np.flatnonzero(data == 0) + 1))]


def _devices(arguments: Sequence[Args]) -> Ints32:
    """(n,) device stated in the arguments of each event."""
    stated = np.full(len(arguments), NOT_STATED, np.int32)
    for key in reversed(_DEVICE_KEYS):
        rows = [row for row, args in enumerate(arguments) if key in args]
        if rows:
            number, valid = parse_integers([arguments[row][key] for row in rows])
            valid &= number <= _LARGEST_DEVICE
            stated[np.array(rows)[valid]] = np.maximum(number[valid], HOST_DEVICE)
    return stated
