"""Vendor, model and metrics of the device that saved answers describe."""

from __future__ import annotations

import re
from decimal import Decimal

from tb_perfcompare.model.recordings.answers import AnswersRecording, SavedDevice
from tb_perfcompare.model.summary.summary import DEVICE_CATEGORIES, DeviceFacts, DeviceMetric
from tb_perfcompare.model.vendors import CPU, CUDA, TENSOR_CORES_2021, VENDORS, Vendor

_FIGURES = (
    ("utilisation", re.compile(r".* Utilization")),
    ("sm_efficiency", re.compile(r"Est\. SM Efficiency")),
    ("occupancy", re.compile(r"Est\. Achieved Occupancy")),
    ("tensor_core_share", re.compile(r"Kernel Time using Tensor Cores")),
)
"""Metric name and its title in the answer; the first title begins with the word for the device (GPU, ...)."""

_PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*%\s*")


def answers_vendor(recording: AnswersRecording) -> Vendor:
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


def answers_device(recording: AnswersRecording, vendor: Vendor) -> DeviceFacts:
    """Returns model and number of devices; device work without a listed device counts as one device."""
    names = sorted({name for device in recording.devices if (name := device.figures.get("Name", ""))})
    count = len(recording.devices) or int(_has_device_work(recording))
    return DeviceFacts(vendor.kind, vendor.word, ", ".join(names), count)


def answer_metrics(recording: AnswersRecording, vendor: Vendor) -> tuple[DeviceMetric, ...]:
    """Returns four metrics per device as fractions; None with a reason for those that the answer lacks."""
    return tuple(_metric(device, name, title, vendor) for device in recording.devices for name, title in _FIGURES)


def no_tensor_core_test(vendor: Vendor) -> str:
    """Says why torch-tb-profiler's tensor core test of kernel names is invalid on this device; "" if it is valid."""
    if vendor.tensor_cores is None:
        return "not applicable: the device has none"
    if not set(TENSOR_CORES_2021).issubset(vendor.tensor_cores):
        return "torch-tb-profiler's test of kernel names does not know this device"
    return ""


def _metric(device: SavedDevice, name: str, title: re.Pattern[str], vendor: Vendor) -> DeviceMetric:
    if name == "tensor_core_share" and (why := no_tensor_core_test(vendor)):
        # The profiler answers 0.0 % here without having measured it.
        return DeviceMetric(device.label, name, "fraction", None, why)
    text = next((value for label, value in device.figures.items() if title.fullmatch(label)), None)
    if text is None:
        return DeviceMetric(device.label, name, "fraction", None, "not in the saved overview")
    percent = _PERCENT.fullmatch(text)
    if percent is None:
        return DeviceMetric(device.label, name, "fraction", None, f"{text!r} is no percentage")
    return DeviceMetric(device.label, name, "fraction", float(Decimal(percent[1]).scaleb(-2)))


def _has_device_work(recording: AnswersRecording) -> bool:
    """Whether the answers contain kernels or device time."""
    device_time = any(step.parts_ns[category] for step in recording.steps for category in DEVICE_CATEGORIES)
    return bool(recording.kernels) or device_time
