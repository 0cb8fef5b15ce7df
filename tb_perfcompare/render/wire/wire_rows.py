"""Encodes rows as JSON one by one, so that a response can be filled up to a size; same values as json_encoding.py."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from tb_perfcompare.render.wire import json_encoding as wire

MAX_BYTES = 1_000_000
"""Maximum size before compression of JSON responses about comparisons, runs and listings."""

_COMMA = 1
_TEXT_LENGTHS = (4096, 1024, 256)
"""Lengths in characters to which texts are cut, in turn; names of template instances have several hundred."""


def encoded(value: Any) -> bytes:
    """Encodes plain values and dataclasses of them as JSON; NaN and Infinity become null."""
    try:
        return msgspec.json.encode(value, enc_hook=_plain)
    except (TypeError, ValueError, OverflowError):
        plain = msgspec.to_builtins(value, enc_hook=_plain)
        return wire.encode(_finite(plain))  # an integer beyond 64 bits or an unpaired surrogate


def raw(value: Any) -> msgspec.Raw:
    """Encodes plain values as JSON to embed in a larger response."""
    return msgspec.Raw(encoded(value))


def rows_that_fit(rows: Iterable[Any], room: int) -> tuple[list[msgspec.Raw], int]:
    """Returns (the first rows that fit into `room` bytes, encoded; the bytes they take, including commas)."""
    out: list[msgspec.Raw] = []
    used = 0
    for row in rows:
        text = encoded(row)
        if used + len(text) + _COMMA > room:
            break
        out.append(msgspec.Raw(text))
        used += len(text) + _COMMA
    return out, used


def list_that_fits(rows: Sequence[Any], room: int) -> tuple[msgspec.Raw, int, int]:
    """Returns (the first rows that fit into `room` bytes as an encoded list, their number, the bytes they take).

    Like `rows_that_fit`, but faster for rows that are expected to fit, as these are encoded all at once."""
    try:
        text = msgspec.json.encode(rows, enc_hook=_plain)
    except (TypeError, ValueError, OverflowError):
        text = b""
    used = len(text) - len(b"[]") + _COMMA
    if text and rows and used <= room:
        return msgspec.Raw(text), len(rows), used
    out, used = rows_that_fit(rows, room)
    return raw(out), len(out), used


def cut_to_fit(body: bytes, most: int) -> bytes:
    """Returns the response; if extremely long names make it larger than `most` bytes, cuts the middle of its longest
    texts."""
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
    import numpy as np  # imported here, as a listing has no numpy values

    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} in an answer")


def _finite(value: Any) -> Any:
    match value:
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
        case float() if not math.isfinite(value):
            return None
        case _:
            return value
