"""Conversion to values that JSON can hold: no NaN, no Infinity."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from typing import Annotated, Any, TypedDict

from tb_perfcompare.model.summary.iterations import Iterations, Marker
from tb_perfcompare.model.summary.summary import DeviceFacts
from tb_perfcompare.model.vendors import CPU, VENDORS

Cell = str | int | float | bool | None
"""A table cell; None means "absent" or "not measured", never zero."""

Unbounded = Annotated[float, None]
"""A float that may be infinite or NaN, which JSON cannot hold: sent as null."""


def finite(number: float) -> float | None:
    """Returns the number, or None for NaN and Infinity, which count as "not measured"."""
    return float(number) if math.isfinite(number) else None


def plain(cell: Cell) -> Cell:
    """Returns the cell as JSON can hold it."""
    return finite(cell) if isinstance(cell, float) else cell


def as_plain(value: Any) -> Any:
    """Converts a value to plain values. Dataclasses become mappings of their fields and of the properties that their
    class lists as DERIVED."""
    kind = value.__class__
    if kind in _AS_IT_IS:
        return value
    if isinstance(value, (tuple, list)):
        return [item if item.__class__ in _AS_IT_IS else as_plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (str, int, float)):
        return plain(value)
    if isinstance(value, Mapping):
        return {name: as_plain(item) for name, item in value.items()}
    return {
        name: item if (item := getattr(value, name)).__class__ in _AS_IT_IS else as_plain(item)
        for name in _field_names(kind)
    }


_AS_IT_IS = frozenset({str, int, bool, type(None)})
"""Classes whose values are already plain; checking them first halves the time for a ledger's rows."""


@functools.cache
def _field_names(kind: type[Any]) -> tuple[str, ...]:
    return (*(field.name for field in fields(kind)), *getattr(kind, "DERIVED", ()))


class DeviceDict(TypedDict):
    """The device that a side ran on."""

    kind: Annotated[str, f"type of device: {', '.join(vendor.kind for vendor in VENDORS)} or {CPU.kind}"]
    word: Annotated[str, "readable term for the type of device"]
    name: Annotated[str | None, "device name; null if the trace lacks it"]
    count: Annotated[int, "number of devices"]


class StepMarkerDict(TypedDict):
    """Marker that may delimit the steps of a trace."""

    step_marker: Annotated[str, "value of --step-marker that selects it"]
    origin: Annotated[
        str, "how the marker was found", ("profiler", "annotation", "optimizer", "graph", "detected", "whole")
    ]
    name: Annotated[str, "name of the marker"]
    count: Annotated[int, "number of iterations it marks"]
    coverage: Annotated[float | None, "fraction of the recording that the iterations cover"]
    mean_us: Annotated[float | None, "mean time of an iteration"]
    alike: Annotated[float | None, "similarity of successive iterations, 0 to 1; null: identified by name"]


class StepsByDict(StepMarkerDict):
    """The marker that delimits the steps, and the other candidates."""

    candidates: Annotated[Sequence[StepMarkerDict], "all markers found, the chosen one included"]


def device_dict(device: DeviceFacts) -> DeviceDict:
    """Returns the device that a side ran on; `name` is null if the trace does not say."""
    return {"kind": device.kind, "word": device.word, "name": device.name or None, "count": device.count}


def iterations_dict(iterations: Iterations | None) -> StepsByDict | None:
    """Returns the marker that delimits the steps and the other candidates; None for sources without step markers."""
    if iterations is None:
        return None
    return {**_marker(iterations.chosen), "candidates": [_marker(candidate) for candidate in iterations.candidates]}


def _marker(marker: Marker) -> StepMarkerDict:
    """`step_marker` is the option value that selects this marker; `alike` is null for markers recognized by name."""
    return {
        "step_marker": marker.asked_as, "origin": marker.origin, "name": marker.name, "count": marker.count,
        "coverage": finite(marker.coverage), "mean_us": finite(marker.mean_ns / 1000), "alike": marker.alike,
    }  # fmt: skip
