"""One record per table of groups (operators, kernels, copies, ...): keys, times, figures, and what can be done with its
rows. All that handles such tables reads it: the check of saved summaries, comparison, views of one run, rows, the page.
"""

from __future__ import annotations

from collections.abc import Mapping

from tb_perfcompare.model.summary.categories import COMMUNICATION, CPU_EXEC, KERNEL, MEMCPY, MEMSET
from tb_perfcompare.model.summary.collectives import BY_MESSAGE
from tb_perfcompare.model.summary.groups import CRITICAL_PATH, DEVICE_TIMELINE, DEVICE_TIMELINE_MEANINGS
from tb_perfcompare.model.summary.summary import BOUND
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.units import BYTES, FRACTION, NUMBER, PERCENT, Better, Unit


@dataclass(frozen=True, slots=True)
class Measure:
    """One time of a group: its column name ("" for the main one), label ("" for a group's only time), definition,
    and the GroupTable measure. `pace` is that of the machine which the time follows, "host" or "device"; "" for API
    calls and copies, which follow no known pace."""

    name: str
    label: str
    definition: str
    source: str
    shown: bool = True
    pace: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure of a group that is not a time: its name in GroupTable.facts, label, unit, definition, better
    direction. Captures are pooled by its mean weighted by time, or by its sum if `summed`."""

    name: str
    label: str
    unit: Unit
    definition: str
    better: Better
    shown: bool = False
    summed: bool = False


@dataclass(frozen=True, slots=True)
class TableSpec:
    """Specification of a group table.

    keys         parts of a row's key, each in KEY_COLUMNS
    calls        what is counted
    measures     times; the first is the main one
    order        sources of the measures whose summed changes give the default order
    exposed      note on exposed time, "" if the group has none
    notes        notes beside those on exposed time and on the reading
    one          term for one call, "" if mean time per call and the row's share are not shown
    counted      label of the number of calls
    categories   ledger categories in which a row's name is an entry
    paths        names of the measures whose callers traces record
    related      whether other tables have rows of the same work, though no callers are recorded
    adds_up      whether rows can be summed: they neither overlap nor are means
    if_recorded  whether the table gives more detail on work that other tables contain too: if one side lacks it, its
                 work is not gone
    """

    title: str
    keys: tuple[str, ...]
    calls: str
    measures: tuple[Measure, ...]
    order: tuple[str, ...] = ("total",)
    facts: tuple[Fact, ...] = ()
    exposed: str = ""
    notes: tuple[str, ...] = ()
    one: str = ""
    counted: str = "Calls"
    categories: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    related: bool = False
    adds_up: bool = True
    if_recorded: bool = False

    @property
    def pathed(self) -> dict[str, str]:
        """Measures whose callers traces record: name -> GroupTable measure."""
        return {measure.name: measure.source for measure in self.measures if measure.name in self.paths}


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
        "", "Host self", "Self host time: in the operator, excluding the operators and API calls below it", "host_self",
        pace="host",
    ),
    Measure(
        "device_self", "Device self", "Self device time: device work launched by its own API calls", "device_self",
        pace="device",
    ),
    Measure(
        "host_total", "Host total", "Total host time: from start to end, everything below included", "host_total",
        False, "host",
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
_ENTITIES_OF_KERNELS = (KERNEL, COMMUNICATION)
_OF_KERNEL = "Exposed time is the part the kernel owns in the ledger; the rest overlaps other device work."
_OF_DEVICE = "Exposed time is the part that the ledger counts; the rest overlaps other device work."


def _time(definition: str, pace: str = "") -> tuple[Measure]:
    """The only time of a group."""
    return (Measure("", "", definition, "total", pace=pace),)


TABLE_SPECS: Mapping[str, TableSpec] = {
    "operators": TableSpec(
        "Operators", ("name",), "Calls", _OPERATOR_MEASURES, _HOST_AND_DEVICE,
        exposed="Exposed time is what the ledger counts of the operator's own host work, of its API calls and of the "
        "device work that these launched; the rest overlaps other device work.",
        notes=(_OVERLAP,), categories=(CPU_EXEC,), paths=("", "device_self"),
    ),
    "operators_by_shape": TableSpec(
        "Operators by input shape", ("name", "input_shape"), "Calls", _OPERATOR_MEASURES, _HOST_AND_DEVICE,
        notes=(_OVERLAP,), related=True, if_recorded=True,
    ),
    "operators_by_type": TableSpec(
        "Operators by input type", ("name", "input_type"), "Calls", _OPERATOR_MEASURES, _HOST_AND_DEVICE,
        notes=(_OVERLAP,), related=True, if_recorded=True,
    ),
    "modules": TableSpec(
        "Modules", ("name",), "Calls",
        (
            Measure(
                "", "Host self", "Self host time: in the module, excluding the modules below it", "host_self",
                pace="host",
            ),
            Measure(
                "device_self", "Device self", "Device work launched by the module's own operators", "device_self",
                pace="device",
            ),
            Measure(
                "host_total", "Host total", "Host time from start to end of its calls", "host_total", False, "host"
            ),
            Measure("device_total", "Device total", "Device work launched by it and the modules below", "device_total"),
        ),
        _HOST_AND_DEVICE,
        exposed="Exposed time is what the ledger counts of the module with its backward work, without modules in it.",
        notes=(_OVERLAP, "Backward passes run outside the module's calls and are not in its other times."),
        paths=("",), if_recorded=True,
    ),
    "kernels": TableSpec(
        "Kernels", ("name",), "Launches", _time("Kernel time: summed durations of its launches", "device"),
        facts=(
            Fact("tensor_active", "Tensor", FRACTION, "time with the tensor pipe active, mean weighted by time",
                 Better.HIGHER, True),
            Fact("dram_active", "DRAM", FRACTION, "fraction of the peak memory throughput, mean weighted by time",
                 Better.HIGHER, True),
            *_BOUND_FACTS,
            *_KERNEL_FACTS,
        ),
        exposed=_OF_KERNEL, one="launch", categories=_ENTITIES_OF_KERNELS, paths=("",),
    ),
    "kernels_by_operator": TableSpec(
        "Kernels by operator", ("name", "operator"), "Launches",
        _time("Kernel time: summed durations of its launches below the operator", "device"),
        facts=_KERNEL_FACTS, exposed=_OF_KERNEL, categories=_ENTITIES_OF_KERNELS, paths=("",),
    ),
    "kernels_by_launch": TableSpec(
        "Kernels by launch", ("name", "launch"), "Launches",
        _time("Kernel time: summed durations of its launches", "device"),
        facts=(
            Fact("registers", "Registers", NUMBER, "registers per thread, mean weighted by time", Better.NONE),
            Fact("shared_memory", "Shared memory", BYTES, "bytes per block, mean weighted by time", Better.NONE),
            *_KERNEL_FACTS,
        ),
        related=True, if_recorded=True,
    ),
    "kernels_by_module": TableSpec(
        "Kernels by module", ("name", "module"), "Launches",
        _time("Kernel time: summed durations of its launches in the module", "device"),
        notes=(
            "The module is the innermost one that is open at the launch; backward work is its forward operator's, "
            "where arrows lead there.",
        ),
        related=True, if_recorded=True,
    ),
    "kernels_by_type": TableSpec(
        "Kernels by data type", ("name", "input_type"), "Launches",
        _time("Kernel time: summed durations of its launches with inputs of this type", "device"),
        notes=("Types are those of the inputs of the operator that launched the kernel.",),
        related=True, if_recorded=True,
    ),
    "functions": TableSpec(
        "Functions", ("name", "type"), "Calls",
        _time("Time of all calls: summed over processes, devices, threads and streams"),
        notes=("Times overlap across threads and streams: they do not add up to the cycle and may exceed it.",),
    ),
    "memcpy": TableSpec(
        "Copies and sets", ("name",), "Operations", _time("Copy time: summed durations"),
        facts=(Fact("bytes", "Bytes", BYTES, "total bytes moved in all admitted steps", Better.NONE, summed=True),),
        exposed=_OF_DEVICE, categories=(MEMCPY, MEMSET), paths=("",),
    ),
    "communication": TableSpec(
        "Collectives", ("name",), "Operations",
        _time("Communication time: summed durations of collective kernels and host collectives"),
        exposed=_OF_DEVICE, notes=("Waiting for other ranks is part of a collective's time.",),
        categories=(COMMUNICATION,), paths=("",),
    ),
    BY_MESSAGE: TableSpec(
        "Collectives by message", ("name", "group_size", "message"), "Operations",
        _time("Communication time: summed durations of collective kernels"),
        notes=("Messages of a row are the same: the test of its time is that of its bandwidth.",), one="operation",
        if_recorded=True,
    ),
    DEVICE_TIMELINE: TableSpec(
        "Device timeline", ("figure",), "Events or gaps",
        _time("Device time; mean over devices and ranks if there are several"), order=(),
        notes=("Busy and the parts of Idle sum to the step. They are views of time that the ledger has already.",),
        counted="Count", adds_up=False, if_recorded=True,
    ),
    CRITICAL_PATH: TableSpec(
        "Critical path", ("name", "category"), "Pieces of the path",
        _time("Time on the critical path: back from the step's end through the last dependency"),
        notes=(
            "The rows sum to the step. They are views of time that the ledger has already; edges are as far as the "
            "trace records them (docs/method/metrics.md#critical-path).",
        ),
        counted="Pieces", if_recorded=True,
    ),
}  # fmt: skip

IF_RECORDED = frozenset(name for name, spec in TABLE_SPECS.items() if spec.if_recorded)
WITH_CALLERS = tuple(name for name, spec in TABLE_SPECS.items() if spec.paths or spec.related)
"""Tables whose rows have callers or related rows of other tables."""
