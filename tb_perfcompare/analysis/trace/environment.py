"""Versions and settings that a trace records, as (name, value) texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tb_perfcompare.analysis.columns.event_masks import is_one_of, used_codes
from tb_perfcompare.analysis.columns.numbering import gather
from tb_perfcompare.analysis.trace.interpretation import InterpretedTrace
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.arrays import is_of, unique
from tb_perfcompare.model.environment import (
    AUTOGRAD_GRAPH,
    AUTOGRAD_UNUSED,
    CHANNELS_LAST,
    LOADED_BY,
    MAIN_PROCESS,
    NO_FIELDS,
    WORKER_PROCESSES,
    WRITTEN_ARGUMENTS,
    WRITTEN_FIELDS,
)
from tb_perfcompare.model.events import Category, EventTable
from tb_perfcompare.model.input_shapes import NO_TYPES
from tb_perfcompare.model.names.autograd_names import AUTOGRAD_RANGE
from tb_perfcompare.model.names.compiled_names import COMPILED_REGION, COMPILED_REGIONS, MAX_REGIONS, region_id
from tb_perfcompare.model.names.join_keys import operator_key
from tb_perfcompare.model.names.ranges import LOADER_PREFIX
from tb_perfcompare.model.names.work_kinds import MOVING
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.model.summary.summary import DeviceFacts

_LIKE_AN_EPOCH_NS = 10**18
"""Times from here on (September 2001) count from 1970: a relative clock would need 30 years to get there."""


def clock_zero_ns(properties: Mapping[str, Any], time_ns: int) -> int | None:
    """Returns the time at zero of the trace's clock, in nanoseconds since 1970; None if the trace does not record it.

    properties  of the trace: newer ones write times relative to `baseTimeNanoseconds`, older ones since 1970
    time_ns     any time of the trace
    """
    if time_ns >= _LIKE_AN_EPOCH_NS:
        return 0
    base = properties.get("baseTimeNanoseconds")
    return base if isinstance(base, int) and not isinstance(base, bool) and 0 < base < 2**63 - 2 * 10**18 else None


_IMAGE = regex(r"\[\d+, ?(\d+), ?\d+, ?(\d+)\]")
"""Strides of a four-dimensional input: those of its channels and of its columns."""

_ITERATORS = {MAIN_PROCESS: "_SingleProcess", WORKER_PROCESSES: "_MultiProcessing"}
"""Who loads batches -> part of the name of DataLoader's iterator."""

_NODES = 0.01
"""Least number of autograd's nodes per operator call: without a graph, all calls have the number of the next node."""

RECORDED_FLAGS = ("record_shapes", "with_stack", "profile_memory", "with_flops", "with_modules")
_RECORDED_WITH = {"with_stack": Category.PYTHON_FUNCTION, "profile_memory": Category.MEMORY}
"""Profiler option -> events that only it records."""

_NO_STACK = ('""', "null")
_ADDED_FIELDS = ("baseTimeNanoseconds", "trace_id", "host_name")
_ADDED_ARGUMENTS = {"Concrete Inputs": "concrete_inputs", "Input Strides": "input_strides"}
_DEVICE_FIELDS = {
    "totalGlobalMem": "memory_bytes",
    "totalMem(MiB)": "memory_mib",
    "numSms": "multiprocessors",
    "warpSize": "warp_size",
}


def environment(
    recording: TraceRecording, timeline: InterpretedTrace, device: DeviceFacts
) -> tuple[tuple[str, str], ...]:
    """Returns device model and size, library versions, profiler flags, ranks and threads, in fixed order.

    Values that the trace does not record are omitted.
    """
    properties = recording.properties
    rows: list[tuple[str, str]] = [
        ("device.kind", device.kind),
        ("device.name", device.name),
        ("device.count", str(device.count)),
    ]
    rows += _device(recording.device_properties)
    rows += [(f"profiler.{flag}", recorded_flag(flag, recording)) for flag in RECORDED_FLAGS]
    rows += sorted(
        (f"version.{key.removesuffix('_version')}", _text(value))
        for key, value in properties.items()
        if key.endswith("_version") and not isinstance(value, (dict, list))
    )
    rows += _distributed(properties.get("distributedInfo"))
    threads = len(used_codes(gather(timeline.lane, timeline.host.row), len(timeline.events.lanes)))
    rows.append(("host.threads_with_operators", str(threads)))
    rows.append((COMPILED_REGIONS, _regions(timeline)))
    rows += _autograd(timeline)
    rows.append((LOADED_BY, _loaded_by(timeline)))
    rows.append((CHANNELS_LAST, _channels_last(timeline)))
    if "schemaVersion" in properties:
        rows.append(("trace.schema", _text(properties["schemaVersion"])))
        rows += _written(recording)
    return tuple((name, value) for name, value in rows if value != "")


def recorded_flag(flag: str, recording: TraceRecording) -> str:
    """Whether a profiler option was on: "true", "false", or "" if unknown. Traces of PyTorch 1.13 and older name none:
    their events show it."""
    if flag in recording.properties:
        return str(bool(recording.properties[flag])).lower()
    events = recording.events
    if flag == "record_shapes":
        return "true" if "input_dims" in events.args else ""
    if flag == "with_stack" and "call_stack" in events.args:
        return "true" if any(text not in _NO_STACK for text in _used_texts(events, "call_stack")) else ""
    kind = _RECORDED_WITH.get(flag)
    return "true" if kind is not None and is_of(events.category, kind).any() else ""


def _written(recording: TraceRecording) -> list[tuple[str, str]]:
    """Fields that later versions of PyTorch added to the trace, and to operators if their inputs were recorded."""
    added = [(WRITTEN_FIELDS, [field for field in _ADDED_FIELDS if field in recording.properties])]
    if {"input_dims", "input_type"} <= set(recording.events.args):
        # PyTorch 1.8 writes empty lists of types
        names_types = any(text not in NO_TYPES for text in _used_texts(recording.events, "input_type"))
        types = ["Input type"] if names_types else []
        arguments = [name for name, column in _ADDED_ARGUMENTS.items() if column in recording.events.args]
        added.append((WRITTEN_ARGUMENTS, [*arguments, *types]))
    return [(name, ", ".join(fields) or NO_FIELDS) for name, fields in added]


def _used_texts(events: EventTable, argument: str) -> Iterator[str]:
    codes = np.asarray(events.args[argument].values, dtype=np.int64)
    return map(events.strings.texts.__getitem__, used_codes(codes, len(events.strings)).tolist())


def _autograd(timeline: InterpretedTrace) -> list[tuple[str, str]]:
    """Says whether the operators' numbers of autograd's nodes advance, other than by autocast's casts of parameters,
    and with a backward pass, which share of these nodes it does not run. Values are "" without operators."""
    events = timeline.events
    operators = np.count_nonzero(timeline.is_operator)
    column = events.args.get("autograd_node")
    if not operators or column is None:
        return [(AUTOGRAD_GRAPH, "not recorded" if operators else "")]
    strings, names, numbers = events.strings, events.name[column.rows], np.asarray(column.values, dtype=np.int64)
    aten = strings.beginning(("aten::",))
    moving = np.array([code for code in aten if strings[code] in MOVING])
    nodes = unique(numbers[~np.isin(names, moving)])
    graph = (AUTOGRAD_GRAPH, "recorded" if len(nodes) > max(_NODES * operators, 1) else "not recorded")
    run = unique(numbers[np.isin(names, np.array(strings.beginning((AUTOGRAD_RANGE,))))])
    recorded = unique(numbers[np.isin(names, np.array(aten))])
    unused = np.count_nonzero(~np.isin(recorded, run))
    return [graph, (AUTOGRAD_UNUSED, f"{unused / len(recorded):.6f}" if len(run) and len(recorded) else "")]


def _channels_last(timeline: InterpretedTrace) -> str:
    """Names the operators with an image in channels_last layout in half of the calls that have images; "" for none."""
    events, column = timeline.events, timeline.events.args.get("input_strides")
    if column is None:
        return ""
    codes = np.asarray(column.values, dtype=np.int64)
    used = used_codes(codes, len(events.strings))
    layouts = np.zeros((2, len(events.strings)), dtype=np.int64)
    for code in used.tolist():
        images = [(int(channel), int(width)) for channel, width in _IMAGE.findall(events.strings[code])]
        layouts[:, code] = bool(images), any(channel == 1 < width for channel, width in images)
    names = events.name[column.rows]
    seen, last = (np.bincount(names, weights=kind[codes], minlength=len(events.strings)) for kind in layouts)
    found = np.flatnonzero((last > 0) & (2 * last >= seen)).tolist()
    return ", ".join(sorted(operator_key(events.strings[code]) for code in found))


def _loaded_by(timeline: InterpretedTrace) -> str:
    """Says who loads the batches of DataLoader, by the classes of its iterators; "" without any."""
    strings = timeline.events.strings
    iterators = {strings[code] for code in strings.beginning((LOADER_PREFIX,))}
    kinds = {word for word, part in _ITERATORS.items() if any(part in name for name in iterators)}
    return ", ".join(sorted(kinds))


def _regions(timeline: InterpretedTrace) -> str:
    """Formats frame and compilation of each region that ran compiled, such as "0/0, 1/0"; "" without any."""
    events = timeline.events
    likely = [(code, events.strings[code]) for code in events.strings.beginning((COMPILED_REGION,))]
    named = [(code, name) for code, name in likely if name.startswith(COMPILED_REGION)]
    ids = {code: text for code, name in named if (text := region_id(name))}
    host = is_one_of(events.category, (Category.OPERATOR, Category.ANNOTATION))
    used = used_codes(events.name[host], len(events.strings)).tolist() if ids else []
    regions = {ids[code] for code in used if code in ids}
    return ", ".join(sorted(regions, key=lambda text: [int(part) for part in text.split("/")])[:MAX_REGIONS])


def _device(properties: list[dict[str, Any]]) -> list[tuple[str, str]]:
    if not properties:
        return []
    first = properties[0]
    rows = [(f"device.{label}", _text(first[key])) for key, label in _DEVICE_FIELDS.items() if key in first]
    if "computeMajor" in first and "computeMinor" in first:
        rows.append(("device.compute_capability", f"{first['computeMajor']}.{first['computeMinor']}"))
    return rows


def _distributed(info: Any) -> list[tuple[str, str]]:
    if not isinstance(info, Mapping):
        return []
    keys = ("backend", "world_size", "nccl_version", "pg_count")
    return [(f"distributed.{key}", _text(info[key])) for key in keys if key in info]


def _text(value: Any) -> str:
    return "" if value is None else str(value)
