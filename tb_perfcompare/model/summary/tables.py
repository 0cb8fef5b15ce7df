"""Tables of a summary: steps, owners of their time, groups of events, counters, launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import AnyInts, CaptureIndex, Floats, Ints, Ints32, Nanoseconds
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.texts import Column, Keys
from tb_perfcompare.quick_dataclass import dataclass

DEVICE_MEASURES = ("device_self", "device_total", "host_api")
"""Measures of a GroupTable of host work that a CPU-only recording cannot have."""


@dataclass(frozen=True, slots=True, eq=False)
class StepTable:
    """Admitted steps, s rows, in capture and time order.

    capture    (s,) int32 index into Summary.captures
    label      s texts: the number after `ProfilerStep#`, the index of an iteration found by other means, or "0" for a
               window without markers
    start_ns   (s,) int64 in the clock of the capture
    total_ns   (s,) int64 duration of the window
    launches   (s,) int64 device events (kernels, copies, sets) that the step launched
    backlog_ns (s,) int64 time of the window owned by work that an earlier step launched
    text       s texts: the text of each step's marker ("step[DECODE bs=16]") or, if all markers have the same name,
               what the step contains that others lack; () if there are no such differences
    """

    capture: CaptureIndex
    label: tuple[str, ...]
    start_ns: Nanoseconds
    total_ns: Nanoseconds
    launches: Ints
    backlog_ns: Nanoseconds
    text: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.label)

    def only(self, rows: AnyInts) -> StepTable:
        return StepTable(
            capture=self.capture[rows],
            label=tuple(self.label[row] for row in rows.tolist()),
            start_ns=self.start_ns[rows],
            total_ns=self.total_ns[rows],
            launches=self.launches[rows],
            backlog_ns=self.backlog_ns[rows],
            text=tuple(self.text[row] for row in rows.tolist()) if self.text else (),
        )


@dataclass(frozen=True, slots=True, eq=False)
class OwnedTime:
    """The owner of every nanosecond of every admitted step: e entities x s steps; columns sum to StepTable.total_ns.

    category  (e,) int8 StepCategory
    key       e texts: normalized name, which joins the two sides; unique together with the category
    name      e texts: a raw name for display
    time_ns   (e, s) int64 exclusive (exposed) time
    plain_ns  (e, s) int64 summed durations, including overlaps and hidden time
    calls     (e, s) int64 events that start in the step
    parts     the same time one level deeper, by (category label, key, caller, input shape): the parts of an entity
              sum to it in every step. None if the source has no such detail
    """

    category: NDArray[np.int8]
    key: Column
    name: Column
    time_ns: Nanoseconds
    plain_ns: Nanoseconds
    calls: Ints
    parts: SplitTime | None = None

    def by_category(self) -> Ints:
        """(8, s) int64 owned time for each category and step."""
        out = np.zeros((len(CATEGORY_LABELS), self.time_ns.shape[1]), dtype=np.int64)
        np.add.at(out, self.category.astype(np.intp), self.time_ns)
        return out


STATED_WORK = "as recorded"
"""Family of calls whose work is stated in the trace; their compute type is unknown, and missing figures stay
unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupTable:
    """Groups of events (operators, kernels), g rows x s steps.

    key_columns  parts of a key: ("name",) or ("name", "input_shape")
    keys         g tuples of texts, unique; joins the two sides (normalized)
    names        g raw names for display
    calls        (g, s) int64
    measures_ns  measure -> (g, s) int64, e.g. host_self, host_total, device_self, device_total
    min_ns, max_ns  (g,) int64 shortest and longest single call, None if the measure has no single calls
    facts        fact -> (g,) float64, NaN if not measured (occupancy, blocks_per_sm, tensor_cores)
    sampled      False if the columns are shares of one total and therefore do not show its variation
    """

    key_columns: tuple[str, ...]
    keys: Keys
    names: Column
    calls: Ints
    measures_ns: Mapping[str, Ints]
    min_ns: Nanoseconds | None = None
    max_ns: Nanoseconds | None = None
    facts: Mapping[str, Floats] = field(default_factory=dict)
    sampled: bool = True

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True, eq=False)
class CounterSeries:
    """Counters per step, k counters x s steps.

    keys      k pairs (counter, device), unique; joins the two sides. The device is "Host" or e.g. "GPU 0"
    units     k texts, "" if the unit is unknown
    mean      (k, s) float64 mean over the step, weighted by time; NaN if unknown
    sd        (k, s) float64 deviation within the step, weighted by time; NaN if unknown
    coverage  (k, s) float64 share of the step, 0 to 1, that its own samples cover; NaN if unknown
    samples   (k, s) int64 samples inside the step, -1 if unknown
    """

    keys: tuple[tuple[str, str], ...]
    units: tuple[str, ...]
    mean: Floats
    sd: Floats
    coverage: Floats
    samples: Ints

    def __len__(self) -> int:
        return len(self.keys)

    def of(self, rows: Sequence[int], columns: Ints | slice = slice(None)) -> CounterSeries | None:
        """These counters in these steps; None without any."""
        keys, units = tuple(self.keys[row] for row in rows), tuple(self.units[row] for row in rows)
        mean, sd, coverage = (values[:, columns][rows] for values in (self.mean, self.sd, self.coverage))
        return CounterSeries(keys, units, mean, sd, coverage, self.samples[:, columns][rows]) if keys else None


@dataclass(frozen=True, slots=True, eq=False)
class LaunchSequence:
    """n launches in execution order.

    `kernel` (n,) int32 is the row in groups["kernels"]; `dur_ns`, `tensor` and `dram` as in
    model/recordings/launches.py.
    """

    kernel: Ints32
    dur_ns: Nanoseconds
    tensor: Floats
    dram: Floats

    def __len__(self) -> int:
        return len(self.kernel)
