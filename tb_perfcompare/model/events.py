"""The events of one trace as columns: integer nanoseconds, interned names, one sparse column per argument in use.

No Python object per event is ever created.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from enum import Enum, IntEnum
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Ints, Ints32, LaneIndex, NameIndex, Nanoseconds
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.quick_dataclass import dataclass

ABSENT = int(np.iinfo(np.int64).min)
"""Marks a missing integer in dense columns; no profiler writes this number."""


class Category(IntEnum):
    """Kind of an event, independent of vendor and profiler version. model/device.py maps spellings to these."""

    OTHER = 0
    OPERATOR = 1
    ANNOTATION = 2  # user_annotation on a host thread
    DEVICE_ANNOTATION = 3  # its copy on a device stream
    RUNTIME = 4  # host API call: cudaLaunchKernel, hipMemcpyAsync, cnInvokeKernel
    DRIVER = 5  # lower host API: cuLaunchKernel
    KERNEL = 6
    MEMCPY = 7
    MEMSET = 8
    PYTHON = 9  # old record kind `python`
    PYTHON_FUNCTION = 10
    MEMORY = 11  # instant event `[memory]`
    TRACE = 12  # the window of the recording itself
    SYNC = 13  # cuda_sync, cuda_event: waiting seen from the device
    OVERHEAD = 14  # the profiler's own work
    MEMORY_RECORD = 15  # old complete event of category `memory`; no view uses it


API_CALLS = (Category.RUNTIME, Category.DRIVER)
DEVICE_WORK = (Category.KERNEL, Category.MEMCPY, Category.MEMSET)

class ArgKind(Enum):
    """Storage of an argument: exact integer, double, or the JSON text itself (interned, decoded for display)."""

    INT = "int"
    FLOAT = "float"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class ArgColumn:
    """An argument to keep: its column `name`, and its `keys` in `args` (the first one present wins)."""

    name: str
    keys: tuple[str, ...]
    kind: ArgKind


ARG_COLUMNS: tuple[ArgColumn, ...] = (
    # host operators
    ArgColumn("input_dims", ("Input Dims", "Input dims"), ArgKind.JSON),
    ArgColumn("input_type", ("Input type",), ArgKind.JSON),
    ArgColumn("input_strides", ("Input Strides",), ArgKind.JSON),
    ArgColumn("concrete_inputs", ("Concrete Inputs",), ArgKind.JSON),
    ArgColumn("call_stack", ("Call stack",), ArgKind.JSON),
    ArgColumn("autograd_node", ("Sequence number",), ArgKind.INT),
    # work of operators and kernels: the profiler's own count, and torch.compile's for its kernels
    ArgColumn("flops", ("Total Flops", "flops", "kernel_flop"), ArgKind.FLOAT),
    ArgColumn("moved_gb", ("kernel_num_gb",), ArgKind.FLOAT),
    # device work
    ArgColumn("device", ("device",), ArgKind.INT),
    ArgColumn("stream", ("stream",), ArgKind.INT),
    ArgColumn("grid", ("grid",), ArgKind.JSON),
    ArgColumn("block", ("block",), ArgKind.JSON),
    ArgColumn("registers", ("registers per thread",), ArgKind.JSON),
    ArgColumn("shared_memory", ("shared memory",), ArgKind.JSON),
    ArgColumn("blocks_per_sm", ("blocks per SM",), ArgKind.FLOAT),
    ArgColumn("occupancy", ("est. achieved occupancy %", "theoretical occupancy %"), ArgKind.FLOAT),
    ArgColumn("bandwidth", ("memory bandwidth (GB/s)", "bandwidth(GB/s)"), ArgKind.FLOAT),
    ArgColumn("kernel_type", ("kernel type",), ArgKind.JSON),
    ArgColumn("dim", ("dim",), ArgKind.JSON),
    ArgColumn("dim_x", ("dimx",), ArgKind.JSON),
    ArgColumn("dim_y", ("dimy",), ArgKind.JSON),
    ArgColumn("dim_z", ("dimz",), ArgKind.JSON),
    ArgColumn("tasktopo", ("tasktopo",), ArgKind.JSON),
    ArgColumn("tasktopo_node", ("tasktopo node", "tasktopo_node"), ArgKind.JSON),
    ArgColumn("task_type", ("Task Type",), ArgKind.JSON),
    # python functions
    ArgColumn("python_id", ("Python id",), ArgKind.INT),
    ArgColumn("python_parent_id", ("Python parent id",), ArgKind.INT),
    ArgColumn("python_module_id", ("Python module id",), ArgKind.INT),
    # memory
    ArgColumn("bytes", ("Bytes", "bytes", "size(B)"), ArgKind.INT),
    ArgColumn("address", ("Addr",), ArgKind.INT),
    ArgColumn("device_type", ("Device Type",), ArgKind.INT),
    ArgColumn("device_id", ("Device Id",), ArgKind.INT),
    ArgColumn("total_allocated", ("Total Allocated",), ArgKind.FLOAT),
    ArgColumn("total_reserved", ("Total Reserved",), ArgKind.FLOAT),
    # collectives
    ArgColumn("collective_name", ("Collective name",), ArgKind.JSON),
    ArgColumn("in_elements", ("In msg nelems",), ArgKind.INT),
    ArgColumn("out_elements", ("Out msg nelems",), ArgKind.INT),
    ArgColumn("element_type", ("dtype",), ArgKind.JSON),
    ArgColumn("group_size", ("Group size",), ArgKind.INT),
    ArgColumn("process_group", ("Process Group Name",), ArgKind.JSON),
    ArgColumn("sequence", ("Seq",), ArgKind.INT),
)
"""Every argument that any view uses. `External id` and `correlation` are dense columns of EventTable."""

UNREAD_ARGUMENTS = frozenset({"python_id", "python_parent_id", "address"})
"""Arguments that step timelines show and no summary reads."""


@dataclass(frozen=True, slots=True, eq=False)
class SparseColumn:
    """Values of one argument for the events that have it.

    rows    (k,) int32, ascending event rows
    values  (k,) int64 (ArgKind.INT), float64 (FLOAT), or int32 index of the JSON text in EventTable.strings (JSON)
    """

    rows: Ints32
    values: NDArray[np.generic]

    def dense(self, n: int, missing: int | float) -> NDArray[np.generic]:
        """(n,) array of the values; `missing` for events without one."""
        out = np.full(n, missing, dtype=self.values.dtype)
        out[self.rows] = self.values
        return out


@dataclass(frozen=True, slots=True, eq=False)
class LaneTable:
    """Lanes of events: a row per distinct (pid, tid), as written (an int, or a text such as "stream 7")."""

    pid: tuple[int | str, ...]
    tid: tuple[int | str, ...]

    def __len__(self) -> int:
        return len(self.pid)


@dataclass(frozen=True, slots=True, eq=False)
class FlowTable:
    """Forward-to-backward arrows (`fwdbwd`, `forward_backward`), in file order.

    is_start  (f,) bool   phase `s`; False is phase `f`
    flow_id   (f,) int64
    start_ns  (f,) int64
    """

    is_start: Flags
    flow_id: Ints
    start_ns: Nanoseconds

    def __len__(self) -> int:
        return len(self.flow_id)


@dataclass(frozen=True, slots=True, eq=False)
class EventTable:
    """Complete (`ph` X) and memory (`ph` i, name `[memory]`) events in file order; n rows.

    category     (n,) int8   Category
    raw_category (n,) int32  index into strings of the spelling in the file
    name         (n,) int32  index into strings
    lane         (n,) int32  row of lanes
    start_ns     (n,) int64  `ts` as written (absolute or relative), nanoseconds
    dur_ns       (n,) int64  >= 0; 0 for instant events
    external_id  (n,) int64  ABSENT if the event has none
    correlation  (n,) int64  ABSENT if the event has none
    args         name of an ArgColumn -> SparseColumn; only arguments that occur in the file
    """

    strings: StringTable
    lanes: LaneTable
    category: NDArray[np.int8]
    raw_category: Ints32
    name: NameIndex
    lane: LaneIndex
    start_ns: Nanoseconds
    dur_ns: Nanoseconds
    external_id: Ints
    correlation: Ints
    args: Mapping[str, SparseColumn]

    def __post_init__(self) -> None:
        n = len(self.name)
        wanted = {
            "category": np.int8,
            "raw_category": np.int32,
            "name": np.int32,
            "lane": np.int32,
            "start_ns": np.int64,
            "dur_ns": np.int64,
            "external_id": np.int64,
            "correlation": np.int64,
        }
        for column, dtype in wanted.items():
            array = getattr(self, column)
            if array.dtype != dtype or array.shape != (n,):
                raise ValueError(
                    f"EventTable.{column}: want {np.dtype(dtype)} of shape ({n},), "
                    f"got {array.dtype} of shape {array.shape}"
                )
            array.setflags(write=False)
        object.__setattr__(self, "args", MappingProxyType(dict(self.args)))

    def __len__(self) -> int:
        return len(self.name)

    def without(self, arguments: Collection[str]) -> EventTable:
        return replace(self, args={name: column for name, column in self.args.items() if name not in arguments})

    @property
    def end_ns(self) -> Ints:
        """(n,) start_ns + dur_ns."""
        return self.start_ns + self.dur_ns
