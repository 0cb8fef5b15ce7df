"""Per-cycle tables of functions and counters, as in a `*_perf_data.csv` and its counters file.

A cycle is one iteration of a server's main loop. Every row is one (cycle, process, device, function, counter). Field by
field: docs/inputs/perf_data.md.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from tb_perfcompare.model.arrays import Flags, Floats, Ints, Ints32, is_run_start, unique
from tb_perfcompare.model.device import DEVICE_WORDS
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.quick_dataclass import dataclass

NO_TEXT = -1
"""Code of an empty or `N/A` cell."""

HOST = "Host"
"""Name of the machine itself in the device column."""

DEVICE_TYPE, HOST_TYPE = "device", "host"
"""Function types in tables without a type column."""

_DEVICE_PREFIXES = tuple(f"{word}_" for word in sorted(DEVICE_WORDS))


def is_device_type(kind: str) -> bool:
    """Whether functions of this type run on a device."""
    return kind == DEVICE_TYPE or kind.startswith(_DEVICE_PREFIXES)


NO_COUNTER = "none"
"""Counter of rows on a device without counters, so that its functions still have a row (trace_cycles.py)."""


@dataclass(frozen=True, slots=True, eq=False)
class CycleTable:
    """The rows of one table in file order; all arrays have shape (rows,), or are None if the file lacks the column.

    source        the file, as named by the user
    strings       texts of the codes; code NO_TEXT means a missing text
    cycle, pid    int64
    function, metric, device   codes
    beta_pct      share of the cycle in percent, summed over threads and streams: may exceed 100
    mu_pct        100 x the counter's normalized mean while the function ran; NaN without a counter
    cycle_us      duration of the row's cycle
    anchor        code of the function that delimits the cycles
    duration_us   time of the function in the cycle
    instances     number of calls or launches in the cycle
    kind          code of the function's type (gpu_compute, oncpu, ...)
    interpolated  whether the counter has no sample of its own in this row
    sigma_pct     deviation of the counter while the function ran, in the unit of mu; NaN without a counter
    start_us      start of the cycle since the epoch, NaN if empty
    host          code of the machine's name
    published_mu_pct  mu_pct with the decimals read as in the published reports (sources/perf_data); None if equal
    """

    source: str
    strings: StringTable
    cycle: Ints
    pid: Ints
    function: Ints32
    metric: Ints32
    device: Ints32
    beta_pct: Floats
    mu_pct: Floats
    cycle_us: Floats
    anchor: Ints32 | None = None
    duration_us: Floats | None = None
    instances: Floats | None = None
    interpolated: Flags | None = None
    kind: Ints32 | None = None
    sigma_pct: Floats | None = None
    start_us: Floats | None = None
    host: Ints32 | None = None
    published_mu_pct: Floats | None = None

    def __len__(self) -> int:
        return len(self.cycle)

    def pids(self) -> tuple[int, ...]:
        """Process ids, ascending."""
        return tuple(unique(self.pid).tolist())

    def rows(self, chosen: Flags) -> CycleTable:
        """The rows where `chosen`, (rows,), is true, in the same order."""
        columns: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        of_rows = {name: column[chosen] for name, column in columns.items() if isinstance(column, np.ndarray)}
        return CycleTable(**{**columns, **of_rows})

    def of_pid(self, pid: int) -> CycleTable:
        """The rows of one process."""
        return self.rows(self.pid == pid)

    def anchors(self) -> tuple[str, ...]:
        """Names of the functions that delimit cycles, sorted; empty without an anchor column."""
        if self.anchor is None:
            return ()
        return tuple(sorted(self.strings[code] for code in unique(self.anchor).tolist() if code != NO_TEXT))

    def cycle_lengths_us(self) -> Floats:
        """(cycles,) durations of the distinct (cycle, duration) pairs, by cycle number."""
        # a cycle's rows are mostly adjacent: take the first of each run
        starts = is_run_start(self.cycle) | is_run_start(self.cycle_us)
        pairs = np.unique(np.stack([self.cycle[starts].astype(np.float64), self.cycle_us[starts]], axis=1), axis=0)
        return pairs[:, 1]


@dataclass(frozen=True, slots=True, eq=False)
class CounterTable:
    """Samples of a `*_counters_data.csv`, arrays of shape (samples,), in the order of the file.

    source   the file
    names    names of the counters
    counter  int32 index into names
    time_us  float64, since the epoch
    value    float64, in the counter's unit (model/recordings/counter_units.py)
    """

    source: str
    names: tuple[str, ...]
    counter: Ints32
    time_us: Floats
    value: Floats

    def values(self, name: str) -> Floats:
        """Samples of a counter, including those of single processes (`name_<pid>`)."""
        return self.value[self._is_counter(name)]

    def times_us(self, name: str) -> Floats:
        """Times of the samples returned by `values`."""
        return self.time_us[self._is_counter(name)]

    def _is_counter(self, name: str) -> Flags:
        wanted = [
            index for index, counter in enumerate(self.names)
            if counter == name or (counter.startswith(f"{name}_") and _is_number(counter[len(name) + 1 :]))
        ]  # fmt: skip
        return np.isin(self.counter, wanted)


@dataclass(frozen=True, slots=True, eq=False)
class CycleRecording:
    """One table with its counters (None without a counters file)."""

    file: FileFacts
    table: CycleTable
    counters: CounterTable | None
    notes: tuple[Note, ...]


def _is_number(text: str) -> bool:
    """Whether a text is a pid, as digits or as a rounded number: 2520152 or 2.520152e+06."""
    try:
        float(text)
    except ValueError:
        return False
    return True
