"""Saved torch-tb-profiler answers -> Summary (docs/inputs/answers.md).

Answers hold totals: step times by category, and operators and kernels over the whole recording. Steps are samples as
usual; owned time has one entry per category, and the columns of the tables only spread a total over the steps.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from tb_perfcompare.analysis.answers.answer_tables import kernel_table, operator_table, table_disagreements
from tb_perfcompare.errors import CorruptInput, InputError, SelectionError
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.formats import ANSWERS
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.recordings.answers import AnswerKind, AnswersRecording, SavedDevice, SavedStep
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, DEVICE_CATEGORIES, NOT_SPLIT, StepCategory
from tb_perfcompare.model.summary.summary import Capture, DeviceFacts, DeviceMetric, DroppedStep, Summary
from tb_perfcompare.model.summary.tables import GroupTable, OwnedTime, StepTable
from tb_perfcompare.model.vendor import Vendor
from tb_perfcompare.model.vendors import CPU, CUDA, TENSOR_CORES_2021, VENDORS

_ABSENT = {
    "steps": "no overview was saved: step times are not known, and per step means for the whole recording",
    "operators": "no operation/table was saved",
    "operators_by_shape": "no operation/table grouped by input shape was saved",
    "kernels": "no kernel/table was saved",
    "memcpy": "saved answers do not list copies",
    "communication": "saved answers do not list collectives; their kernels are among the kernels",
    "modules": "saved module views are not compared",
    "corrections": "saved answers are torch-tb-profiler's own figures, without the corrections made for traces",
    "launches": "saved answers hold totals only: no single launches, no times of operators and kernels by step",
}
_UNMARKED = "0"
"""The profiler's label for the only step of a recording without step markers."""

_ROUNDING_NS = len(CATEGORY_LABELS)
"""Tolerance between a step's total and the sum of its parts: each part was rounded to nanoseconds."""

_ROUTES = {
    ("overview", None): AnswerKind.OVERVIEW,
    ("operation", None): AnswerKind.OPERATOR_PIES,
    ("operation/table", None): AnswerKind.OPERATORS,
    ("operation/table", "Operation"): AnswerKind.OPERATORS,
    ("operation/table", "OperationAndInputShape"): AnswerKind.OPERATORS_BY_SHAPE,
    ("kernel", None): AnswerKind.KERNEL_PIE,
    ("kernel/table", None): AnswerKind.KERNELS,
    ("kernel/table", "Kernel"): AnswerKind.KERNELS,
    ("kernel/table", "KernelNameAndOpName"): AnswerKind.KERNELS_BY_OPERATOR,
    ("kernel/tc_pie", None): AnswerKind.TENSOR_CORE_PIE,
}


def summarize_answers(recording: AnswersRecording, origin: Origin, window: str = "device") -> Summary:
    """Summarizes one run of saved answers.

    Raises InputError for a step window other than the profiler's, CorruptInput if no step of the overview has a length.
    """
    path = recording.file.path
    if window != "device":
        message = "saved answers have torch-tb-profiler's step windows, which reach to the end of the device's work"
        raise InputError(path, message, hint="leave --step-window out")
    steps, dropped, step_notes = _steps(recording)
    vendor = _answers_vendor(recording)
    names = sorted({name for device in recording.devices if (name := device.figures.get("Name", ""))})
    count = len(recording.devices) or int(_has_device_work(recording))  # work without a listed device: one device
    device = DeviceFacts(vendor.kind, vendor.word, ", ".join(names), count)
    groups = _groups(recording, len(steps), not _no_tensor_core_test(vendor))
    marked = [step.label for step in recording.steps] not in ([], [_UNMARKED])
    absent = {name: why for name, why in _ABSENT.items() if name not in groups}
    if recording.steps:
        del absent["steps"]
    return Summary(
        source=origin.source,
        format=ANSWERS,
        captures=(Capture(origin.run, origin.worker, origin.span, origin.rank, recording.file, device),),
        device=device,
        window=window,
        marked=marked,
        steps=_step_table(steps),
        dropped=dropped,
        other_window=np.zeros(0, dtype=np.int64),
        owned=_owned(steps),
        groups=groups,
        device_metrics=tuple(
            _metric(device, name, title, vendor) for device in recording.devices for name, title in _FIGURES
        ),
        environment=_environment(recording, device),
        recommendations=recording.recommendations,
        absent=absent,
        notes=(*recording.notes, *(Note(code, message, path) for code, message in step_notes),
               *_notes(recording, marked)),
        reading="torch-tb-profiler",
    )  # fmt: skip


def totals_left_out(summary: Summary) -> Summary:
    """Drops the tables, for a selection of steps: totals over all steps cannot be narrowed to some."""
    why = "saved answers hold totals over all steps only"
    return replace(summary, groups={}, absent={**summary.absent, **dict.fromkeys(summary.groups, why)})


def saved_answer(recording: AnswersRecording, route: str, group_by: str | None) -> Any:
    """Returns the saved answer of a torch-tb-profiler route. Raises SelectionError if there is none."""
    kind = _ROUTES.get((route, group_by)) or (_ROUTES.get((route, None)) if route == "operation" else None)
    if kind is None or kind not in recording.answers:
        grouped = f" grouped by {group_by}" if group_by else ""
        there = ", ".join(kind.value for kind in recording.answers)
        raise SelectionError(f"the answer of {route}{grouped} is not among the saved ones", hint=f"there are: {there}")
    return recording.answers[kind]


def _steps(
    recording: AnswersRecording,
) -> tuple[list[SavedStep], tuple[DroppedStep, ...], list[tuple[NoteCode, str]]]:
    """Returns steps whose parts sum to their totals, steps without length, and notes on corrections.

    Without an overview the whole recording is one step of unknown length, written as zero.
    """
    if not recording.steps:
        return [SavedStep(_UNMARKED, (0,) * len(CATEGORY_LABELS), 0)], (), []
    balanced = [_balanced(step) for step in recording.steps]
    steps = [step for step in balanced if step.total_ns]
    if not steps:
        raise CorruptInput(recording.file.path, "no step of the overview has a length", hint="save the answer again")
    empty = tuple(DroppedStep(0, step.label, 0, "no length") for step in balanced if not step.total_ns)
    unbalanced = [
        f"step {step.label}: its parts add up to {sum(step.parts_ns) / 1000:.15g} µs, its total is "
        f"{step.total_ns / 1000:.15g} µs; the parts are taken in owning order up to the total, Other is the rest"
        for step in recording.steps
        if step.total_ns is not None and abs(sum(step.parts_ns) - step.total_ns) > _ROUNDING_NS
    ]
    several = f"{len(unbalanced)} of {len(recording.steps)} steps, the first " if len(unbalanced) > 1 else ""
    notes = [(NoteCode.ANSWERS_DISAGREE, several + text) for text in unbalanced[:1]]
    notes += [(NoteCode.STEPS_DROPPED, f"step {step.label} left out, {step.reason}") for step in empty]
    return steps, empty, notes


def _balanced(step: SavedStep) -> SavedStep:
    """Adjusts a step's parts to sum to its total.

    The profiler can count parts beyond the total, so parts are filled in owning order until the total is used up; what
    no part claims is Other.
    """
    if step.total_ns is None:
        return replace(step, total_ns=sum(step.parts_ns))
    left, parts = step.total_ns, []
    for part in step.parts_ns:
        parts.append(min(part, left))
        left -= parts[-1]
    parts[StepCategory.OTHER] += left
    return replace(step, parts_ns=tuple(parts))


def _step_table(steps: list[SavedStep]) -> StepTable:
    """Builds the step table. Answers have no start times: each step starts where the previous one ends."""
    total = np.array([step.total_ns for step in steps], dtype=np.int64)
    return StepTable(
        capture=np.zeros(len(steps), dtype=np.int32),
        label=tuple(step.label for step in steps),
        start_ns=np.cumsum(total) - total,
        total_ns=total,
        launches=np.zeros(len(steps), dtype=np.int64),
        backlog_ns=np.zeros(len(steps), dtype=np.int64),
    )


def _owned(steps: list[SavedStep]) -> OwnedTime:
    parts = np.array([step.parts_ns for step in steps], dtype=np.int64).T
    rows = np.flatnonzero(parts.any(axis=1))
    names = (NOT_SPLIT,) * len(rows)
    return OwnedTime(rows.astype(np.int8), names, names, parts[rows], parts[rows], np.zeros_like(parts[rows]))


def _groups(recording: AnswersRecording, steps: int, tensor_cores: bool) -> dict[str, GroupTable]:
    groups: dict[str, GroupTable] = {}
    by_name = recording.operators or recording.operators_by_shape
    if by_name:
        groups["operators"] = operator_table(by_name, recording.pies, steps, by_shape=False)
    if recording.operators_by_shape:
        groups["operators_by_shape"] = operator_table(recording.operators_by_shape, {}, steps, by_shape=True)
    if recording.kernels:
        groups["kernels"] = kernel_table(recording.kernels, recording.pies, steps, tensor_cores)
    return groups


def _environment(recording: AnswersRecording, device: DeviceFacts) -> tuple[tuple[str, str], ...]:
    """Returns environment entries, under the names that a trace's environment uses for the same facts."""
    first = recording.devices[0].figures if recording.devices else {}
    rows = [
        ("device.kind", device.kind),
        ("device.name", device.name),
        ("device.count", str(device.count)),
        ("device.memory", first.get("Memory", "")),
        ("device.compute_capability", first.get("Compute Capability", "")),
        ("workers", dict(recording.environment).get("Number of Worker(s)", "")),
    ]
    return tuple((name, value) for name, value in rows if value)


def _notes(recording: AnswersRecording, marked: bool) -> list[Note]:
    where = recording.file.path
    notes = []
    if recording.steps and not marked:
        message = "the only step is labeled 0: nothing was marked as a step, and the whole recording counts as one"
        notes.append(Note(NoteCode.NO_STEPS, message, where))
    totals = [step.total_ns if step.total_ns is not None else sum(step.parts_ns) for step in recording.steps]
    if recording.average_ns is not None and abs(sum(totals) - recording.average_ns * len(totals)) > 501 * len(totals):
        message = (
            f"the overview's average step is {recording.average_ns / 1000:.15g} µs, that of its steps "
            f"{sum(totals) / len(totals) / 1000:.15g} µs; the steps are used"
        )
        notes.append(Note(NoteCode.ANSWERS_DISAGREE, message, where))
    return notes + [Note(NoteCode.ANSWERS_DISAGREE, text, where) for text in table_disagreements(recording)]


_FIGURES = (
    ("utilisation", regex(r".* Utilization")),
    ("sm_efficiency", regex(r"Est\. SM Efficiency")),
    ("occupancy", regex(r"Est\. Achieved Occupancy")),
    ("tensor_core_share", regex(r"Kernel Time using Tensor Cores")),
)
"""Metric name and its title in the answer; the first title begins with the word for the device (GPU, ...)."""

_PERCENT = regex(r"\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*%\s*")


def _answers_vendor(recording: AnswersRecording) -> Vendor:
    """Returns the vendor by the device's name, else by the word for the device in the overview.

    Unknown GPUs count as CUDA, as in traces, and so does device work without a named device; otherwise CPU.
    """
    names = " ".join(device.figures.get("Name", "") for device in recording.devices).lower()
    for vendor in VENDORS:
        if names and any(mark in names for mark in vendor.name_marks):
            return vendor
    words = {dict(recording.environment).get("Device Type", "")}
    words |= {device.label.partition(" ")[0] for device in recording.devices}
    for vendor in VENDORS:
        if vendor.word != "GPU" and vendor.word in words:
            return vendor
    return CUDA if "GPU" in words or _has_device_work(recording) else CPU


def _no_tensor_core_test(vendor: Vendor) -> str:
    """Says why torch-tb-profiler's tensor core test of kernel names is invalid on this device; "" if it is valid."""
    if vendor.tensor_cores is None:
        return "not applicable: the device has none"
    if not set(TENSOR_CORES_2021).issubset(vendor.tensor_cores):
        return "torch-tb-profiler's test of kernel names does not know this device"
    return ""


def _metric(device: SavedDevice, name: str, title: re.Pattern[str], vendor: Vendor) -> DeviceMetric:
    """Returns a metric as a fraction; None with a reason if the answer lacks it."""
    if name == "tensor_core_share" and (why := _no_tensor_core_test(vendor)):
        # The profiler answers 0.0 % here without having measured it.
        return DeviceMetric(device.label, name, None, why)
    text = next((value for label, value in device.figures.items() if title.fullmatch(label)), None)
    if text is None:
        return DeviceMetric(device.label, name, None, "not in the saved overview")
    percent = _PERCENT.fullmatch(text)
    if percent is None:
        return DeviceMetric(device.label, name, None, f"{text!r} is no percentage")
    return DeviceMetric(device.label, name, float(Decimal(percent[1]).scaleb(-2)))


def _has_device_work(recording: AnswersRecording) -> bool:
    """Whether the answers contain kernels or device time."""
    device_time = any(step.parts_ns[category] for step in recording.steps for category in DEVICE_CATEGORIES)
    return bool(recording.kernels) or device_time
