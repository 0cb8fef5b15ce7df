"""Catalogue of the measures and facts of each group table. entity_tables.py joins the rows."""

from __future__ import annotations

from collections.abc import Mapping

from tb_perfcompare.model.summary.collectives import BY_MESSAGE
from tb_perfcompare.model.summary.groups import CRITICAL_PATH, DEVICE_TIMELINE, DEVICE_TIMELINE_MEANINGS
from tb_perfcompare.model.summary.summary import BOUND
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.units import BYTES, FRACTION, NUMBER, PERCENT, Better, Unit


@dataclass(frozen=True, slots=True)
class Measure:
    """One time of a group: its column name ("" for the main one), label ("" for a group's only time), definition,
    and the GroupTable measure."""

    name: str
    label: str
    definition: str
    source: str
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure of a group that is not a time: its name in GroupTable.facts, label, unit, definition, better
    direction."""

    name: str
    label: str
    unit: Unit
    definition: str
    better: Better
    shown: bool = False


@dataclass(frozen=True, slots=True)
class TableSpec:
    """Specification of a group table. The first measure is the main one; `order` names the measures whose summed
    changes give the default order. `exposed` is the note on exposed time, "" if the group has none; `notes` are those
    beside that on the reading. `one` is the term for one call, "" if mean time per call and the row's share are not
    shown; `counted` is the label of the number of calls."""

    title: str
    calls: str
    measures: tuple[Measure, ...]
    order: tuple[str, ...]
    facts: tuple[Fact, ...] = ()
    exposed: str = ""
    notes: tuple[str, ...] = ()
    one: str = ""
    counted: str = "Calls"


KEY_COLUMNS: Mapping[str, tuple[str, str]] = {
    "name": ("Name", "name by which the two sides are joined"),
    "input_shape": ("Input shape", "shapes of the input tensors"),
    "input_type": ("Input types", "element types of the input tensors"),
    "operator": ("Operator", "operator that launched the kernel; empty if none was recorded"),
    "module": ("Module", "innermost nn.Module call around the launch; for backward work, around its forward operator"),
    "type": ("Type", "type of work from the input table; device or host if the table has none"),
    "figure": ("Figure", "; ".join(f"{name}: {what}" for name, what in DEVICE_TIMELINE_MEANINGS.items())),
    "category": ("Category", "category as in the ledger, or the edge of the path that takes the time"),
    "group_size": ("Ranks", "number of ranks in the process group"),
    "message": (
        "Message",
        "message size as in nccl-tests: output size per rank for all_gather, input size per rank for reduce_scatter, "
        "buffer size for other collectives",
    ),
    "launch": ("Launch", "launch configuration: grid and block, or kernel type and dimensions"),
}
"""Part of a group's key -> label and definition of its column."""

_OPERATOR_MEASURES = (
    Measure(
        "", "Host self", "Self host time: in the operator, excluding the operators and API calls below it", "host_self"
    ),
    Measure("device_self", "Device self", "Self device time: device work launched by its own API calls", "device_self"),
    Measure(
        "host_total", "Host total", "Total host time: from start to end, everything below included", "host_total", False
    ),
    Measure("host_api", "API calls", "Outermost API calls made by the operator itself", "host_api", False),
    Measure(
        "device_total", "Device total", "Total device time: launched by it and by operators below it", "device_total",
        False,
    ),
)  # fmt: skip
_OVERLAP = (
    "Self and total times are summed durations: they overlap across threads and streams and do not add up to step "
    "time; the ledger does."
)

_KERNEL_FACTS = (
    Fact("achieved_occupancy", "Achieved occupancy", FRACTION, "measured, mean weighted by time", Better.HIGHER),
    Fact("sm_throughput", "SM", FRACTION, "fraction of peak SM throughput, mean weighted by time", Better.HIGHER),
    Fact("occupancy", "Occupancy", PERCENT, "estimated achieved occupancy, mean weighted by time", Better.HIGHER),
    Fact("blocks_per_sm", "Blocks per SM", NUMBER, "blocks per multiprocessor, mean weighted by time", Better.HIGHER),
    Fact("tensor_cores", "Tensor cores", NUMBER, "1 if the name shows tensor core use, 0 if not; empty: name was cut",
         Better.NONE),
)

_BOUND_FACTS = tuple(
    Fact(name, label, FRACTION, f"fraction of kernel time in launches that keep {what} % of the peak", Better.NONE)
    for name, label, what in (
        ("tensor_bound", "Tensor-bound", f"the tensor pipe, but not the memory, at {100 * BOUND:g} or more"),
        ("memory_bound", "Memory-bound", f"the memory, but not the tensor pipe, at {100 * BOUND:g} or more"),
        ("both_bound", "Both", f"the tensor pipe and the memory at {100 * BOUND:g} or more"),
        ("neither_bound", "Neither", f"the tensor pipe and the memory below {100 * BOUND:g}"),
    )
)

_HOST_AND_DEVICE = ("host_self", "device_self")
_OF_KERNEL = "Exposed time is the part the kernel owns in the ledger; the rest overlaps other device work."
_OF_DEVICE = "Exposed time is the part that the ledger counts; the rest overlaps other device work."


def _timed(
    title: str, calls: str, definition: str, *notes: str, order: tuple[str, ...] = ("total",),
    facts: tuple[Fact, ...] = (), exposed: str = "", one: str = "", counted: str = "Calls",
) -> TableSpec:  # fmt: skip
    """Specification of a group with a single time."""
    return TableSpec(title, calls, (Measure("", "", definition, "total"),), order, facts, exposed, notes, one, counted)


TABLE_SPECS: Mapping[str, TableSpec] = {
    "operators": TableSpec(
        "Operators", "Calls", _OPERATOR_MEASURES, _HOST_AND_DEVICE,
        exposed="Exposed time is what the ledger counts of the operator's own host work, of its API calls and of the "
        "device work that these launched; the rest overlaps other device work.",
        notes=(_OVERLAP,),
    ),
    "operators_by_shape": TableSpec(
        "Operators by input shape", "Calls", _OPERATOR_MEASURES, _HOST_AND_DEVICE, notes=(_OVERLAP,)
    ),
    "operators_by_type": TableSpec(
        "Operators by input type", "Calls", _OPERATOR_MEASURES, _HOST_AND_DEVICE, notes=(_OVERLAP,)
    ),
    "modules": TableSpec(
        "Modules", "Calls",
        (
            Measure("", "Host self", "Self host time: in the module, excluding the modules below it", "host_self"),
            Measure("device_self", "Device self", "Device work launched by the module's own operators", "device_self"),
            Measure("host_total", "Host total", "Host time from start to end of its calls", "host_total", False),
            Measure("device_total", "Device total", "Device work launched by it and the modules below", "device_total"),
        ),
        _HOST_AND_DEVICE,
        exposed="Exposed time is what the ledger counts of the module with its backward work, without modules in it.",
        notes=(_OVERLAP, "Backward passes run outside the module's calls and are not in its other times."),
    ),
    "kernels": _timed(
        "Kernels", "Launches", "Kernel time: summed durations of its launches", exposed=_OF_KERNEL, one="launch",
        facts=(
            Fact("tensor_active", "Tensor", FRACTION, "time with the tensor pipe active, mean weighted by time",
                 Better.HIGHER, True),
            Fact("dram_active", "DRAM", FRACTION, "fraction of the peak memory throughput, mean weighted by time",
                 Better.HIGHER, True),
            *_BOUND_FACTS,
            *_KERNEL_FACTS,
        ),
    ),
    "kernels_by_operator": _timed(
        "Kernels by operator", "Launches", "Kernel time: summed durations of its launches below the operator",
        facts=_KERNEL_FACTS, exposed=_OF_KERNEL,
    ),
    "kernels_by_launch": _timed(
        "Kernels by launch", "Launches", "Kernel time: summed durations of its launches",
        facts=(
            Fact("registers", "Registers", NUMBER, "registers per thread, mean weighted by time", Better.NONE),
            Fact("shared_memory", "Shared memory", BYTES, "bytes per block, mean weighted by time", Better.NONE),
            *_KERNEL_FACTS,
        ),
    ),
    "kernels_by_module": _timed(
        "Kernels by module", "Launches", "Kernel time: summed durations of its launches in the module",
        "The module is the innermost one that is open at the launch; backward work is its forward operator's, "
        "where arrows lead there.",
    ),
    "kernels_by_type": _timed(
        "Kernels by data type", "Launches",
        "Kernel time: summed durations of its launches with inputs of this type",
        "Types are those of the inputs of the operator that launched the kernel.",
    ),
    "functions": _timed(
        "Functions", "Calls", "Time of all calls: summed over processes, devices, threads and streams",
        "Times overlap across threads and streams: they do not add up to the cycle and may exceed it.",
    ),
    "memcpy": _timed(
        "Copies and sets", "Operations", "Copy time: summed durations", exposed=_OF_DEVICE,
        facts=(Fact("bytes", "Bytes", BYTES, "total bytes moved in all admitted steps", Better.NONE),),
    ),
    "communication": _timed(
        "Collectives", "Operations",
        "Communication time: summed durations of collective kernels and host collectives",
        "Waiting for other ranks is part of a collective's time.", exposed=_OF_DEVICE,
    ),
    BY_MESSAGE: _timed(
        "Collectives by message", "Operations", "Communication time: summed durations of collective kernels",
        "Messages of a row are the same: the test of its time is that of its bandwidth.", one="operation",
    ),
    DEVICE_TIMELINE: _timed(
        "Device timeline", "Events or gaps", "Device time; mean over devices and ranks if there are several",
        "Busy and the parts of Idle sum to the step. They are views of time that the ledger has already.",
        order=(), counted="Count",
    ),
    CRITICAL_PATH: _timed(
        "Critical path", "Pieces of the path",
        "Time on the critical path: back from the step's end through the last dependency",
        "The rows sum to the step. They are views of time that the ledger has already; edges are as far as the "
        "trace records them (docs/method/metrics.md#critical-path).", counted="Pieces",
    ),
}  # fmt: skip

IF_RECORDED = frozenset({
    "operators_by_shape", "operators_by_type", "kernels_by_launch", "kernels_by_module", "kernels_by_type", "modules",
    BY_MESSAGE, DEVICE_TIMELINE, CRITICAL_PATH,
})  # fmt: skip
"""Groups that give more detail on work that other groups contain too, if recorded: if one side lacks them, its work
is not gone."""
