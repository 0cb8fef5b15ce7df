"""Encodes values as JSON bytes, including integers and texts that msgspec rejects."""

from __future__ import annotations

import json
from typing import Any

import msgspec


def encode(value: Any) -> bytes:
    """Returns UTF-8 JSON. An unpaired surrogate, which UTF-8 cannot represent, is written as a JSON escape."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def json_document(value: Any) -> bytes:
    """`encode`, indented and with a line end."""
    try:
        text = msgspec.json.format(encode(value), indent=2)  # ten times as fast as indenting while encoding
    except msgspec.DecodeError:  # an unpaired surrogate
        indented = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2, separators=(",", ": "))
        text = indented.encode("utf-8", "backslashreplace")
    return text + b"\n"
