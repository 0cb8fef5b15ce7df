"""JSON bytes of rows, one by one, so that an answer can be filled up to a size; the same values as wire.py writes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from tb_perfcompare.render.wire import json_encoding as wire

MOST_BYTES = 1_000_000
"""No JSON answer about a comparison, a run or a listing is larger, before compression."""

_COMMA = 1
_TEXT_LENGTHS = (4096, 1024, 256)
"""Characters; the names of template instances have several hundred."""


def encoded(value: Any) -> bytes:
    """JSON of plain values, in which NaN and Infinity are null."""
    try:
        return msgspec.json.encode(value, enc_hook=_plain)
    except (TypeError, ValueError, OverflowError):
        return wire.encode(_finite(value))  # an integer beyond 64 bits or an unpaired surrogate


def raw(value: Any) -> msgspec.Raw:
    """The same, to be part of a larger answer."""
    return msgspec.Raw(encoded(value))


def filled(rows: Iterable[Any], room: int) -> tuple[list[msgspec.Raw], int]:
    """(the first rows that fit into `room` bytes as JSON, the bytes they take); commas between them counted."""
    out: list[msgspec.Raw] = []
    used = 0
    for row in rows:
        text = encoded(row)
        if used + len(text) + _COMMA > room:
            break
        out.append(msgspec.Raw(text))
        used += len(text) + _COMMA
    return out, used


def filled_list(rows: Sequence[Any], room: int) -> tuple[msgspec.Raw, int, int]:
    """(a list of the first rows that fit into `room` bytes, their number, the bytes they take), as `filled` has it, for
    rows that are expected to fit: they are written all at once."""
    try:
        text = msgspec.json.encode(rows, enc_hook=_plain)
    except (TypeError, ValueError, OverflowError):
        text = b""
    used = len(text) - len(b"[]") + _COMMA
    if text and rows and used <= room:
        return msgspec.Raw(text), len(rows), used
    out, used = filled(rows, room)
    return raw(out), len(out), used


def fitted(body: bytes, most: int) -> bytes:
    """The answer as it is; where names of absurd length make it larger than `most` bytes, without the middle of its
    longest texts."""
    for longest in _TEXT_LENGTHS:
        if len(body) <= most:
            break
        body = encoded(_with_short_texts(msgspec.json.decode(body), longest))
    return body


def _with_short_texts(value: Any, longest: int) -> Any:
    match value:
        case str() if len(value) > longest:
            tail = longest // 3
            return f"{value[: longest - tail - 1]}…{value[-tail:]}"
        case list():
            return [_with_short_texts(item, longest) for item in value]
        case dict():
            return {key: _with_short_texts(item, longest) for key, item in value.items()}
        case _:
            return value


def _plain(value: Any) -> Any:
    import numpy as np  # loaded already where there are such numbers; a listing has none

    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} in an answer")


def _finite(value: Any) -> Any:
    match value:
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
        case float():
            return float(value) if math.isfinite(value) else None
        case str() | int() | None:
            return value
        case _:
            return _plain(value)
