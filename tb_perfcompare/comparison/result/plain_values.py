"""Values as JSON has them: no NaN, no Infinity."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from typing import Annotated, Any, TypedDict

from tb_perfcompare.model.summary.iterations import Iterations, Marker
from tb_perfcompare.model.summary.summary import DeviceFacts

Cell = str | int | float | bool | None
"""A table cell; None is "absent" or "not measured", never zero."""

Unbounded = Annotated[float, None]
"""May be infinite or undefined, for which JSON has no number: null is sent."""


def finite(number: float) -> float | None:
    """NaN and Infinity are "not measured" too."""
    return float(number) if math.isfinite(number) else None


def plain(cell: Cell) -> Cell:
    """As JSON has it."""
    return finite(cell) if isinstance(cell, float) else cell


def as_plain(value: Any) -> Any:
    """A dataclass as what is sent: its fields, and the properties that its class names as DERIVED, all plain."""
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
"""Classes of values that are plain; asking for them first halves the time of a ledger's rows."""


@functools.cache
def _field_names(kind: type[Any]) -> tuple[str, ...]:
    return (*(field.name for field in fields(kind)), *getattr(kind, "DERIVED", ()))


class DeviceDict(TypedDict):
    """The device a side ran on."""

    kind: Annotated[str, "cuda, rocm, mlu, mtia, xpu, npu, hpu, cpu"]
    word: str
    name: Annotated[str | None, "null: the trace does not say"]
    count: int


class StepMarkerDict(TypedDict):
    """Something that may delimit the steps of a trace."""

    step_marker: Annotated[str, "the --step-marker that chooses it"]
    origin: Annotated[str, ("profiler", "annotation", "optimizer", "graph", "detected", "whole")]
    name: str
    count: int
    coverage: float | None
    mean_us: float | None
    alike: Annotated[float | None, "likeness of successive iterations; null: known by its name"]


class StepsByDict(StepMarkerDict):
    """What delimits the steps, and what else could."""

    candidates: Sequence[StepMarkerDict]


def device_dict(device: DeviceFacts) -> DeviceDict:
    """The device a side ran on; `name` is null when the trace does not say."""
    return {"kind": device.kind, "word": device.word, "name": device.name or None, "count": device.count}


def iterations_dict(iterations: Iterations | None) -> StepsByDict | None:
    """What delimits the steps, and what else could; null for sources without step markers."""
    if iterations is None:
        return None
    return {**_marker(iterations.chosen), "candidates": [_marker(candidate) for candidate in iterations.candidates]}


def _marker(marker: Marker) -> StepMarkerDict:
    """`step_marker` chooses it; `alike` is null where the name alone tells."""
    return {
        "step_marker": marker.asked_as, "origin": marker.origin, "name": marker.name, "count": marker.count,
        "coverage": finite(marker.coverage), "mean_us": finite(marker.mean_ns / 1000), "alike": marker.alike,
    }  # fmt: skip
