"""How wide a text is on a terminal, and one that is too wide."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from tb_perfcompare.quick_dataclass import dataclass

_ELLIPSIS = "…"
_LEAST_BASE = 10
"""Of a short name's beginning, so that one sees what is called."""
_LEAST_FRONT = 6
"""Of a name whose end tells it from others."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a terminal shows: so many columns, and colours if it is asked to."""

    width: int
    colours: bool = False


def elide(name: str, width: int) -> str:
    """The name in at most `width` columns: its middle gives way, because a kernel's name tells what it does at the
    front and how at the end."""
    if display_width(name) <= width:
        return name
    tail = (width - 1) // 3
    front, back = _take(name, width - 1 - tail), _take(name[::-1], tail)[::-1]
    return f"{front}{_ELLIPSIS}{back}"


def elide_name(name: str, width: int) -> str:
    """The same of a short name (short_names.py): what tells it apart stays whole as long as there is room for the
    beginning of what it is called."""
    base, quoted, telling = name.partition(" ‹")
    room = width - display_width(quoted + telling)
    if not quoted or room >= display_width(base) or room < _LEAST_BASE:
        return elide(name, width)
    return f"{_take(base, room - 1)}{_ELLIPSIS}{quoted}{telling}"


def elide_names(names: Sequence[str], width: int) -> list[str]:
    """`elide_name` of each; different names stay different, if need be by the letters that differ, or by a number."""
    cut = {name: elide_name(name, width) for name in dict.fromkeys(names)}
    for _ in range(2):  # what tells some names apart may be what others look like
        groups: dict[str, list[str]] = {}
        for name, text in cut.items():
            groups.setdefault(text, []).append(name)
        for group in groups.values():
            if len(group) > 1:
                cut |= _by_letters(group, width)
    if len(set(cut.values())) < len(cut):
        cut = _by_number(list(cut), width)
    return [cut[name] for name in names]


def _by_letters(names: list[str], width: int) -> dict[str, str]:
    """Names that look alike when their middle is cut: a few letters and the end, where tiles and layouts are, or the
    beginning and from where they differ, or a number."""
    low, high = min(names), max(names)
    at = next((at for at, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    end, half = width - 1 - _LEAST_FRONT, max(1, (width - 1) // 2)
    tails = [_take(name[::-1], end)[::-1] for name in names]
    middles = [_take(name[at:], half) for name in names]
    for rests, room in ((tails, _LEAST_FRONT), (middles, width - 1 - half)):
        cut = {name: f"{_take(name, room)}{_ELLIPSIS}{rest}" for name, rest in zip(names, rests, strict=True)}
        if len(set(cut.values())) == len(names):
            return cut
    return _by_number(names, width)


def _by_number(names: list[str], width: int) -> dict[str, str]:
    return {name: f"{elide(name, width - len(f' #{n}'))} #{n}" for n, name in enumerate(names, start=1)}


def display_width(line: str) -> int:
    """Terminal columns of the line: wide East Asian characters take two, combining ones none."""
    if line.isascii():
        return len(line)
    return sum(_char_width(char) for char in line)


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _take(name: str, width: int) -> str:
    used = 0
    for index, char in enumerate(name):
        used += _char_width(char)
        if used > width:
            return name[:index]
    return name
