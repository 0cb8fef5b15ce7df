"""Joins counters of two sides by key: means, coverage and one test per counter.

Devices are numbered by machine, so that a counter of GPU 7 on one side may correspond to that of GPU 3 on the other.
Definitions: docs/inputs/counters.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from tb_perfcompare.comparison.statistics.multiple_testing import q_values
from tb_perfcompare.comparison.statistics.rank_test import batched_rank_test, smallest_p
from tb_perfcompare.comparison.statistics.samples import Samples, observations
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.arrays import Floats, Ints32, Nanoseconds
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import CounterSeries
from tb_perfcompare.quick_dataclass import dataclass

_NUMBER = regex(r"\d+")
_MAX_MEAN = 1e300
"""Largest mean that is accepted; differences of larger numbers could overflow."""


@dataclass(frozen=True, slots=True)
class SideCounter:
    """A counter on one side.

    device    name of the device on that side
    mean      over the admitted steps in which it has a value
    sd        mean of the deviations within those steps; None if not known
    coverage  share of the compared time covered by its own samples; None if not known
    samples   number of samples inside the admitted steps; None if not known
    """

    device: str
    mean: float
    sd: float | None
    coverage: float | None
    samples: int | None


@dataclass(frozen=True, slots=True)
class CounterChange:
    """One row of the join; a side without a value is None.

    p, q   two-sided Mann-Whitney p of the values of the steps in which samples were taken, widened for autocorrelated
           steps, and its Benjamini-Hochberg q over all counters; None if a side has fewer than two values
    apart  if no step of one side reaches a value of the other: the probability of that by chance, 2 / C(n+m, n)
    """

    counter: str
    device: str
    unit: str
    baseline: SideCounter | None
    candidate: SideCounter | None
    p: float | None = None
    q: float | None = None
    apart: float | None = None

    @property
    def delta(self) -> float | None:
        """Candidate minus baseline, None if a side has no value."""
        if self.baseline is None or self.candidate is None:
            return None
        return self.candidate.mean - self.baseline.mean

    @property
    def percent(self) -> float | None:
        """Delta over the baseline as a fraction, None if the baseline is zero or a side has no value."""
        if self.delta is None or self.baseline is None or not self.baseline.mean:
            return None
        return self.delta / abs(self.baseline.mean)

    @property
    def relative(self) -> float:
        """Absolute change over the larger mean, 0 to 2; the same if the sides are exchanged. 0 if a side has no
        value."""
        if self.delta is None or self.baseline is None or self.candidate is None:
            return 0.0
        larger = max(abs(self.baseline.mean), abs(self.candidate.mean))
        return abs(self.delta) / larger if larger else 0.0


def counter_changes(baseline: Summary, candidate: Summary) -> tuple[CounterChange, ...]:
    """Joins the counters of both sides, largest relative change first. A counter in different units on the two sides
    gives two rows: such figures have no difference."""
    sides = (baseline, candidate)
    labels = device_labels(*(_devices(side.counters) for side in sides))
    rows = [_rows(side.counters, names) for side, names in zip(sides, labels, strict=True)]
    samples = [observations(side) if side.counters is not None else None for side in sides]
    changes = []
    for key in dict.fromkeys([*rows[0], *rows[1]]):
        before, after = (_side(side, own.get(key)) for side, own in zip(sides, rows, strict=True))
        if before is None and after is None:
            continue
        p = apart = None
        if before is not None and after is not None:
            x, y = (_values(s, own[key], seen) for s, own, seen in zip(sides, rows, samples, strict=True))
            p, apart = _p(x, y), _apart(x[0], y[0])
        changes.append(CounterChange(*key, before, after, p, apart=apart))
    q = q_values(np.array([math.nan if row.p is None else row.p for row in changes]))
    tested = [replace(row, q=None if math.isnan(x) else float(x)) for row, x in zip(changes, q.tolist(), strict=True)]
    return tuple(sorted(tested, key=lambda row: (-row.relative, row.counter, row.device, row.unit)))


def side_counter(counters: CounterSeries, row: int, total_ns: Nanoseconds) -> SideCounter | None:
    """Summarizes one counter over steps of these lengths; None if no step has a value, or if values are too large to
    add up."""
    measured = np.isfinite(counters.mean[row])
    with np.errstate(over="ignore"):
        mean = float(counters.mean[row][measured].mean()) if measured.any() else math.nan
    if not math.isfinite(mean) or abs(mean) > _MAX_MEAN:
        return None
    sd = counters.sd[row][np.isfinite(counters.sd[row])]
    samples = counters.samples[row]
    length = float(total_ns.sum())
    covered = float((counters.coverage[row] * total_ns).sum()) / length if length else 0.0
    return SideCounter(
        device=counters.keys[row][1],
        mean=mean,
        sd=float(sd.mean()) if len(sd) else None,
        coverage=min(1.0, covered) if math.isfinite(covered) else None,
        samples=None if (samples < 0).any() else int(samples.sum()),
    )


def device_labels(baseline: Iterable[str], candidate: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Device -> label in the joined rows, for each side.

    Equal names stay. Equal numbers of devices of a kind with different device numbers are paired in the order of
    these and labeled "GPU #1", "GPU #2". With different numbers of devices only equal names are paired.
    """
    sides = ({name: name for name in baseline}, {name: name for name in candidate})
    kinds = [_by_kind(side) for side in sides]
    for kind in kinds[0].keys() & kinds[1].keys():
        ours, theirs = kinds[0][kind], kinds[1][kind]
        if len(ours) == len(theirs) and set(ours) != set(theirs):
            for number, pair in enumerate(zip(ours, theirs, strict=True), 1):
                for side, name in zip(sides, pair, strict=True):
                    side[name] = f"{kind} #{number}"
    return sides


def _by_kind(names: Iterable[str]) -> dict[str, list[str]]:
    """Kind ("GPU") -> names with a number, in order of the numbers."""
    kinds: dict[str, list[tuple[int, str, str]]] = {}
    for name in names:
        number = _NUMBER.search(name)
        if number is not None:
            digits = number.group().lstrip("0")  # compared as a number of any length
            kinds.setdefault(name[: number.start()].strip(), []).append((len(digits), digits, name))
    return {kind: [name for _, _, name in sorted(members)] for kind, members in kinds.items()}


def _devices(counters: CounterSeries | None) -> list[str]:
    return [] if counters is None else list(dict.fromkeys(device for _, device in counters.keys))


def _rows(counters: CounterSeries | None, labels: dict[str, str]) -> dict[tuple[str, str, str], int]:
    """(counter, label of the device, unit) -> row of the series."""
    if counters is None:
        return {}
    return {
        (name, labels[device], unit): row
        for row, ((name, device), unit) in enumerate(zip(counters.keys, counters.units, strict=True))
    }


def _side(summary: Summary, row: int | None) -> SideCounter | None:
    if row is None or summary.counters is None:
        return None
    return side_counter(summary.counters, row, summary.steps.total_ns)


def _values(summary: Summary, row: int, seen: Samples | None) -> tuple[Floats, Ints32]:
    """(values of the observations that have one, the capture of each). A step without a sample has the value of an
    earlier step: it adds no information and is left out."""
    assert summary.counters is not None and seen is not None
    mean = summary.counters.mean[row]
    measured = np.isfinite(mean) & (summary.counters.samples[row] != 0)
    if not seen.pooled:
        return mean[measured], seen.capture[measured]
    size = len(seen.label)
    members = np.bincount(seen.group[measured], minlength=size)
    sums = np.bincount(seen.group[measured], weights=mean[measured], minlength=size)
    return sums[members > 0] / members[members > 0], seen.capture[members > 0]


def _p(baseline: tuple[Floats, Ints32], candidate: tuple[Floats, Ints32]) -> float | None:
    (x, captures_x), (y, captures_y) = baseline, candidate
    if min(len(x), len(y)) < 2:
        return None
    # the test uses the order only, so ranks serve as well as the values
    places = np.unique(np.concatenate([x, y]), return_inverse=True)[1].astype(np.int64)
    test = batched_rank_test(places[None, : len(x)], places[None, len(x) :], captures=(captures_x, captures_y))
    return float(test.p[0])


def _apart(x: Floats, y: Floats) -> float | None:
    if not len(x) or not len(y):
        return None
    return smallest_p(len(x), len(y)) if x.max() < y.min() or y.max() < x.min() else None


def paired_devices(changes: Sequence[CounterChange]) -> tuple[str, ...]:
    """One sentence per pair of devices with different names."""
    pairs = {
        row.device: (row.baseline.device, row.candidate.device)
        for row in changes
        if row.baseline is not None and row.candidate is not None and row.baseline.device != row.candidate.device
    }
    return tuple(f"{label} is {x} of the baseline and {y} of the candidate." for label, (x, y) in sorted(pairs.items()))
