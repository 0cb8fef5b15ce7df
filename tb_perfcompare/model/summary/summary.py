"""The meaning of a recording: steps, owners of their time, operators, kernels, environment.

Everything is per step (matrix columns are the admitted steps), so that sides with different numbers of steps compare as
means per step and every mean keeps its samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import AnyInts, CaptureIndex, Floats, Ints, Ints32, Nanoseconds
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.summary.call_tree import CallTree
from tb_perfcompare.model.summary.collectives import Collectives, RankSteps
from tb_perfcompare.model.summary.iterations import Iterations
from tb_perfcompare.model.summary.launch_sites import DeviceWork
from tb_perfcompare.model.summary.memory import MemoryUse
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.texts import Column, Keys
from tb_perfcompare.model.vendors import CPU
from tb_perfcompare.quick_dataclass import dataclass


class StepCategory(IntEnum):
    """The eight parts of step time, in order of priority: at every instant the first active one owns the time.

    The order is torch-tb-profiler's (profiler priority), so that the parts equal its Overview.
    """

    KERNEL = 0
    MEMCPY = 1
    MEMSET = 2
    COMMUNICATION = 3
    RUNTIME = 4
    DATALOADER = 5
    CPU_EXEC = 6
    OTHER = 7


CATEGORY_LABELS: tuple[str, ...] = (
    "Kernel",
    "Memcpy",
    "Memset",
    "Communication",
    "Runtime",
    "DataLoader",
    "CPU Exec",
    "Other",
)
"""Display name by StepCategory."""

OF_DEVICE = (StepCategory.KERNEL, StepCategory.MEMCPY, StepCategory.MEMSET, StepCategory.RUNTIME)
"""Categories that a CPU-only recording cannot have; collectives may run on the host."""
DEVICE_MEASURES = ("device_self", "device_total", "host_api")
"""Measures of a GroupTable of host work that a CPU-only recording cannot have."""

NOT_MEASURED = "not measured"
BOUND_CLASSES: tuple[str, ...] = ("tensor-bound", "memory-bound", "both", "neither", NOT_MEASURED)
"""Resource that limits a launch, by its utilisation of the tensor pipe and of the memory."""

BOUND = 0.6
"""A launch is bound by a unit that it uses for at least this fraction of its peak (the threshold for "high" utilisation
in Nsight Compute's Speed Of Light section)."""

METRIC_SETTING = "metric."
"""Prefix of the settings that name the profiler metric behind each figure of the kernels."""

DEVICE_CATEGORIES = frozenset(
    {StepCategory.KERNEL, StepCategory.MEMCPY, StepCategory.MEMSET, StepCategory.COMMUNICATION}
)

PROFILER_WORK = "(profiler overhead)"
"""Entity of the category Other: the recorded work of the profiler itself."""

OUTSIDE_OPERATORS = "(outside operators)"
"""Caller of what no operator calls."""

NOTHING_RECORDED = "(nothing recorded)"
"""Entity of the category Other: time during which no event of the trace was active."""

OUTSIDE_MODULES = "(outside modules)"
"""Path of the time outside all nn.Module calls."""

BY_OPERATOR, BY_PYTHON = "operators", "python"
"""Kinds of call paths: by modules and operators, by Python functions."""

NOT_SPLIT = "(not split: saved answers)"
"""The only entity of every category in a source that states the categories' times but not their owners."""

INCOMPLETE = "incomplete"
"""Reason for dropping a step that was not recorded completely (analysis/pooling/step_admission.py)."""

WARM_UP = "warm-up"
"""Reason for dropping a leading step that is far longer than the rest (analysis/pooling/step_admission.py)."""

OVERLAPPING = "(not split: functions overlap)"
"""The only owner of a step in a source whose times overlap by an unrecorded amount."""

STEP_TIME, CYCLE_TIME, KERNEL_TIME = "step_time", "cycle_time", "kernel_time"
"""What a "step" of a source is: a step of a training loop, an iteration of a server's loop, a recording without
timestamps."""


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """The device of a capture.

    kind   kind of its Vendor (model/vendors.py)
    word   the users' word for it
    name   its model, "" if unknown
    count  number of devices that did work
    """

    kind: str
    word: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Capture:
    """One file of a side.

    `rank` is None if neither the trace nor the worker's name states it. `clock_zero_ns` is the time since 1970 at zero
    of the capture's clock, None if unknown.
    """

    run: str
    worker: str
    span: str
    rank: int | None
    file: FileFacts
    device: DeviceFacts
    clock_zero_ns: int | None = None


@dataclass(frozen=True, slots=True)
class DroppedStep:
    """A step that is not compared, and why. `total_ns` is the duration of its window."""

    capture: int
    label: str
    total_ns: int
    reason: str


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
        """Returns these rows, in this order."""
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
    key       e texts: normalised name, which joins the two sides; unique together with the category
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
    keys         g tuples of texts, unique; joins the two sides (normalised)
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


@dataclass(frozen=True, slots=True)
class DeviceMetric:
    """One figure of the device summary, a fraction.

    `value` is None if not measured or not applicable, which differs from zero; `reason` then says why.
    """

    device: str
    name: str
    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """One side: one capture, or several pooled.

    reading      "corrected" (docs/method/corrected_reading.md) for traces, "torch-tb-profiler" for saved answers, "as
                 listed" for kernel listings, "as recorded" for per-cycle tables
    window       "device" (torch-tb-profiler's device-extended windows) or "marker" (host marker to marker)
    marked       False if nothing marks steps, so that the whole recording is one step
    iterations   the marker of a trace's steps, and the alternatives; None for other sources
    other_window (s2,) int64 step totals under the other window rule, for the note that says when it matters
    environment  (name, value) pairs: versions, devices, flags; values as text
    absent       table name -> why this source does not have it
    metric       what a "step" measures: STEP_TIME, CYCLE_TIME, or KERNEL_TIME for a source without timestamps
    bound_ns     BOUND_CLASSES -> device time, if launches have utilisation
    counters     counters per step, None without any
    memory       allocations and memory in use on devices, None without memory events
    modules      owned time by (path of nn.Module calls, category label), summing to the step; None if the source has no
                 module calls
    launches     individual launches, for sources that contain nothing else and for a single capture only
    work         device work by the operators around its launch; None without device events
    call_tree    owned time by module, operator and the work below; None if the source has no operators
    call_paths   BY_OPERATOR, BY_PYTHON -> callers of the tables' rows, with the tables' times; only on request
                 (analysis/attribution/call_paths.py)
    collectives  individual collectives between ranks; None without any
    ranks        steps of each rank, if the side has many ranks and its steps are means over them
                 (pooling/rank_mean.py); None if its steps are those of the captures
    """

    source: str
    format: str
    captures: tuple[Capture, ...]
    device: DeviceFacts
    window: str
    marked: bool
    steps: StepTable
    dropped: tuple[DroppedStep, ...]
    other_window: Ints
    owned: OwnedTime
    groups: Mapping[str, GroupTable]
    device_metrics: tuple[DeviceMetric, ...]
    environment: tuple[tuple[str, str], ...]
    recommendations: tuple[str, ...]
    absent: Mapping[str, str]
    notes: tuple[Note, ...]
    reading: str = "corrected"
    metric: str = STEP_TIME
    bound_ns: Mapping[str, int] = field(default_factory=dict)
    counters: CounterSeries | None = None
    launches: LaunchSequence | None = None
    memory: MemoryUse | None = None
    modules: SplitTime | None = None
    work: DeviceWork | None = None
    call_tree: CallTree | None = None
    call_paths: Mapping[str, CallTree] = field(default_factory=dict)
    collectives: Collectives | None = None
    ranks: RankSteps | None = None
    iterations: Iterations | None = None

    @property
    def is_split(self) -> bool:
        """Whether owned time has entities; otherwise the ledger has only categories."""
        return self.is_timed and NOT_SPLIT not in self.owned.key and OVERLAPPING not in self.owned.key

    @property
    def has_device(self) -> bool:
        """Whether device work was recorded; in a CPU-only recording its times are absent, not zero."""
        return self.device.kind != CPU.kind

    @property
    def is_of_a_job(self) -> bool:
        """Whether the traces belong to a job of several processes (`distributedInfo`)."""
        return any(name.startswith("distributed.") for name, _ in self.environment)

    @property
    def not_recorded(self) -> tuple[str, ...]:
        """Labels of the categories that a CPU-only recording, or a kernel listing, cannot have."""
        kernels = (StepCategory.KERNEL, StepCategory.COMMUNICATION)
        if self.metric == KERNEL_TIME:
            return tuple(CATEGORY_LABELS[part] for part in StepCategory if part not in kernels)
        return () if self.has_device else tuple(CATEGORY_LABELS[part] for part in OF_DEVICE)

    @property
    def counts_launches(self) -> bool:
        """Whether the number of launches per step is known; otherwise StepTable.launches is all zero."""
        if self.metric == CYCLE_TIME:
            return any(bool(table.calls.any()) for table in self.groups.values())
        return self.is_split

    @property
    def is_timed(self) -> bool:
        """Whether the source has step times; otherwise the recording is one step of unknown duration, stored as 0."""
        return "steps" not in self.absent
