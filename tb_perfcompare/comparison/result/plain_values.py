"""Values as JSON has them: no NaN, no Infinity."""

from __future__ import annotations

import math
from typing import Any

from tb_perfcompare.model.note import Note
from tb_perfcompare.model.summary.iterations import Iterations, Marker
from tb_perfcompare.model.summary.summary import DeviceFacts

Cell = str | int | float | bool | None
"""A table cell; None is "absent" or "not measured", never zero."""


def plain(cell: Cell) -> Cell:
    """NaN and Infinity are "not measured" too."""
    if isinstance(cell, float):
        return float(cell) if math.isfinite(cell) else None
    return cell


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


def note_dict(note: Note) -> dict[str, Any]:
    """A weakness; `where` is empty for the whole."""
    return {"code": note.code.value, "message": note.message, "where": note.where}
