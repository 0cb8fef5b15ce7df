"""The torch-tb-profiler lines whose answers are reproduced, a row each; no other module knows which one it serves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tb_perfcompare.analysis.compat.events.kinds import COMMON_SPELLINGS, Kind
from tb_perfcompare.analysis.compat.events.tensor_cores import ELIGIBLE_OPERATORS, KERNEL_MARKS
from tb_perfcompare.model.events import Category
from tb_perfcompare.model.recordings.recording import TraceRecording


@dataclass(frozen=True, slots=True)
class KernelProperty:
    """One launch property that separates rows of the kernel table by properties.

    column      argument column of the recording
    label       column title in the answer, "" for a property that splits rows and is not shown
    json_type   column type in the answer
    fallback    text for an absent or falsy value; None: `str` of whatever there is
    nullable    an absent value is shown as null
    """

    column: str
    label: str
    json_type: str = "string"
    fallback: str | None = None
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Variant:
    """One line of the profiler.

    key                     name of the line
    word                    what its texts call the device
    metrics_key             member of the overview with the device summary
    categories              lower-cased `cat` -> Kind
    collective_libraries    prefixes of collective names
    device_library          prefix of the device's own collective library
    copies_in_collectives   copies linked to a collective are communication too
    annotations_in_window   annotations count for the window of a trace without steps
    outermost_runtimes      self time loses only runtimes not nested in another one
    eligible_operators      operators that can use tensor cores
    tensor_core_marks       parts of names of kernels that do
    device_detail           SM efficiency and occupancy are shown
    kernel_properties       see KernelProperty
    operator_column         the kernel table of properties says whether the operator is eligible
    memory_devices          `Device Type` -> label
    memory_mib              device property holding the memory in MiB, "" for `totalGlobalMem` in bytes
    tensor_core_advice      the AMP recommendation exists
    curve_points            most points of a memory curve, None for all
    """

    key: str
    word: str
    metrics_key: str
    categories: Mapping[str, Kind]
    collective_libraries: tuple[str, ...]
    device_library: str
    copies_in_collectives: bool
    annotations_in_window: bool
    outermost_runtimes: bool
    eligible_operators: frozenset[str]
    tensor_core_marks: tuple[str, ...]
    device_detail: bool
    kernel_properties: tuple[KernelProperty, ...]
    operator_column: bool
    memory_devices: Mapping[int, str]
    memory_mib: str
    tensor_core_advice: bool
    curve_points: int | None

    def collective_library(self, name: str) -> str:
        """Library of a collective's name (`nccl:all_reduce` -> `nccl`), "" if it is none the line knows."""
        library, colon, operation = name.partition(":")
        known = colon and library in self.collective_libraries and operation in COLLECTIVES
        return library if known else ""


COLLECTIVES = frozenset({"broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter"})
"""The five operations known as communication; other names (`_all_gather_base`, `barrier`) are ordinary host events."""

_GPU_RUNTIMES = ("cuda_runtime", "privateuse1_runtime", "mtia_runtime", "glow_runtime", "xpu_runtime")
_MLU_SPELLINGS = {
    "privateuse1_runtime": Kind.RUNTIME,
    "mlu_runtime": Kind.RUNTIME,
    "mlu_memcpy": Kind.MEMCPY,
    "mlu_memset": Kind.MEMSET,
    "mlu_user_annotation": Kind.ANNOTATION,
}

GIT = Variant(
    key="git",
    word="GPU",
    metrics_key="gpu_metrics",
    categories={**COMMON_SPELLINGS, **dict.fromkeys(_GPU_RUNTIMES, Kind.RUNTIME)},
    collective_libraries=("nccl", "gloo"),
    device_library="nccl",
    copies_in_collectives=False,
    annotations_in_window=False,
    outermost_runtimes=False,
    eligible_operators=ELIGIBLE_OPERATORS,
    tensor_core_marks=KERNEL_MARKS,
    device_detail=True,
    kernel_properties=(
        KernelProperty("grid", "Grid"),
        KernelProperty("block", "Block"),
        KernelProperty("registers", "Register Per Thread", "number", "0"),
        KernelProperty("shared_memory", "Shared Memory", "number", "0"),
    ),
    operator_column=True,
    memory_devices={0: "CPU", 1: "GPU"},
    memory_mib="",
    tensor_core_advice=True,
    curve_points=10240,
)
"""The last state of the plugin in the kineto repository."""

MLU22 = Variant(
    key="mlu22",
    word="MLU",
    metrics_key="mlu_metrics",
    categories={**COMMON_SPELLINGS, **_MLU_SPELLINGS},
    collective_libraries=("cncl", "gloo"),
    device_library="cncl",
    copies_in_collectives=True,
    annotations_in_window=True,
    outermost_runtimes=True,
    eligible_operators=frozenset(),
    tensor_core_marks=(),
    device_detail=False,
    kernel_properties=(
        KernelProperty("dim", "DimXYZ"),
        KernelProperty("kernel_type", "Kernel Type", nullable=True),
        KernelProperty("tasktopo", "", fallback="0"),
        KernelProperty("tasktopo_node", "", fallback="0"),
    ),
    operator_column=False,
    memory_devices={0: "CPU", 20: "MLU"},
    memory_mib="totalMem(MiB)",
    tensor_core_advice=False,
    curve_points=None,
)
"""The fork for Cambricon devices, branch for PyTorch 2.4; it also takes the category names of the older branches."""


def choose_variant(recording: TraceRecording) -> Variant:
    """MLU22 if anything in the trace says Cambricon, else GIT."""
    return MLU22 if _is_cambricon(recording) else GIT


def _is_cambricon(recording: TraceRecording) -> bool:
    if any(str(item.get("name", "")).upper().startswith("MLU") for item in recording.device_properties):
        return True
    if any(str(label).startswith("MLU ") for label in recording.process_labels.values()):
        return True
    events = recording.events
    for argument in ("kernel_type", "dim", "tasktopo"):
        column = events.args.get(argument)
        if column is not None and (events.category[column.rows] == Category.KERNEL).any():
            return True
    for category in ("privateuse1_runtime", "mlu_runtime"):
        index = events.strings.find(category)
        if index >= 0:
            names = {int(i) for i in events.name[events.raw_category == index]}
            if any(events.strings[i].startswith("cn") for i in names):
                return True
    return False
