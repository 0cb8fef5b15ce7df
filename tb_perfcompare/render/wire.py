"""JSON as bytes."""

from __future__ import annotations

import json
from typing import Any


def encode(value: Any, *, indent: int | None = None) -> bytes:
    """UTF-8 JSON. An unpaired surrogate, which UTF-8 cannot carry, is written as its JSON escape."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    return text.encode("utf-8", "backslashreplace")
