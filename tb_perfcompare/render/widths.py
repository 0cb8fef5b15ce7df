"""Display widths of texts on a terminal, and shortening of names that are too wide."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from tb_perfcompare.quick_dataclass import dataclass

_ELLIPSIS = "…"
_MIN_BASE_WIDTH = 10
"""Minimum columns for the beginning of a short name, so that the function is recognizable."""
_MIN_FRONT_WIDTH = 6
"""Columns for the beginning of a name that differs from others at its end."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """A terminal's width in columns, and whether to use colors."""

    width: int
    colors: bool = False


def elide(name: str, width: int) -> str:
    """Shortens a name to at most `width` columns by cutting its middle: a kernel's name says at its beginning what it
    does and at its end how."""
    if display_width(name) <= width:
        return name
    tail = (width - 1) // 3
    front, back = _take(name, width - 1 - tail), _take(name[::-1], tail)[::-1]
    return f"{front}{_ELLIPSIS}{back}"


def elide_name(name: str, width: int) -> str:
    """Shortens a short name (short_names.py) to at most `width` columns. The part in ‹› that tells it apart is kept
    complete if that leaves room for the beginning of the function's name."""
    base, quoted, telling = name.partition(" ‹")
    room = width - display_width(quoted + telling)
    if not quoted or room >= display_width(base) or room < _MIN_BASE_WIDTH:
        return elide(name, width)
    return f"{_take(base, room - 1)}{_ELLIPSIS}{quoted}{telling}"


def elide_names(names: Sequence[str], width: int) -> list[str]:
    """Shortens each name by elide_name. Different names stay different: if need be by showing the letters that differ,
    else by a number."""
    cut = {name: elide_name(name, width) for name in dict.fromkeys(names)}
    for _ in range(2):  # a new text for some names may be the same as that of others
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
    """Shortens names that are the same once their middle is cut: to a few letters and the end, where tiles and layouts
    are; else to the beginning and the part from the first difference; else with a number."""
    low, high = min(names), max(names)
    apart = next((index for index, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    end, half = width - 1 - _MIN_FRONT_WIDTH, max(1, (width - 1) // 2)
    tails = [_take(name[::-1], end)[::-1] for name in names]
    middles = [_take(name[apart:], half) for name in names]
    for rests, room in ((tails, _MIN_FRONT_WIDTH), (middles, width - 1 - half)):
        cut = {name: f"{_take(name, room)}{_ELLIPSIS}{rest}" for name, rest in zip(names, rests, strict=True)}
        if len(set(cut.values())) == len(names):
            return cut
    return _by_number(names, width)


def _by_number(names: list[str], width: int) -> dict[str, str]:
    return {name: f"{elide(name, width - len(f' #{n}'))} #{n}" for n, name in enumerate(names, start=1)}


def display_width(line: str) -> int:
    """Returns the terminal columns of a line: wide East Asian characters take two, combining ones none."""
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
