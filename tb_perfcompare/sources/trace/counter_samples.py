"""Converts columns of counter events to samples: with devices and distinct series, in time order.

A counter's device is taken from its arguments, else from the number in its name ("GPU 0 Utilization"), else from its
thread id ("device:3"), else from the process it is written under, if that is a device.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Ints, unique
from tb_perfcompare.model.counter_names import device_in
from tb_perfcompare.model.events import DEVICE_WORK, EventTable
from tb_perfcompare.model.recordings.recording import HOST_DEVICE, CounterSamples
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.trace.columns.counter_events import NOT_STATED, CounterColumns, CounterPlace
from tb_perfcompare.sources.trace.columns.interning import Place

_MAX_INSTANCES = 256
"""A counter (name, series, device) with more than this many processes and ids is treated as one: its ids number the
events."""

_Key = tuple[str, str, int]
_Instance = tuple[Place, bytes]

_MAX_DIGITS = 12


def counter_samples(
    columns: CounterColumns, process_labels: Mapping[Place, str], events: EventTable
) -> CounterSamples | None:
    """The samples, None if there are none. The result does not depend on the order of the rows."""
    if not len(columns):
        return None
    kinds, kind = _distinct(columns)
    devices = _device_pids(events)
    keys: list[_Key] = []
    instances: list[_Instance] = []
    for name, series, place, device_id in kinds.tolist():
        counter, where = columns.strings[name], columns.places[place]
        device = device_id if device_id != NOT_STATED else device_in(counter)
        keys.append(
            (counter, columns.strings[series], _device_of(where, process_labels, devices) if device is None else device)
        )
        instances.append((where[0], where[2]))
    keys = _disambiguated(keys, instances)
    strings = StringTable(sorted({text for name, series, _ in keys for text in (name, series)}))
    codes = np.array([(strings.find(name), strings.find(series), device) for name, series, device in keys], np.int32)
    name_of, series_of, device_of = codes[kind].T
    order = np.lexsort((columns.value, device_of, series_of, name_of, columns.time_ns))
    return CounterSamples(
        strings=strings,
        name=name_of[order],
        series=series_of[order],
        device=device_of[order],
        time_ns=columns.time_ns[order],
        value=columns.value[order],
    )


def _distinct(columns: CounterColumns) -> tuple[Ints, NDArray[np.intp]]:
    """((k, 4) distinct name, series, place, device; (m,) index of each row in them)."""
    texts, places = len(columns.strings), len(columns.places)
    pair = (columns.name.astype(np.int64) * texts + columns.series) * places + columns.place
    device_ids = unique(columns.device)
    key = pair * len(device_ids) + np.searchsorted(device_ids, columns.device)
    _, first, kind = np.unique(key, return_index=True, return_inverse=True)
    rows = (columns.name, columns.series, columns.place, columns.device)
    return np.stack([column[first].astype(np.int64) for column in rows], axis=1), kind


def _device_pids(events: EventTable) -> frozenset[Place]:
    """Processes that represent devices: those under which device work is written."""
    lanes = unique(events.lane[np.isin(events.category, DEVICE_WORK)])
    return frozenset(events.lanes.pid[lane] for lane in lanes.tolist())


def _device_of(place: CounterPlace, labels: Mapping[Place, str], devices: Collection[Place]) -> int:
    pid, tid, _ = place
    by_thread = device_in(tid) if isinstance(tid, str) else None
    if by_thread is not None:
        return by_thread
    if pid in labels:
        labeled = device_in(labels[pid])
        return HOST_DEVICE if labeled is None else labeled
    is_number = isinstance(pid, int) or (pid.isascii() and pid.isdigit() and len(pid) < _MAX_DIGITS)
    return int(pid) if pid in devices and is_number and 0 <= int(pid) < 2**31 else HOST_DEVICE


def _disambiguated(keys: list[_Key], instances: list[_Instance]) -> list[_Key]:
    """The keys, with a number appended to the name if several processes or ids have the same counter."""
    instances_of: defaultdict[_Key, set[_Instance]] = defaultdict(set)
    for key, instance in zip(keys, instances, strict=True):
        instances_of[key].add(instance)
    number: dict[tuple[_Key, _Instance], int] = {}
    for key, members in instances_of.items():
        if 1 < len(members) <= _MAX_INSTANCES:
            for place, instance in enumerate(sorted(members, key=_rank), 1):
                number[key, instance] = place
    return [
        (f"{key[0]} #{number[key, instance]}", *key[1:]) if (key, instance) in number else key
        for key, instance in zip(keys, instances, strict=True)
    ]


def _rank(instance: _Instance) -> tuple[bool, int, str, int, bytes]:
    """Sort key: numeric pids by value, before texts; ids by length first, which sorts numbers by value too."""
    pid, instance_id = instance
    is_text = isinstance(pid, str)
    return is_text, 0 if isinstance(pid, str) else pid, str(pid), len(instance_id), instance_id
