"""The meaning of a recording: steps, owners of their time, operators, kernels, environment.

Everything is per step (matrix columns are the admitted steps), so that sides with different numbers of steps compare as
means per step and every mean keeps its samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.summary.call_tree import CallTree
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, NOT_SPLIT, OF_DEVICE, OVERLAPPING, StepCategory
from tb_perfcompare.model.summary.collectives import Collectives, RankSteps
from tb_perfcompare.model.summary.iterations import Iterations
from tb_perfcompare.model.summary.launch_sites import DeviceWork
from tb_perfcompare.model.summary.memory import MemoryUse
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.tables import CounterSeries, GroupTable, LaunchSequence, OwnedTime, StepTable
from tb_perfcompare.model.vendors import CPU
from tb_perfcompare.quick_dataclass import dataclass

NOT_MEASURED = "not measured"
BOUND_CLASSES: tuple[str, ...] = ("tensor-bound", "memory-bound", "both", "neither", NOT_MEASURED)
"""Resource that limits a launch, by its utilization of the tensor pipe and of the memory."""

BOUND = 0.6
"""A launch is bound by a unit that it uses for at least this fraction of its peak (the threshold for "high" utilization
in Nsight Compute's Speed Of Light section)."""

METRIC_SETTING = "metric."
"""Prefix of the settings that name the profiler metric behind each figure of the kernels."""

OUTSIDE_MODULES = "(outside modules)"
"""Path of the time outside all nn.Module calls."""

BY_OPERATOR, BY_PYTHON = "operators", "python"
"""Kinds of call paths: by modules and operators, by Python functions."""

INCOMPLETE = "incomplete"
"""Reason for dropping a step that was not recorded completely (analysis/pooling/step_admission.py)."""

WARM_UP = "warm-up"
"""Reason for dropping a leading step that is far longer than the rest (analysis/pooling/step_admission.py)."""

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
    bound_ns     BOUND_CLASSES -> device time, if launches have utilization
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
        return self.device.kind != CPU.kind and self.device.count > 0

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
        times = self.owned.by_category()
        return tuple(CATEGORY_LABELS[part] for part in OF_DEVICE if not self.has_device and not times[part].any())

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
