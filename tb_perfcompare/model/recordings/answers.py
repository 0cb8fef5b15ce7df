"""A run of saved torch-tb-profiler answers, as read and before interpretation."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note
from tb_perfcompare.quick_dataclass import dataclass


class AnswerKind(str, Enum):
    """The kinds of answers that are read, by route and grouping."""

    OVERVIEW = "overview"
    OPERATOR_PIES = "operation"
    OPERATORS = "operation/table"
    OPERATORS_BY_SHAPE = "operation/table by input shape"
    KERNEL_PIE = "kernel"
    KERNELS = "kernel/table"
    KERNELS_BY_OPERATOR = "kernel/table by operator"
    TENSOR_CORE_PIE = "kernel/tc_pie"


@dataclass(frozen=True, slots=True)
class SavedStep:
    """One row of the overview.

    `parts_ns` has eight durations in the order of StepCategory, 0 for a part without a column; `total_ns` is from the
    tooltip, None without one.
    """

    label: str
    parts_ns: tuple[int, ...]
    total_ns: int | None


@dataclass(frozen=True, slots=True)
class SavedOperator:
    """One row of an operator table: totals over the whole recording.

    Device times are None if the profiler omitted their columns; `input_shape` is None unless rows are grouped by it.
    """

    name: str
    input_shape: str | None
    calls: int
    host_self_ns: int
    host_total_ns: int
    device_self_ns: int | None
    device_total_ns: int | None


@dataclass(frozen=True, slots=True)
class SavedKernel:
    """One row of a kernel table: totals over the whole recording; None for missing columns.

    `occupancy` is in percent.
    """

    name: str
    calls: int
    total_ns: int
    min_ns: int | None
    max_ns: int | None
    blocks_per_sm: float | None
    occupancy: float | None
    tensor_cores: bool | None


@dataclass(frozen=True, slots=True)
class SavedDevice:
    """One device of `gpu_metrics` or `mlu_metrics`: "GPU 0", and title -> text as saved ("9.18 %")."""

    label: str
    figures: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class AnswersRecording:
    """The answers about one run of a file that may hold several.

    file             the file; its `part` is the number of the run in it
    answers          kind -> the answer as saved
    steps            rows of the overview, empty without one
    average_ns       average step time in the overview (rounded to whole microseconds), None without one
    operators, operators_by_shape, kernels  rows of the tables, None for a table that was not saved
    pies             "device_total", "device_self", "host_total", "host_self", "kernel" -> name -> ns
    devices          devices of the overview
    environment      (title, value) as saved
    recommendations  texts without markup
    notes            damage and omissions
    """

    file: FileFacts
    answers: Mapping[AnswerKind, Any]
    steps: tuple[SavedStep, ...]
    average_ns: int | None
    operators: tuple[SavedOperator, ...] | None
    operators_by_shape: tuple[SavedOperator, ...] | None
    kernels: tuple[SavedKernel, ...] | None
    pies: Mapping[str, Mapping[str, int]]
    devices: tuple[SavedDevice, ...]
    environment: tuple[tuple[str, str], ...]
    recommendations: tuple[str, ...]
    notes: tuple[Note, ...]
