"""Values as JSON has them: no NaN, no Infinity."""

from __future__ import annotations

import functools
import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

Cell = str | int | float | bool | None
"""A table cell; None is "absent" or "not measured", never zero."""


def plain(cell: Cell) -> Cell:
    """NaN and Infinity are "not measured" too."""
    if isinstance(cell, float):
        return float(cell) if math.isfinite(cell) else None
    return cell


def as_plain(value: Any) -> Any:
    """What is sent of a dataclass: its fields, and the properties that its class names as DERIVED, all plain."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: as_plain(getattr(value, name)) for name in _names(type(value))}
    if isinstance(value, Enum):
        return value.value
    return [as_plain(item) for item in value] if isinstance(value, (tuple, list)) else plain(value)


@functools.cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return (*(field.name for field in fields(kind)), *getattr(kind, "DERIVED", ()))
