"""Units of counters and of their `mu`.

mu is 100 x the counter divided by a norm that depends on the counter and on whether the recorder knew the machine's
topology. One column therefore mixes percentages, MHz x 100 and bytes per second x 100 (docs/inputs/perf_data.md).
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.arrays import unique
from tb_perfcompare.model.recordings.cycles import CounterTable, CycleTable
from tb_perfcompare.quick_dataclass import dataclass

_RAW = "raw"


@dataclass(frozen=True, slots=True)
class CounterUnit:
    """`sample` is the unit of samples in the counters file, `mu` that of mu / factor."""

    sample: str
    mu: str
    factor: float = 1.0

    @property
    def mu_text(self) -> str:
        return f"{self.mu} × {self.factor:g}" if self.factor != 1 else self.mu


_PERCENT = CounterUnit("%", "%")
_KNOWN: dict[str, CounterUnit] = {
    "gpu_frequency": CounterUnit("MHz", "MHz", 100.0),
    "gpu_sm_frequency": CounterUnit("MHz", "MHz", 100.0),
    "gpu_mem_frequency": CounterUnit("MHz", "MHz", 100.0),
    "gpu_link_transmit": CounterUnit("bytes/s", "bytes/s", 100.0),
    "gpu_link_receive": CounterUnit("bytes/s", "bytes/s", 100.0),
    "gpu_pcie_transmit": CounterUnit("bytes/s", "bytes/s", 100.0),
    "gpu_pcie_receive": CounterUnit("bytes/s", "bytes/s", 100.0),
    "gpu_usage": _PERCENT,
    "process_gpu_usage": _PERCENT,
    "host_cpu_usage": _PERCENT,
    "disk_usage": _PERCENT,
    "process_cpu_usage": CounterUnit("% of one core", "% of the host"),
    "gpu_sm_util": CounterUnit("fraction", "fraction"),
    "gpu_sm_occupancy": CounterUnit("fraction", "fraction"),
}

_BY_TOPOLOGY: dict[str, tuple[CounterUnit, CounterUnit]] = {
    "cpu_frequency": (CounterUnit("MHz", "% of the maximum"), CounterUnit("MHz", "MHz", 100.0)),
    "gpu_mem_used": (CounterUnit("bytes", "% of the capacity"), CounterUnit("bytes", "bytes", 100.0)),
}
"""Counter -> (unit if the topology is known, unit if not)."""

_MAX_PERCENT = 200.0
"""Percentages of a maximum stay below this (turbo included); MHz or bytes x 100 do not."""


def counter_unit(metric: str, largest_mu: float) -> CounterUnit:
    """Unit of a counter whose largest mu is `largest_mu`; "raw" for unknown counters."""
    known, unknown = _BY_TOPOLOGY.get(metric, (None, None))
    if known is not None and unknown is not None:
        return known if largest_mu <= _MAX_PERCENT else unknown
    return _KNOWN.get(metric, CounterUnit(_RAW, _RAW))


_FRACTIONS = regex(r"(?:[A-Z]{3,4} )?(?:Utilization|Est\. SM Efficiency)")
"""Counters that torch-tb-profiler adds to the traces it displays, as values from 0 to 1."""

_IN_BRACKETS = regex(r"[(\[]\s*(?P<unit>[^()\[\]\d]{1,16}?)\s*[)\]]\s*")


def sample_unit(names: tuple[str, ...], largest: float) -> str:
    """Unit of a counter's samples: that of a known counter, or the one in brackets at the end of a name ("Power (W)").

    `names` are alternative names of the counter, `largest` is its largest sample. "" if no name shows the unit.
    """
    for name in names:
        if name in _BY_TOPOLOGY:
            return _BY_TOPOLOGY[name][0].sample
        if name in _KNOWN:
            return _KNOWN[name].sample
        if _FRACTIONS.fullmatch(name) and largest <= 1:
            return "fraction"
    for name in names:
        start = max(name.rfind("("), name.rfind("["))
        match = _IN_BRACKETS.fullmatch(name[start:]) if start > 0 else None
        if match is not None:
            return match["unit"]
    return ""


@dataclass(frozen=True, slots=True)
class UnitNote:
    """One counter of a table: its unit and, with a counters file, the range of its samples.

    low, high  smallest and largest sample, in unit.sample; None without a counters file or without samples
    samples    number of samples on all devices
    """

    metric: str
    unit: CounterUnit
    low: float | None = None
    high: float | None = None
    samples: int = 0


def unit_notes(table: CycleTable, counters: CounterTable | None = None) -> tuple[UnitNote, ...]:
    """One note for each counter of the table, sorted by name."""
    notes = []
    for code in unique(table.metric[table.metric >= 0]).tolist():
        metric = table.strings[code]
        mu = table.mu_pct[(table.metric == code) & np.isfinite(table.mu_pct)]
        unit = counter_unit(metric, float(mu.max()) if len(mu) else 0.0)
        sampled = counters.values(metric) if counters is not None else np.empty(0)
        if len(sampled):
            notes.append(UnitNote(metric, unit, float(sampled.min()), float(sampled.max()), len(sampled)))
        else:
            notes.append(UnitNote(metric, unit))
    return tuple(sorted(notes, key=lambda note: note.metric))
