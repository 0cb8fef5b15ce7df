"""Names of counter series that are equal on both sides of a comparison.

A series is named by its event without the device number, plus the key of the value in the event's arguments if it adds
information: "memory / used", but only "GPU Utilization". docs/inputs/counters.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.counter_names import without_device
from tb_perfcompare.model.recordings.counter_units import sample_unit
from tb_perfcompare.model.recordings.cycles import HOST
from tb_perfcompare.model.recordings.recording import ALL_DEVICES, HOST_DEVICE, CounterSamples
from tb_perfcompare.model.vendors import CPU
from tb_perfcompare.quick_dataclass import dataclass

_GENERIC = "value"
"""Argument key that adds no information: the value is the counter itself."""


@dataclass(frozen=True, slots=True)
class CounterKey:
    """A series: its key (name, device) and its unit, "" if unknown."""

    key: tuple[str, str]
    unit: str


def counter_keys(samples: CounterSamples, word: str) -> tuple[list[CounterKey], Ints]:
    """Returns (the series of the samples, with unique keys; (m,) series of each sample).

    `word` is what users call the device.
    """
    texts = len(samples.strings)
    pair = samples.name.astype(np.int64) * texts + samples.series
    devices, device = np.unique(samples.device, return_inverse=True)
    codes, of_row = np.unique(pair * len(devices) + device, return_inverse=True)
    largest = np.full(len(codes), -np.inf)
    np.maximum.at(largest, of_row, samples.value)
    parts = []
    for code in codes.tolist():
        names, place = divmod(code, len(devices))
        name, series = (samples.strings[text] for text in divmod(names, texts))
        parts.append((name, series, _device_label(int(devices[place]), word)))
    keys = [
        CounterKey(key, sample_unit((without_device(series), without_device(name)), high))
        for key, (name, series, _), high in zip(_named(parts), parts, largest.tolist(), strict=True)
    ]
    return keys, of_row.astype(np.int64)


def _named(parts: list[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Returns a unique key for each (name, series, device)."""
    bare = [(without_device(name), without_device(series)) for name, series, _ in parts]
    series_of: defaultdict[str, set[str]] = defaultdict(set)
    for counter, series in bare:
        series_of[counter].add(series)
    shown = []
    for counter, series in bare:
        alone = len(series_of[counter]) == 1 and (series == _GENERIC or f" {counter}".endswith(f" {series}"))
        shown.append(counter if alone else f"{counter} / {series}")
    taken = Counter((text, device) for text, (_, _, device) in zip(shown, parts, strict=True))
    keys: dict[tuple[str, str], None] = {}
    for text, (name, own, device) in zip(shown, parts, strict=True):
        # "GPU 0 load" and "GPU load" may both belong to device 0
        key = (text if taken[text, device] == 1 else f"{name} / {own}", device)
        number = 2
        while key in keys:
            key, number = (f"{name} / {own} ({number})", device), number + 1
        keys[key] = None
    return list(keys)


def _device_label(device: int, word: str) -> str:
    if device == HOST_DEVICE:
        return HOST
    shown_word = "Device" if word == CPU.word else word
    return f"{shown_word} (all)" if device == ALL_DEVICES else f"{shown_word} {device}"
