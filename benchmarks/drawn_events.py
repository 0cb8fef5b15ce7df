"""Generates columns of events without a file, to measure analysis alone, on more events than fit on a disk.

Calls of nested operators whose innermost one launches kernels, on two threads, in steps; drawn from one seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.events import ABSENT, Category, EventTable, FlowTable, LaneTable, SparseColumn
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.recordings.recording import ReadStats, TraceRecording
from tb_perfcompare.model.strings import StringTable

Ints = NDArray[np.int64]
Rows = dict[str, Any]
"""A group of similar events: column -> (n,) values, or one value for all; "place" is their order in the file."""

OPERATORS, KERNELS, STEPS, DEPTH, LAUNCHES, THREADS = 640, 120, 20, 40, 3, 2
_PER_CALL = DEPTH + 2 * LAUNCHES
_EDGE_NS, _LAUNCH_NS, _PAUSE_NS, _FIRST_NS = 150, 4_000, 400, 20_000
_CALL_NS = 2 * _EDGE_NS * DEPTH + LAUNCHES * (_LAUNCH_NS + _EDGE_NS) + _PAUSE_NS
_COLUMNS: dict[str, type] = {
    "category": np.int8, "raw_category": np.int32, "name": np.int32, "lane": np.int32, "start_ns": np.int64,
    "dur_ns": np.int64, "external_id": np.int64, "correlation": np.int64,
}  # fmt: skip
_STREAM = THREADS
"""Lane of the kernels, after those of the threads."""


def drawn_recording(events: int) -> TraceRecording:
    """Generates a recording of about `events` events."""
    calls = max(STEPS, events // _PER_CALL) // (STEPS * THREADS) * STEPS * THREADS or STEPS * THREADS
    strings = StringTable()
    groups = [_operators(strings, calls), *_launches(strings, calls), _markers(strings, calls)]
    order = np.argsort(np.concatenate([group["place"] for group in groups]), kind="stable")

    def column(name: str) -> NDArray[Any]:
        parts: list[NDArray[Any]] = [
            np.broadcast_to(np.asarray(group[name], _COLUMNS[name]), len(group["place"])) for group in groups
        ]
        joined: NDArray[Any] = np.concatenate(parts)[order]
        return joined

    columns = {name: column(name) for name in _COLUMNS}
    table = EventTable(
        strings=strings,
        lanes=LaneTable((*(40,) * THREADS, 0), (*range(40, 40 + THREADS), 7)),
        args=_arguments(strings, columns["category"]),
        **columns,
    )
    nothing = np.zeros(0, np.int64)
    return TraceRecording(
        file=FileFacts("drawn", 0),
        events=table,
        flows=FlowTable(np.zeros(0, bool), nothing, nothing),
        properties={"deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "numSms": 108}]},
        process_labels={0: "GPU 0"},
        process_names={},
        thread_names={},
        stats=ReadStats(len(table), len(table), {}, {}, 0, True, "drawn"),
        notes=(),
    )


def _interned(strings: StringTable, texts: list[str]) -> int:
    """Adds the texts, which get consecutive numbers; returns the first one."""
    return min(map(strings.intern, texts))


def _begin_ns(calls: int) -> Ints:
    """(calls,) start of each call in ns; consecutive calls go to the threads in turn."""
    return np.arange(calls) // THREADS * _CALL_NS + _FIRST_NS


def _operators(strings: StringTable, calls: int) -> Rows:
    first = _interned(strings, [f"aten::work_{number}" for number in range(OPERATORS)])
    call, level = np.repeat(np.arange(calls), DEPTH), np.tile(np.arange(DEPTH), calls)
    return {
        "category": Category.OPERATOR, "raw_category": strings.intern("cpu_op"),
        "name": first + np.arange(calls * DEPTH) * 7919 % OPERATORS, "lane": call % THREADS,
        "start_ns": _begin_ns(calls)[call] + level * _EDGE_NS, "dur_ns": _CALL_NS - _PAUSE_NS - 2 * level * _EDGE_NS,
        "external_id": np.arange(calls * DEPTH) + 1, "correlation": ABSENT, "place": call * _PER_CALL + level,
    }  # fmt: skip


def _launches(strings: StringTable, calls: int) -> tuple[Rows, Rows]:
    """Generates the API calls of the innermost operators and their kernels, which run one after the other."""
    first = _interned(strings, [f"void functor_{number}<float>(float*, int)" for number in range(KERNELS)])
    call, turn = np.repeat(np.arange(calls), LAUNCHES), np.tile(np.arange(LAUNCHES), calls)
    launched = _begin_ns(calls)[call] + DEPTH * _EDGE_NS + turn * (_LAUNCH_NS + _EDGE_NS)
    place = call * _PER_CALL + DEPTH + 2 * turn
    link = {"external_id": (call + 1) * DEPTH, "correlation": np.arange(len(call)) + 1}
    busy = np.random.default_rng(1).integers(500, _LAUNCH_NS // THREADS, len(call))
    order = np.argsort(launched, kind="stable")
    before = np.cumsum(busy[order]) - busy[order]
    starts = np.empty_like(launched)
    starts[order] = np.maximum.accumulate(launched[order] + 3_000 - before) + before
    api = {
        "category": Category.RUNTIME, "raw_category": strings.intern("cuda_runtime"),
        "name": strings.intern("cudaLaunchKernel"), "lane": call % THREADS, "start_ns": launched, "dur_ns": _LAUNCH_NS,
        "place": place, **link,
    }  # fmt: skip
    kernels = {
        "category": Category.KERNEL, "raw_category": strings.intern("kernel"),
        "name": first + np.arange(len(call)) % KERNELS, "lane": _STREAM, "start_ns": starts, "dur_ns": busy,
        "place": place + 1, **link,
    }  # fmt: skip
    return api, kernels


def _markers(strings: StringTable, calls: int) -> Rows:
    first = _interned(strings, [f"ProfilerStep#{number}" for number in range(STEPS)])
    number, step_ns = np.arange(STEPS), calls // STEPS // THREADS * _CALL_NS
    return {
        "category": Category.ANNOTATION, "raw_category": strings.intern("user_annotation"), "name": first + number,
        "lane": 0, "start_ns": _FIRST_NS - 200 + number * step_ns, "dur_ns": step_ns, "external_id": ABSENT,
        "correlation": ABSENT, "place": calls * _PER_CALL + number,
    }  # fmt: skip


def _arguments(strings: StringTable, category: NDArray[Any]) -> dict[str, SparseColumn]:
    on_device = np.flatnonzero(category == Category.KERNEL).astype(np.int32)
    shaped = np.flatnonzero(category == Category.OPERATOR).astype(np.int32)
    shape = strings.intern("[[64, 64], [64, 64]]")
    return {
        "device": SparseColumn(on_device, np.zeros(len(on_device), np.int64)),
        "stream": SparseColumn(on_device, np.full(len(on_device), 7, np.int64)),
        "input_dims": SparseColumn(shaped, np.full(len(shaped), shape, np.int32)),
    }
