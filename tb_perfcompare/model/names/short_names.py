"""Short forms of device kernel names, for narrow places; the full name stays in every export.

frontend/src/names.ts makes the same ones while it draws: tests/short_names.json holds both to one set of examples.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_SHORTEST = 40
"""Names with fewer characters stay as they are."""

_RETURNS = re.compile(r"^(?:void|static)\s+")
_FUNCTOR = re.compile(r"[Ff]unctor|Ops?\b", re.ASCII)
_WORD = re.compile(r"\w*", re.ASCII)
_TILE = re.compile(r"\d{2,4}x\d{1,4}(?:x\d{1,4})?", re.ASCII)
_MARK = re.compile(r"[<>,(]")


@lru_cache(4096)
def short_name(name: str) -> str:
    """The function without its namespace, return type and arguments, and in ‹› what is telling of its template's
    arguments: `void at::native::reduce_kernel<512, SumOp<float> >(...)` is `reduce_kernel ‹SumOp›`. Names that are
    short or no C++ signatures stay as they are."""
    if len(name) < _SHORTEST or not any(map(_is_signature, name.split("\n"))):
        return name
    base, arguments = _parts(name)
    telling = _telling(",".join(arguments))
    return f"{base} ‹{telling}›" if telling else base


def short_names(names: Sequence[str]) -> list[str]:
    """Short names of a list, equal only where the names are: where others would be, the arguments that tell them apart
    are added, and where none do the names stay as they are."""
    short = {name: short_name(name) for name in dict.fromkeys(names)}
    groups: dict[str, list[str]] = {}
    for name, text in short.items():
        groups.setdefault(text, []).append(name)
    for text, group in groups.items():
        if len(group) > 1:
            added = _differences([_parts(name)[1] for name in group])
            short |= zip(group, group if added is None else (f"{text} ‹{more}›" for more in added), strict=True)
    if len(set(short.values())) < len(short):  # a name may be written like the short form of another
        return list(names)
    return [short[name] for name in names]


def _is_signature(line: str) -> bool:
    """Whether it holds `<...>` or `::...(`. A pattern would take time that grows with the square of the length."""
    opening, scope = line.find("<"), line.find("::")
    return (opening >= 0 and line.find(">", opening) >= 0) or (scope >= 0 and line.find("(", scope) >= 0)


def _telling(arguments: str) -> str:
    """What tells two instances of a template apart for a reader: a functor, else the size of a tile."""
    functor = _FUNCTOR.search(arguments)
    if functor is None:
        tile = _TILE.search(arguments)
        return "" if tile is None else tile[0]
    before = _WORD.match(arguments[functor.start() :: -1])
    after = _WORD.match(arguments, functor.end())
    assert before is not None and after is not None
    return arguments[functor.start() + 1 - before.end() : after.end()]


def _parts(name: str) -> tuple[str, list[str]]:
    """`void at::native::foo<float, Bar<3> >(...)` -> foo and its template's arguments."""
    text = _RETURNS.sub("", name).replace("(anonymous namespace)", "{anonymous}")
    arguments: list[str] = []
    base, depth, start, end = "", 0, -1, len(text)
    for mark in _MARK.finditer(text):
        letter, at = mark[0], mark.start()
        if letter == "<":
            if depth == 0:
                base, start = text[:at], at + 1
            depth += 1
        elif letter == ">" and depth > 0:
            depth -= 1
            if depth == 0:
                arguments.append(text[start:at].strip())
                break
        elif letter == "," and depth == 1:
            arguments.append(text[start:at].strip())
            start = at + 1
        elif letter == "(" and depth == 0:
            end = at
            break
    if not base:
        base = text[:end]
    return base.rpartition("::")[2].strip() or text, arguments


def _bare(argument: str) -> str:
    """Just the function of an argument such as `at::native::GeluCUDAKernelImpl(...)::{lambda()#1}`."""
    return re.split(r"[(<{]", argument, maxsplit=1)[0].rpartition("::")[2].strip() or argument


def _differences(lists: Sequence[Sequence[str]]) -> list[str] | None:
    """The fewest arguments, from the left, that make all lists different; None if none do."""
    told = ["" for _ in lists]
    distinct = 1
    for place in range(max(map(len, lists))):
        if distinct == len(lists):
            break
        full = [arguments[place] if place < len(arguments) else "" for arguments in lists]
        cut = [_bare(argument) for argument in full]
        values = cut if len(set(cut)) == len(set(full)) else full
        longer = [value if text == "" else f"{text}, {value}" for text, value in zip(told, values, strict=True)]
        if len(set(longer)) > distinct:
            told, distinct = longer, len(set(longer))
    return told if distinct == len(lists) else None
