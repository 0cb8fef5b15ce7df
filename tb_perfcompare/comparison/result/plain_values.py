"""Values as JSON has them: no NaN, no Infinity."""

from __future__ import annotations

import math
from typing import Any

from tb_perfcompare.model.note import Note
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


def note_dict(note: Note) -> dict[str, Any]:
    """A weakness; `where` is empty for the whole."""
    return {"code": note.code.value, "message": note.message, "where": note.where}
