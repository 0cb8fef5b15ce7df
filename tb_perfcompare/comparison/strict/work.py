"""Work per cycle in a table: calls, launches and time, counting every (function, device) once.

A table repeats a function's time and calls on the row of each of its counters.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.model.arrays import MAD_TO_SIGMA, Flags, Floats, unique, unique_places
from tb_perfcompare.model.recordings.cycles import HOST, CycleTable
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Work:
    """Means over all cycles, including those without the function. Times in µs."""

    calls: float
    time_us: float

    def plus(self, other: Work) -> Work:
        """Sum of both."""
        return Work(self.calls + other.calls, self.time_us + other.time_us)


NO_WORK = Work(0.0, 0.0)


def work_per_cycle(table: CycleTable) -> dict[tuple[str, str], Work]:
    """(function, device) -> its work. If the file has no time, it is computed from the share of the cycle; absent
    calls are 0."""
    once = _once(table)
    cycles = max(1, len(unique(table.cycle)))
    size = len(table.strings) + 1
    codes, index = unique_places(once.function.astype(np.int64) * size + (once.device.astype(np.int64) + 1))
    calls = np.bincount(index, weights=_filled(once.instances, len(once)), minlength=len(codes)) / cycles
    time_us = np.bincount(index, weights=_time_us(once), minlength=len(codes)) / cycles
    work = {}
    for group, code in enumerate(codes.tolist()):
        function, device = divmod(code, size)
        name = table.strings[device - 1] if device else ""
        work[table.strings[function], name] = Work(float(calls[group]), float(time_us[group]))
    return work


def launches_per_cycle(table: CycleTable) -> Floats:
    """(cycles,) launches on devices in each cycle, by cycle number; all zero without the column."""
    once = _once(table)
    cycles, index = unique_places(once.cycle)
    launches = np.where(_on_device(once), _filled(once.instances, len(once)), 0.0)
    return np.bincount(index, weights=launches, minlength=len(cycles)).astype(np.float64)


def incomplete_cycles(table: CycleTable) -> int:
    """Number of cycles with clearly fewer launches than usual: the recording missed a part of them.

    The usual number is the most frequent one if it covers half of the cycles with launches (2 % tolerance), else the
    median (tolerance: the larger of 5 % and three deviations, 1.4826 x the median deviation).
    """
    launches = launches_per_cycle(table)
    seen = launches[launches > 0]
    if not len(seen):
        return 0
    values, counts = np.unique(seen, return_counts=True)
    usual, tolerance = float(values[counts.argmax()]), 0.02
    if counts.max() * 2 < len(seen):
        usual = float(np.median(seen))
        tolerance = max(0.05, 3 * MAD_TO_SIGMA * float(np.median(np.abs(seen - usual))) / usual)
    return int((launches < (1 - tolerance) * usual).sum())


def device_work(work: dict[tuple[str, str], Work]) -> dict[str, Work]:
    """Function -> its work on devices, all devices together."""
    on_device: dict[str, Work] = {}
    for (function, device), own in work.items():
        if device not in ("", HOST):
            on_device[function] = on_device.get(function, NO_WORK).plus(own)
    return on_device


def same_launches(normal: dict[str, Work], abnormal: dict[str, Work]) -> float | None:
    """Launches per cycle that both sides have over those that either has, 0..1; None without launches."""
    pairs = [(normal.get(name, NO_WORK).calls, abnormal.get(name, NO_WORK).calls) for name in {*normal, *abnormal}]
    either = sum(max(pair) for pair in pairs)
    return sum(min(pair) for pair in pairs) / either if either else None


def _once(table: CycleTable) -> CycleTable:
    """The first row of each (cycle, function, device) that names a function."""
    named = table.rows(table.function >= 0)
    size = len(table.strings) + 1
    cycle = unique_places(named.cycle)[1]
    key = (cycle * size + named.function) * size + named.device + 1
    first = np.unique(key, return_index=True)[1]
    chosen = np.zeros(len(named), dtype=np.bool_)
    chosen[first] = True
    return named.rows(chosen)


def _on_device(table: CycleTable) -> Flags:
    host = table.strings.find(HOST)
    return np.not_equal(table.device, host) & (table.device >= 0)


def _time_us(table: CycleTable) -> Floats:
    by_share = table.beta_pct * table.cycle_us / 100
    return by_share if table.duration_us is None else np.where(np.isnan(table.duration_us), by_share, table.duration_us)


def _filled(column: Floats | None, rows: int) -> Floats:
    return np.zeros(rows) if column is None else np.nan_to_num(column, nan=0.0)
