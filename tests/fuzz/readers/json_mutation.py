"""Mutations of JSON trees: types, numbers, members duplicated, removed or renamed, depth, width.

Objects are lists of pairs, so that keys can repeat; numbers keep their text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.fuzz.readers.mutation import MOST_BYTES, TEXTS, bytes_changed, number


class Word(str):
    """Literal text of the file."""


@dataclass(slots=True)
class Members:
    """An object as ordered (key, value) pairs, duplicates included."""

    pairs: list[tuple[str, Any]]


def json_changed(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    """One to four mutations of the tree, or of the bytes where they are not JSON and sometimes otherwise."""
    if draw.random() < 0.2:
        return bytes_changed(data, draw, others)
    try:
        tree = parsed(data)
    except (ValueError, RecursionError):
        return bytes_changed(data, draw, others)
    for _ in range(draw.choice((1, 1, 2, 4))):
        tree = changed(tree, draw)
    try:
        return written(tree)[:MOST_BYTES]
    except RecursionError:  # deeper than can be written
        return bytes_changed(data, draw, others)


def parsed(data: bytes) -> Any:
    """Parse into a tree. Raises ValueError."""
    return json.loads(data, object_pairs_hook=Members, parse_int=Word, parse_float=Word, parse_constant=Word)


def written(tree: Any) -> bytes:
    """The tree as text in the layout of json.dumps."""
    return _text(tree).encode("utf-8", "surrogatepass")


def _text(value: Any) -> str:
    if isinstance(value, Word):
        return value
    if isinstance(value, Members):
        return "{" + ", ".join(f"{json.dumps(key)}: {_text(part)}" for key, part in value.pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    return json.dumps(value)


def changed(tree: Any, draw: Random) -> Any:
    """The tree with one node or its members changed."""
    places = _places(tree)
    if not places:
        return odd(draw)
    holder, key = draw.choice(places)
    draw.choice(_CHANGES)(holder, key, draw)
    return tree


def odd(draw: Random) -> Any:
    """An unexpected value."""
    kind = draw.randrange(8)
    if kind < 3:
        return Word(number(draw))
    if kind == 3:
        return draw.choice(TEXTS)
    if kind == 4:
        return draw.choice((None, True, False, [], {}, [[]], [None]))
    if kind == 5:
        depth = draw.choice((3, 60, 500, 3000))
        return Word("[" * depth + "]" * depth) if draw.random() < 0.5 else Word('{"a":' * depth + "1" + "}" * depth)
    if kind == 6:
        return Word(json.dumps(draw.choice(TEXTS) * draw.choice((2, 50, 1000))))
    return json.dumps(number(draw))


def _places(tree: Any) -> list[tuple[Any, int]]:
    """(list of values or pairs, index) of every node except the root."""
    found: list[tuple[Any, int]] = []
    pending = [tree]
    while pending:
        node = pending.pop()
        holder = node.pairs if isinstance(node, Members) else node if isinstance(node, list) else []
        for place, element in enumerate(holder):
            found.append((holder, place))
            pending.append(element[1] if isinstance(node, Members) else element)
    return found


def _set(holder: Any, place: int, value: Any) -> None:
    holder[place] = (holder[place][0], value) if isinstance(holder[place], tuple) else value


def _replace(holder: Any, place: int, draw: Random) -> None:
    _set(holder, place, odd(draw))


def _nudge(holder: Any, place: int, draw: Random) -> None:
    """A number slightly changed, or a value of a neighbor, so that the whole may still be consistent."""
    value = holder[place][1] if isinstance(holder[place], tuple) else holder[place]
    if isinstance(value, Word) and value.lstrip("-").isdecimal() and len(value) < 30:
        _set(holder, place, Word(int(value) + draw.choice((-1, 1, 2, -2, 1000))))
    elif isinstance(value, str) and not isinstance(value, Word):
        _set(holder, place, value[: draw.randrange(len(value) + 1)] + draw.choice(("", "", "x", " ", "1")))
    else:
        other = holder[draw.randrange(len(holder))]
        _set(holder, place, other[1] if isinstance(other, tuple) else other)


def _remove(holder: Any, place: int, draw: Random) -> None:
    del holder[place]


def _duplicate(holder: Any, place: int, draw: Random) -> None:
    holder[place:place] = [holder[place]] * draw.choice((1, 1, 2, 30))


def _duplicate_key(holder: Any, place: int, draw: Random) -> None:
    """The same key again with another value."""
    element = holder[place]
    holder.insert(place, (element[0], odd(draw)) if isinstance(element, tuple) else odd(draw))


def _rename(holder: Any, place: int, draw: Random) -> None:
    if isinstance(holder[place], tuple):
        keys = [key for key, _ in holder] + list(TEXTS) + ["traceEvents", "ph", "ts", "dur", "name", "args"]
        holder[place] = (draw.choice(keys), holder[place][1])
    else:
        _replace(holder, place, draw)


def _move(holder: Any, place: int, draw: Random) -> None:
    holder.insert(draw.randrange(len(holder)), holder.pop(place))


def _wrap(holder: Any, place: int, draw: Random) -> None:
    value = holder[place][1] if isinstance(holder[place], tuple) else holder[place]
    _set(holder, place, [value] if draw.random() < 0.5 else Members([("name", value)]))


_CHANGES: tuple[Callable[[Any, int, Random], None], ...] = (
    _replace, _replace, _replace, _nudge, _nudge, _nudge, _remove, _duplicate, _duplicate_key, _rename, _move, _wrap,
)  # fmt: skip


def json_lines_changed(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    """A mutation of one JSON line, or of the order of lines."""
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    match draw.randrange(8):
        case 0:
            draw.shuffle(lines)
        case 1:
            lines.insert(at, lines[draw.randrange(len(lines))])
        case 2:
            lines = lines[:at] + lines[at + 1 :]
        case _:
            lines[at] = json_changed(lines[at], draw, others)
    return b"\n".join(lines)[:MOST_BYTES]
