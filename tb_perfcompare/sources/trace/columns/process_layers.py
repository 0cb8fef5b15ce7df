"""Interprets traces whose layers are processes, as written by torch_npu (`trace_view.json`), and by PyTorch's
EventList.export_chrome_trace, whose numbers of processes are names: "CPU functions", "CUDA functions".

The category of an event without `cat` follows from the name of its process. Events have no External id; arrows join
operators with device work instead.

    process           its events
    Python            operators, with a category
    CANN              API calls: `AscendCL@aclnnMatmul`, `Node@launch`; a `connection_id` as correlation
    Ascend Hardware   tasks on streams, with a `Task Type` and the connection_id of the call that launched them
    Communication     collectives on one thread per group, and their steps on other threads ("Plane 0")
    Overlap Analysis  sums over the other processes, no events of its own
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Flags, Ints, LaneIndex, NameIndex, Nanoseconds, is_of, unique, unique_places
from tb_perfcompare.model.device import COLLECTIVE_KERNELS, COLLECTIVE_LAYERS, LAYER_COPIES, LAYER_WORK, PROCESS_LAYERS
from tb_perfcompare.model.events import ABSENT, DEVICE_WORK, Category, LaneTable, SparseColumn
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class OperatorArrows:
    """The ends of arrows, one row each: `is_start`, `number` common to both ends, `lane` and `start_ns` of an event."""

    is_start: Flags
    number: Ints
    lane: LaneIndex
    start_ns: Nanoseconds


def layered(
    category: NDArray[np.int8],
    bare: Flags,
    lane: LaneIndex,
    name: NameIndex,
    lanes: LaneTable,
    strings: StringTable,
    process_names: Mapping[int | str, str],
    task_type: SparseColumn | None,
) -> tuple[NDArray[np.int8], int]:
    """(categories, number of events whose category follows from their process). `bare`: (n,) events without `cat`."""
    process = [process_names.get(pid, str(pid)) for pid in lanes.pid]
    if not bare.any() or not any(text in PROCESS_LAYERS for text in process):
        return category, 0
    of_lane = np.array([PROCESS_LAYERS.get(text, Category.OTHER) for text in process], dtype=np.int8)
    repeats_collectives = np.array([text in COLLECTIVE_LAYERS for text in process], dtype=bool)
    rows = np.flatnonzero(bare & ~is_of(of_lane[lane], Category.OTHER))
    out = category.copy()
    out[rows] = of_lane[lane[rows]]
    on_device = rows[is_of(out[rows], Category.KERNEL)]
    collective = _name_passes(strings, name, lambda text: text.startswith(COLLECTIVE_KERNELS))[on_device]
    repeats = repeats_collectives[lane[on_device]]
    # A collective is both on a stream and in the layer of collectives: count it once.
    counts = np.where(repeats, collective, ~collective if (repeats & collective).any() else True)
    types = np.full(len(category), -1, dtype=np.int64)
    if task_type is not None:
        types[task_type.rows] = task_type.values
    computes = np.array([text.strip('"') in LAYER_WORK for text in strings.texts] + [True], dtype=bool)  # -1: unknown
    counts &= collective | computes[types[on_device]]
    copies = _name_passes(strings, name, lambda text: text in LAYER_COPIES)[on_device] & ~repeats
    out[on_device] = np.where(copies, Category.MEMCPY, np.where(counts, Category.KERNEL, Category.SYNC))
    return out, len(rows)


def _name_passes(strings: StringTable, name: NameIndex, test: Callable[[str], bool]) -> Flags:
    """(n,) whether each event's name passes the test."""
    passes = np.zeros(len(strings), dtype=bool)
    for index in unique(name).tolist():
        passes[index] = test(strings[index])
    spread: Flags = passes[name]
    return spread


def joined_by_arrows(
    external_id: Ints,
    category: NDArray[np.int8],
    lane: LaneIndex,
    start_ns: Nanoseconds,
    dur_ns: Nanoseconds,
    arrows: OperatorArrows,
) -> Ints:
    """External ids, completed from arrows: an operator and the device work its arrows point to get the same id.

    Events with an id keep it; of operators that start together, the arrow belongs to the innermost.
    """
    starts, ends = np.flatnonzero(arrows.is_start), np.flatnonzero(~arrows.is_start)
    if not len(starts) or not len(ends) or not len(external_id):
        return external_id
    order = starts[np.argsort(arrows.number[starts], kind="stable")]
    at = np.searchsorted(arrows.number[order], arrows.number[ends])
    is_joined = at < len(order)
    is_joined[is_joined] = arrows.number[order[at[is_joined]]] == arrows.number[ends[is_joined]]
    source, target = order[at[is_joined]], ends[is_joined]
    host = np.flatnonzero(is_of(category, Category.OPERATOR))
    work = np.flatnonzero(np.isin(category, DEVICE_WORK))
    operator = _event_at(host[np.argsort(dur_ns[host], kind="stable")], lane, start_ns, arrows, source)
    device = _event_at(work, lane, start_ns, arrows, target)
    both = (operator >= 0) & (device >= 0)
    operator, device = operator[both], device[both]
    free = (external_id[operator] == ABSENT) & (external_id[device] == ABSENT)
    operator, device = operator[free], device[free]
    out = external_id.copy()
    number = _free_numbers(external_id[external_id != ABSENT], len(external_id))[operator]
    out[operator] = number
    out[device] = number
    return out


def _free_numbers(taken: Ints, n: int) -> Ints:
    """(n,) distinct integers that are not taken: above all taken ones or, beyond int64, in the gaps between."""
    first = int(taken.max(initial=0)) + 1
    if first <= np.iinfo(np.int64).max - n:
        return first + np.arange(n)
    return np.setdiff1d(np.arange(n + len(taken)), taken)[:n]


def _event_at(rows: Ints, lane: LaneIndex, start_ns: Nanoseconds, arrows: OperatorArrows, wanted: Ints) -> Ints:
    """(w,) the first of `rows` in the lane and at the time of each arrow's end, -1 if none."""
    if not len(rows):
        return np.full(len(wanted), -1, dtype=np.int64)
    order = rows[np.lexsort((np.arange(len(rows)), start_ns[rows], lane[rows]))]
    times, place = unique_places(np.concatenate([start_ns[order], arrows.start_ns[wanted]]))
    key = lane[order].astype(np.int64) * len(times) + place[: len(order)]
    sought = arrows.lane[wanted].astype(np.int64) * len(times) + place[len(order) :]
    at = np.minimum(np.searchsorted(key, sought), len(order) - 1)
    hit: Ints = np.where(key[at] == sought, order[at], -1)
    return hit
