"""Values as JSON has them: no NaN, no Infinity."""

from __future__ import annotations

import functools
import math
from dataclasses import fields
from enum import Enum
from typing import Any

from tb_perfcompare.model.summary.iterations import Iterations, Marker
from tb_perfcompare.model.summary.summary import DeviceFacts

Cell = str | int | float | bool | None
"""A table cell; None is "absent" or "not measured", never zero."""


def plain(cell: Cell) -> Cell:
    """NaN and Infinity are "not measured" too."""
    if isinstance(cell, float):
        return float(cell) if math.isfinite(cell) else None
    return cell


def as_plain(value: Any) -> Any:
    """A dataclass as what is sent: its fields, and the properties that its class names as DERIVED, all plain."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int, float)):
        return plain(value)
    if isinstance(value, (tuple, list)):
        return [as_plain(item) for item in value]
    return {name: as_plain(getattr(value, name)) for name in _field_names(value.__class__)}


@functools.cache
def _field_names(kind: type[Any]) -> tuple[str, ...]:
    return (*(field.name for field in fields(kind)), *getattr(kind, "DERIVED", ()))


def device_dict(device: DeviceFacts) -> dict[str, Any]:
    """The device a side ran on; `name` is null when the trace does not say."""
    return {"kind": device.kind, "word": device.word, "name": device.name or None, "count": device.count}


def iterations_dict(iterations: Iterations | None) -> dict[str, Any] | None:
    """What delimits the steps, and what else could; null for sources without step markers."""
    if iterations is None:
        return None
    return {**_marker(iterations.chosen), "candidates": [_marker(one) for one in iterations.candidates]}


def _marker(marker: Marker) -> dict[str, Any]:
    """`step_marker` chooses it; `alike` is null where the name alone tells."""
    return {
        "step_marker": marker.asked_as, "origin": marker.origin, "name": marker.name, "count": marker.count,
        "coverage": plain(marker.coverage), "mean_us": plain(marker.mean_ns / 1000), "alike": marker.alike,
    }  # fmt: skip
