"""The cycles of a table, and functions per cycle. A table repeats a function on the row of every counter; here each
counts once."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tb_perfcompare.analysis.columns.grouping import number_combinations
from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.model.arrays import (
    Flags,
    Floats,
    Ints,
    NameIndex,
    Nanoseconds,
    is_run_start,
    median,
    unique,
    unique_first,
    unique_places,
)
from tb_perfcompare.model.names.join_keys import kernel_key
from tb_perfcompare.model.recordings.cycles import DEVICE_TYPE, HOST, HOST_TYPE, NO_TEXT, CycleTable
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.model.texts import numbered
from tb_perfcompare.number_text import number
from tb_perfcompare.quick_dataclass import dataclass

LONGEST_NS = 2.0**62
"""Limit on sums of a table's times, 146 years."""


@dataclass(frozen=True, slots=True, eq=False)
class Cycles:
    """s distinct cycles by number, start and length.

    label     s texts: the number; "3 (2)" for a second cycle with the number 3
    total_ns  (s,) length
    start_ns  (s,) since the epoch if the table has starts, else each cycle starts where the previous one ends
    dated     whether the starts are the table's
    of_row    (rows,) cycle of each row
    repeated  numbers that several cycles have
    """

    label: tuple[str, ...]
    total_ns: Nanoseconds
    start_ns: Nanoseconds
    dated: bool
    of_row: Ints
    repeated: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.label)


def find_cycles(table: CycleTable) -> Cycles:
    """Finds the distinct (number, length) pairs of the rows. Raises CorruptInput for lengths beyond LONGEST_NS."""
    length = whole_ns(table.cycle_us, table.source, "anchor_dur_us")
    start = None  # of each row's cycle, -1 if the row has none
    if table.start_us is not None:
        has_start = np.isfinite(table.start_us) & (table.start_us >= 0)
        start = np.where(has_start, whole_ns(table.start_us, table.source, "cycle_start_ts"), -1)
    # a cycle starts at the earliest start of its rows; cycles are sorted by number, start, length
    order = np.lexsort((length, table.cycle))
    number, size = table.cycle[order], length[order]
    first = is_run_start(number) | is_run_start(size)
    place = np.cumsum(first) - 1
    of_row = np.empty(len(order), dtype=np.int64)
    of_row[order] = place
    number, size = number[first], size[first]
    begin = np.full(len(number), np.iinfo(np.int64).max)
    if start is not None:
        started = np.flatnonzero(start >= 0)
        np.minimum.at(begin, of_row[started], start[started])
    dated = bool((begin < np.iinfo(np.int64).max).all())
    ranked = np.lexsort((size, begin, number)) if dated else np.arange(len(number))
    new = np.empty(len(ranked), dtype=np.int64)
    new[ranked] = np.arange(len(ranked))
    number, size, begin = number[ranked], size[ranked], begin[ranked]
    if float(size.astype(np.float64).sum()) >= LONGEST_NS:
        raise _too_long(table.source, "anchor_dur_us")
    return Cycles(
        label=numbered(map(str, number.tolist())),
        total_ns=size,
        start_ns=begin if dated else np.cumsum(size) - size,
        dated=dated,
        of_row=new[of_row],
        repeated=tuple(n for n, count in Counter(number.tolist()).items() if count > 1),
    )


def whole_ns(us: Floats, path: str, column: str) -> Ints:
    """Converts microseconds to nanoseconds, NaN to 0. Raises CorruptInput beyond 64 bits."""
    finite_us = np.nan_to_num(us, nan=0.0)
    if len(finite_us) and float(np.abs(finite_us).max()) * 1000 >= LONGEST_NS:
        raise _too_long(path, column)
    # convert the fraction separately: a double cannot hold nanoseconds since 1970 exactly
    integer_us = np.floor(finite_us)
    return integer_us.astype(np.int64) * 1000 + np.rint((finite_us - integer_us) * 1000).astype(np.int64)


def _too_long(path: str, column: str) -> CorruptInput:
    return CorruptInput(
        path, "times add up to more than 146 years", place=f"column {column}", hint="its unit is microseconds"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Functions:
    """What the rows say about functions, (rows,) each unless noted.

    time_ns    time of all calls of the row's function in its cycle, process and device
    calls      their number, 0 if unknown
    on_device  whether it ran on a device
    first      (u,) one row per named function, cycle, process and device
    unnamed    number of rows without a function name
    differing  number of functions whose repeated rows disagree about time or calls
    negative   number of functions with a negative time, counted as zero
    units      median of duration / (beta_pct of anchor_dur_us) if the three columns contradict each other, else None
    """

    time_ns: Nanoseconds
    calls: Ints
    on_device: Flags
    first: Ints
    unnamed: int
    differing: int
    negative: int
    units: float | None


def find_functions(table: CycleTable, cycles: Cycles) -> Functions:
    """Finds the functions. Raises CorruptInput if times or calls exceed 64 bits."""
    with np.errstate(over="ignore", invalid="ignore"):
        spent_us = table.beta_pct * table.cycle_us / 100
    if table.duration_us is not None:
        spent_us = np.where(np.isfinite(table.duration_us), table.duration_us, spent_us)
    time_ns = whole_ns(np.where(np.isfinite(spent_us), spent_us, LONGEST_NS), table.source, "duration or beta_pct")
    calls = _calls(table)
    named = np.flatnonzero(table.function != NO_TEXT)
    pids, pid = unique_places(table.pid[named])
    texts = [codes for codes in (table.device, table.function, table.kind, table.host) if codes is not None]
    _, group = number_combinations([
        (cycles.of_row[named], len(cycles)),
        (pid, len(pids)),
        *((codes[named] - NO_TEXT, len(table.strings) - NO_TEXT) for codes in texts),
    ])
    chosen = named[unique_first(group)[1]]
    is_different = (time_ns[named] != time_ns[chosen][group]) | (calls[named] != calls[chosen][group])
    negative = int((time_ns[chosen] < 0).sum())
    time_ns = np.maximum(time_ns, 0)
    if float(time_ns[chosen].astype(np.float64).sum()) >= LONGEST_NS:
        raise CorruptInput(
            table.source, "times of functions add up to more than 146 years", place="column duration",
            hint="its unit is microseconds",
        )  # fmt: skip
    host = table.strings.find(HOST)
    return Functions(
        time_ns=time_ns,
        calls=calls,
        on_device=(table.device != NO_TEXT) & (table.device != host),
        first=chosen,
        unnamed=len(table) - len(named),
        differing=len(unique(group[is_different])),
        negative=negative,
        units=_contradicting_units(table),
    )


_OTHER_UNIT = 2.0
"""Ratio, in either direction, from which a unit must differ: the columns are rounded, but not by that much."""

_MIN_SHARE_PCT = 0.1
"""Smaller shares are mostly rounding."""


def _contradicting_units(table: CycleTable) -> float | None:
    """Median of duration / (beta_pct of anchor_dur_us), 1 by definition; None if it is about that or unknown."""
    if table.duration_us is None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        claimed_us = table.beta_pct * table.cycle_us / 100
        known = (table.beta_pct >= _MIN_SHARE_PCT) & (claimed_us > 0) & (table.duration_us > 0)
        known &= np.isfinite(claimed_us) & np.isfinite(table.duration_us)
        ratios = table.duration_us[known] / claimed_us[known]
    ratio = float(median(ratios)) if len(ratios) else 1.0
    return None if 1 / _OTHER_UNIT <= ratio <= _OTHER_UNIT or not np.isfinite(ratio) else ratio


def units_text(ratio: float) -> str:
    """What contradicting units mean."""
    return (
        f"duration is {number(ratio)} times what beta_pct of anchor_dur_us is: one of these columns is in another unit "
        "than µs, % and µs"
    )


def launches_per_cycle(functions: Functions, cycles: Cycles) -> Ints:
    """(s,) Number of calls of functions that ran on a device."""
    rows = functions.first[functions.on_device[functions.first]]
    launches = np.zeros(len(cycles), dtype=np.int64)
    np.add.at(launches, cycles.of_row[rows], functions.calls[rows])
    return launches


def function_table(table: CycleTable, cycles: Cycles, functions: Functions, kept: Ints) -> GroupTable:
    """Builds the table of functions by `kept` cycle, summed over processes and devices.

    Zero if a function did not run in a cycle.
    """
    rows = functions.first
    kinds = _kinds(table, functions)[rows] - _ON_HOST
    names = [kernel_key(text) for text in table.strings.texts]
    texts = len(table.strings)
    pairs, group = number_combinations([(table.function[rows], texts), (kinds, texts - _ON_HOST)])
    own = [
        ((names[function], _type_text(table, kind + _ON_HOST)), table.strings[function])
        for function, kind in zip(*(column.tolist() for column in pairs), strict=True)
    ]
    shown: dict[tuple[str, str], str] = {}
    for key, name in sorted(own):
        shown.setdefault(key, name)
    place = {key: row for row, key in enumerate(shown)}
    row_of = np.array([place[key] for key, _ in own], dtype=np.int64)[group]
    shape = (len(shown), len(cycles))
    time, calls = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    cell = (row_of, cycles.of_row[rows])
    np.add.at(time, cell, functions.time_ns[rows])
    np.add.at(calls, cell, functions.calls[rows])
    time, calls = time[:, kept], calls[:, kept]
    ran = np.flatnonzero(time.any(axis=1) | calls.any(axis=1))
    keys = list(shown)
    return GroupTable(
        key_columns=("name", "type"),
        keys=tuple(keys[row] for row in ran.tolist()),
        names=tuple(shown[keys[row]] for row in ran.tolist()),
        calls=calls[ran],
        measures_ns={"total": time[ran]},
    )


_ON_DEVICE, _ON_HOST = -2, -3
"""Type codes if the table states none; _ON_HOST is the lowest code."""


def _kinds(table: CycleTable, functions: Functions) -> NameIndex:
    """(rows,) Code of the function's type; without one, _ON_DEVICE or _ON_HOST."""
    unknown = np.where(functions.on_device, _ON_DEVICE, _ON_HOST)
    if table.kind is None:
        return unknown.astype(np.int32)
    return np.where(table.kind == NO_TEXT, unknown, table.kind).astype(np.int32)


def _type_text(table: CycleTable, kind: int) -> str:
    return {_ON_DEVICE: DEVICE_TYPE, _ON_HOST: HOST_TYPE}.get(kind) or table.strings[kind]


def _calls(table: CycleTable) -> Ints:
    if table.instances is None:
        return np.zeros(len(table), dtype=np.int64)
    calls = np.maximum(np.nan_to_num(table.instances, nan=0.0), 0.0)
    if len(calls) and float(calls.sum()) >= LONGEST_NS:
        raise CorruptInput(
            table.source, "more calls than can be counted", place="column instances_count", hint="write the table again"
        )
    return np.rint(calls).astype(np.int64)
