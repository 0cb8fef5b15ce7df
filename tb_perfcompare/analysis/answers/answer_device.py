"""The device of saved answers: vendor, name, figures."""

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
"""Metric -> its title in the answer; the first begins with the word for the device."""

_PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*%\s*")


def answers_vendor(recording: AnswersRecording) -> Vendor:
    """By the device's name, then by the word the overview uses. An unknown GPU counts as CUDA's, as in a trace; so
    does work on a device that no answer names."""
    names = " ".join(device.figures.get("Name", "") for device in recording.devices).lower()
    for vendor in VENDORS:
        if names and any(mark in names for mark in vendor.name_marks):
            return vendor
    words = {dict(recording.environment).get("Device Type", "")}
    words |= {device.label.partition(" ")[0] for device in recording.devices}
    for vendor in VENDORS:
        if vendor.word != "GPU" and vendor.word in words:
            return vendor
    return CUDA if "GPU" in words or _works(recording) else CPU


def answers_device(recording: AnswersRecording, vendor: Vendor) -> DeviceFacts:
    """Model and number of devices; a device that worked without being listed counts as one."""
    names = sorted({name for device in recording.devices if (name := device.figures.get("Name", ""))})
    count = len(recording.devices) or int(_works(recording))
    return DeviceFacts(vendor.kind, vendor.word, ", ".join(names), count)


def answer_metrics(recording: AnswersRecording, vendor: Vendor) -> tuple[DeviceMetric, ...]:
    """The four figures of every device, as fractions; None with a reason where the answer has none."""
    return tuple(_metric(device, name, title, vendor) for device in recording.devices for name, title in _FIGURES)


def no_tensor_core_test(vendor: Vendor) -> str:
    """Why torch-tb-profiler's test of kernel names says nothing on this device, "" where it does."""
    if vendor.tensor_cores is None:
        return "not applicable: the device has none"
    if not set(TENSOR_CORES_2021).issubset(vendor.tensor_cores):
        return "torch-tb-profiler's test of kernel names does not know this device"
    return ""


def _metric(device: SavedDevice, name: str, title: re.Pattern[str], vendor: Vendor) -> DeviceMetric:
    if name == "tensor_core_share" and (why := no_tensor_core_test(vendor)):
        # The profiler answers 0.0 % here, which is no measurement.
        return DeviceMetric(device.label, name, "fraction", None, why)
    text = next((value for found, value in device.figures.items() if title.fullmatch(found)), None)
    if text is None:
        return DeviceMetric(device.label, name, "fraction", None, "not in the saved overview")
    percent = _PERCENT.fullmatch(text)
    if percent is None:
        return DeviceMetric(device.label, name, "fraction", None, f"{text!r} is no percentage")
    return DeviceMetric(device.label, name, "fraction", float(Decimal(percent[1]).scaleb(-2)))


def _works(recording: AnswersRecording) -> bool:
    device_time = any(step.parts_ns[category] for step in recording.steps for category in DEVICE_CATEGORIES)
    return bool(recording.kernels) or device_time
