"""Detects the vendor of a trace's device. Vendors are records in model/vendors.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import is_one_of, used_codes
from tb_perfcompare.analysis.columns.grouping import argument_values
from tb_perfcompare.model.arrays import unique
from tb_perfcompare.model.events import API_CALLS, DEVICE_WORK
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.model.summary.summary import DeviceFacts
from tb_perfcompare.model.vendor import Vendor
from tb_perfcompare.model.vendors import CPU, CUDA, VENDORS


def find_vendor(recording: TraceRecording) -> Vendor:
    """Returns the vendor of the trace's device.

    Without device work and API calls it is CPU, even if the file lists devices: the profiler lists the machine's
    devices whatever it records. Otherwise evidence counts in this order: device names, categories that only one vendor
    writes, kernel arguments, process labels, names of host API calls. Work on an unknown device counts as CUDA's, whose
    names most back ends use.
    """
    if not is_one_of(recording.events.category, (*DEVICE_WORK, *API_CALLS)).any():
        return CPU
    return next((vendor for shows in _evidence(recording) for vendor in VENDORS if shows(vendor)), CUDA)


def _evidence(recording: TraceRecording) -> Iterator[Callable[[Vendor], bool]]:
    """Yields tests of whether the trace shows a vendor, the surest first."""
    events, count = recording.events, len(recording.events.strings)
    names = " ".join(str(item.get("name", "")) for item in recording.device_properties).lower()
    yield lambda vendor: any(mark in names for mark in vendor.name_marks)
    raw = {events.strings[code].lower() for code in used_codes(events.raw_category, count).tolist()}
    yield lambda vendor: not raw.isdisjoint(vendor.categories)
    yield lambda vendor: any(arg in events.args and len(events.args[arg].rows) for arg in vendor.kernel_args)
    labels = " ".join(str(label) for label in recording.process_labels.values()).lower()
    yield lambda vendor: vendor.word != "GPU" and vendor.word.lower() in labels
    called = events.name[is_one_of(events.category, API_CALLS)]
    calls = [events.strings[code] for code in used_codes(called, count).tolist()]
    yield lambda vendor: any(call.startswith(vendor.api_prefixes) for call in calls)


def device_facts(recording: TraceRecording, vendor: Vendor) -> DeviceFacts:
    """Returns the device model and the number of devices that did work (0 for a CPU trace)."""
    events = recording.events
    work = np.flatnonzero(is_one_of(events.category, DEVICE_WORK))
    used = unique(argument_values(events, "device", work, -1))
    lanes = {str(events.lanes.pid[lane]) for lane in used_codes(events.lane[work], len(events.lanes)).tolist()}
    properties = recording.device_properties
    names = sorted({str(item["name"]) for item in properties if item.get("name")}) if vendor is not CPU else []
    used = used[used >= 0]
    return DeviceFacts(vendor.kind, vendor.word, ", ".join(names), len(used) if len(used) else len(lanes))
