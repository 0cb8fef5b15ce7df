"""Changes inside a stored comparison, as a careful stranger would make them: MessagePack again afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import numpy as np

_NUMBERS = (0, 1, -1, 2, 7, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 0.5, -0.0, 1e-320, 1e308, -1e308)
_STRANGE = (float("nan"), float("inf"), float("-inf"))
_TEXTS = ("", " ", "a", "\0", "slower", "GPU 0", "[[1, 2]]", "x" * 3000, "\u202e\ud7ff", "1e999", "ledger")
_OTHERS = (None, True, False, b"", b"12345678", [], {}, [[]], [None], {"a": 1})


def altered(body: bytes, draw: Random) -> bytes:
    """What msgspec packed, with one to three values of it changed."""
    tree = [msgspec.msgpack.decode(body)]
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        holder, place = draw.choice(list(_places(tree)))
        _change(holder, place, draw)
    return msgspec.msgpack.encode(tree[0] if tree else None)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(holder, key or index) of everything in it. Of a long list a few items stand for all, so that what there is once
    is changed as often."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if len(keys) > 12:
        keys = [*keys[:6], *keys[-6:]]
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def _change(holder: Any, place: Any, draw: Random) -> None:
    match draw.randrange(8):
        case 0:
            del holder[place]
        case 1 if isinstance(holder, list):
            holder.insert(place, holder[draw.randrange(len(holder))])
        case 1:
            holder[draw.choice(_TEXTS)] = holder.pop(place)
        case 2:
            holder[place] = draw.choice((*_NUMBERS, *_STRANGE, *_TEXTS, *_OTHERS))
        case _:
            holder[place] = _of_its_kind(holder[place], draw)


def _of_its_kind(value: Any, draw: Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return draw.choice((*_NUMBERS, value + 1, -value))
        case float():
            return draw.choice((*_NUMBERS, *_STRANGE, value * 2, -value))
        case str():
            return draw.choice((*_TEXTS, value + "x", value[:-1]))
        case bytes():
            return _other_numbers(value, draw)
        case list():
            return draw.choice((value[:-1], value * 2, value[::-1], []))
        case None:
            return draw.choice((*_NUMBERS, *_STRANGE, *_TEXTS, *_OTHERS))
        case _:
            return value


def _other_numbers(value: bytes, draw: Random) -> bytes:
    """A column of a table."""
    if draw.random() < 0.3 or not value:
        return draw.choice((value[:-1], value[:-8], value * 2, value + bytes(8), b""))
    numbers = np.frombuffer(value, "<f8").copy()
    numbers[draw.randrange(len(numbers))] = draw.choice((*map(float, _NUMBERS), *_STRANGE))
    return numbers.tobytes()
