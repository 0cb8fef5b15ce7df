"""Counters of cycles, from their means while single functions ran."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.cycles.cycle_functions import Cycles, Functions
from tb_perfcompare.model.arrays import Floats, Ints
from tb_perfcompare.model.recordings.counter_units import counter_unit
from tb_perfcompare.model.recordings.cycles import HOST, NO_TEXT, CounterTable, CycleTable
from tb_perfcompare.model.summary.tables import CounterSeries

UNKNOWN = -1
"""Number of samples if it is unknown."""


def cycle_counters(
    table: CycleTable, cycles: Cycles, functions: Functions, samples: CounterTable | None, kept: Ints
) -> CounterSeries | None:
    """Returns counters of the `kept` cycles, by name and device; None if none has a value there.

    Each row has a counter's mean while one function ran; weighted by function time, these give the cycle's mean.
    Tracers sample about once a second: the mean of a function without samples is interpolated, and a cycle in which a
    counter was not sampled has no row and no value.
    """
    rows = np.flatnonzero((table.metric != NO_TEXT) & (table.device != NO_TEXT) & np.isfinite(table.mu_pct))
    if not len(rows):
        return None
    pair = table.metric[rows].astype(np.int64) * len(table.strings) + table.device[rows]
    pairs, counter = np.unique(pair, return_inverse=True)
    codes = [divmod(code, len(table.strings)) for code in pairs.tolist()]
    keys = [(table.strings[metric], table.strings[device]) for metric, device in codes]
    largest = np.full(len(table.strings), -np.inf)
    np.maximum.at(largest, table.metric[rows], table.mu_pct[rows])
    units = [counter_unit(key[0], float(largest[metric])) for key, (metric, _) in zip(keys, codes, strict=True)]
    factor = np.array([unit.factor for unit in units])[counter]
    value = table.mu_pct[rows] / factor
    sigma = np.zeros(len(rows)) if table.sigma_pct is None else np.nan_to_num(table.sigma_pct[rows]) / factor
    cells = _Cells(counter * len(cycles) + cycles.of_row[rows], (len(keys), len(cycles)), functions.time_ns[rows])
    mean = cells.mean(value)
    with np.errstate(over="ignore", invalid="ignore"):
        squared = sigma**2 + (value - mean.ravel()[cells.at]) ** 2
        sd = np.where(np.isfinite(mean), np.sqrt(np.maximum(cells.mean(squared), 0.0)), np.nan)
    sd[~np.isfinite(sd)] = np.nan
    if table.interpolated is None:
        coverage = np.full(mean.shape, np.nan)
    else:
        coverage = np.nan_to_num(cells.mean(np.where(table.interpolated[rows], 0.0, 1.0)))
    chosen = [row for row in sorted(range(len(keys)), key=keys.__getitem__) if np.isfinite(mean[row, kept]).any()]
    counts = np.full(mean.shape, UNKNOWN, dtype=np.int64)
    counts[chosen] = _samples([keys[row] for row in chosen], cycles, samples)
    return CounterSeries(tuple(keys), tuple(unit.mu for unit in units), mean, sd, coverage, counts).of(chosen, kept)


class _Cells:
    """Weighted means of rows by cell of a matrix; if a cell's weights are all zero, rows count equally."""

    def __init__(self, at: Ints, shape: tuple[int, int], weight: Ints) -> None:
        self.at, self._shape = at, shape
        self._size = shape[0] * shape[1]
        rows = np.bincount(at, minlength=self._size)
        heavy = np.bincount(at, weights=weight, minlength=self._size)
        self._weight: Floats = np.where(heavy[at] > 0, weight, 1.0).astype(np.float64)
        self._sum = np.where(heavy > 0, heavy, rows)

    def mean(self, value: Floats) -> Floats:
        """Mean per cell, NaN for cells without rows; exact if all values are equal."""
        with np.errstate(over="ignore", invalid="ignore"):  # overflow is clipped to the cell's largest value below
            product = np.bincount(self.at, weights=self._weight * value, minlength=self._size)
            mean = np.divide(product, self._sum, out=np.full(self._size, np.nan), where=self._sum > 0)
        low, high = np.full(self._size, np.inf), np.full(self._size, -np.inf)
        np.minimum.at(low, self.at, value)
        np.maximum.at(high, self.at, value)
        clipped: Floats = np.where(self._sum > 0, np.clip(mean, low, high), np.nan).reshape(self._shape)
        return clipped


def _samples(keys: list[tuple[str, str]], cycles: Cycles, samples: CounterTable | None) -> Ints:
    """(k, s) Number of samples taken during each cycle, UNKNOWN if it cannot be determined.

    A counters file does not name the device of a sample. If only the host has a counter, all its samples are the
    host's; how many belong to a certain device is unknown.
    """
    out = np.full((len(keys), len(cycles)), UNKNOWN, dtype=np.int64)
    if samples is None or not cycles.dated:
        return out
    elsewhere = {name for name, device in keys if device != HOST}
    for row, (name, device) in enumerate(keys):
        if device != HOST or name in elsewhere:
            continue
        times = np.sort(samples.times_us(name))
        begin, end = cycles.start_ns / 1000, (cycles.start_ns + cycles.total_ns) / 1000
        out[row] = np.searchsorted(times, end, side="right") - np.searchsorted(times, begin, side="left")
    return out
