"""Short forms of device kernel names, for narrow places; the full name stays in every export.

frontend/src/ui/names.ts makes the same ones while it draws: tests/short_names.json holds both to one set of examples.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_SHORTEST = 40
"""Names with fewer characters stay as they are."""

_WRAPPERS = frozenset({"Kernel", "Kernel2", "device_kernel", "kentry"})
"""Functions that only call what they are a template of."""

_SAY_NOTHING = frozenset({*_WRAPPERS, "kernel", "run", "launch"})
"""Functions that are told with their namespace."""

_MOST_WORDS = 200
"""So many words of a name's arguments are looked at to tell it from others."""

_FUNCTOR = re.compile(r"[Ff]unctor|Ops?\b", re.ASCII)
_WORD = re.compile(r"\w*", re.ASCII)
_WORDS = re.compile(r"(?:\w+::)*(\w+)", re.ASCII)
_CUTLASS = re.compile(r"\bcutlass\w{12,}", re.ASCII)
_TILE = re.compile(r"\d{2,4}x\d{1,4}(?:x\d{1,4})?", re.ASCII)
_CUTE_TILE = re.compile(r"tuple<(?:cute::)?C<(\d+)>, ?(?:cute::)?C<(\d+)>, ?(?:cute::)?C<(\d+)>", re.ASCII)
_SIZES = re.compile(r"\b\d{2,4}(?:, ?\d{2,4}){2,3}\b", re.ASCII)
_MARK = re.compile(r"[<>,(): ]")
_PLAIN = (
    re.compile(r"(Cijk_[A-Za-z0-9_]*?)_(MT\d+x\d+x\d+)_(.*)", re.ASCII),  # Tensile: hipBLASLt, rocBLAS
    re.compile(r"(\w+?)_tilesize(\d+x\d+x\d+)_(.*)", re.ASCII),  # cuBLAS and cuDNN since sm80
)
"""Names without arguments: what is called, its tile, the rest."""

_SCOPE = re.compile(r"_Z(?:N[KV]*)?", re.ASCII)
_LITERAL = re.compile(r"L[a-z](n?)(\d+)E", re.ASCII)
_LENGTH = re.compile(r"\d+", re.ASCII)
_SUBSTITUTE = re.compile(r"S(?:[0-9A-Z]*_|[tabsiod])", re.ASCII)
_TYPES = {"f": "float", "d": "double", "i": "int"}


class _Signature(NamedTuple):
    """The function, what is telling of its template's arguments, and these as words."""

    base: str
    telling: str
    words: list[str]


def short_name(name: str) -> str:
    """The function without its namespace, return type and arguments, and in ‹› what is telling of its template's
    arguments: `void at::native::reduce_kernel<512, SumOp<float> >(...)` is `reduce_kernel ‹SumOp›`. Names that are
    short or of no known kind stay as they are."""
    found = signature_of(name)
    if found is None:
        return name
    return f"{found.base} ‹{found.telling}›" if found.telling else found.base


def short_names(names: Sequence[str]) -> list[str]:
    """Short names of a list, equal only where the names are: where others would be, the words that tell them apart are
    added, and where none do the names stay as they are."""
    short = {name: short_name(name) for name in dict.fromkeys(names)}
    groups: dict[str, list[str]] = {}
    for name, text in short.items():
        groups.setdefault(text, []).append(name)
    for text, group in groups.items():
        if len(group) > 1:
            signatures = [signature_of(name) for name in group]
            added = _differences([found.words if found else [] for found in signatures])
            short |= zip(group, group if added is None else (f"{text} ‹{more}›" for more in added), strict=True)
    if len(set(short.values())) < len(short):  # a name may be written like the short form of another
        return list(names)
    return [short[name] for name in names]


@lru_cache(4096)
def signature_of(name: str) -> _Signature | None:
    """None for a name that stays as it is."""
    if len(name) < _SHORTEST:
        return None
    for plain in _PLAIN:
        found = plain.fullmatch(name)
        if found is not None:
            return _Signature(found[1], found[2], found[3].split("_"))
    if name.startswith("_Z"):
        scope, words = _mangled(name)
        return _signature(scope, words) if scope else None
    if not any(map(_is_signature, name.split("\n"))):
        return None
    return _signature(*_parts(name))


def _signature(scope: list[str], arguments: list[str]) -> _Signature:
    base = scope[-1]
    if base in _WRAPPERS:
        cutlass = _CUTLASS.search(", ".join(arguments))
        if cutlass is not None:
            return _Signature(cutlass[0], "", _words(arguments))
        inner = next((argument for argument in arguments if "<" in argument), "")
        while inner:
            (*_, base), below = _parts(inner)
            inner = next((one for one in below if "<" in one), "") if base.startswith("enable_") else ""
            arguments = below or arguments
    if base in _SAY_NOTHING:
        base = "::".join(scope[-2:])
    return _Signature(base, _telling(arguments), _words(arguments))


def _is_signature(line: str) -> bool:
    """Whether it holds `<...>`, `::...(` or a call. A pattern would take time that grows with the square of the
    length."""
    opening, scope, call = line.find("<"), line.find("::"), line.find("(")
    return (
        (opening >= 0 and line.find(">", opening) >= 0)
        or (scope >= 0 and line.find("(", scope) >= 0)
        or (call > 0 and line.endswith(")") and " " not in line[:call])
    )


def _telling(arguments: list[str]) -> str:
    """What tells two instances of a template apart for a reader: a functor, the size of a tile, a function."""
    text = ", ".join(arguments)
    functor = _FUNCTOR.search(text)
    if functor is not None:
        before = _WORD.match(text[functor.start() :: -1])
        after = _WORD.match(text, functor.end())
        assert before is not None and after is not None
        return text[functor.start() + 1 - before.end() : after.end()]
    for tile in _CUTE_TILE.finditer(text):
        if max(map(len, tile.groups())) > 1:
            return "x".join(tile.groups())
    size = _TILE.search(text)
    if size is not None:
        return size[0]
    for argument in arguments:
        if argument.startswith("&"):
            return _parts(argument.lstrip("&("))[0][-1]
        if "{lambda" in argument:
            return _bare(argument)
    sizes = _SIZES.search(text)
    return "" if sizes is None else sizes[0]


def _parts(name: str) -> tuple[list[str], list[str]]:
    """`void at::native::foo<float, Bar<3> >(...)` -> [at, native, foo] and its template's arguments."""
    text = name.replace("(anonymous namespace)", "{anonymous}")
    arguments: list[str] = []
    depth, inner, start, angle, begin, end = 0, 0, 0, -1, 0, len(text)
    for mark in _MARK.finditer(text):
        letter, at = mark[0], mark.start()
        if depth and inner and letter not in "()":
            continue  # in parentheses `<` and `>` may compare
        if letter == "<":
            if depth == 0:
                angle, begin, arguments = at, at + 1, []
            depth += 1
        elif letter == ">":
            depth -= depth > 0
            if depth == 0 and angle >= 0:
                arguments.append(text[begin:at].strip())
                begin, inner = at + 1, 0
        elif depth:
            if letter == "," and depth == 1:
                arguments.append(text[begin:at].strip())
                begin = at + 1
            inner = max(0, inner + (letter == "(") - (letter == ")"))
        elif letter == "(" and at > start:
            end = at
            break
        elif letter == ":" and angle >= 0:
            angle = -1  # of a class, whose member is the function
        elif letter == " " and text[at + 1 : at + 2] not in ("(", "<", ""):
            start, angle, arguments = at + 1, -1, []  # what came before was the return type
    scope = _scope(text[start : angle if angle >= 0 else end])
    return scope or [text], arguments


def _scope(text: str) -> list[str]:
    """The names around a function and its own, without templates' arguments."""
    out, depth, start = [], 0, 0
    for mark in _MARK.finditer(text):
        if mark[0] == "<":
            if depth == 0 and mark.start() > start:
                out.append(text[start : mark.start()])
            depth += 1
        elif mark[0] == ">":
            depth -= depth > 0
            start = mark.end()
        elif mark[0] == ":" and not depth:
            if mark.start() > start:
                out.append(text[start : mark.start()])
            start = mark.end()
    if start < len(text) and not depth:
        out.append(text[start:])
    return [part for part in map(str.strip, out) if part]


def _bare(argument: str) -> str:
    """Just the function of an argument such as `at::native::GeluCUDAKernelImpl(...)::{lambda()#1}`."""
    plain = argument.replace("{anonymous}::", "")
    return re.split(r"[(<{]", plain, maxsplit=1)[0].rpartition("::")[2].strip() or argument


def _mangled(name: str) -> tuple[list[str], list[str]]:
    """Names of the scope and words of what follows in an Itanium name; no scope for one that is something else."""
    start = _SCOPE.match(name)
    assert start is not None
    at, scope, words = start.end(), list[str](), list[str]()
    while at < len(name):
        length, substitute = _LENGTH.match(name, at), _SUBSTITUTE.match(name, at)
        if length is not None:
            at = length.end() + int(length[0][:6])
            scope.append(name[length.end() : at])
        elif substitute is not None:
            at = substitute.end()
        else:
            break
    while at < len(name):
        literal, length = _LITERAL.match(name, at), _LENGTH.match(name, at)
        if literal is not None:
            words.append(("-" if literal[1] else "") + literal[2])
            at = literal.end()
        elif length is not None:
            at = length.end() + int(length[0][:6])
            words.append(name[length.end() : at])
        else:
            substitute = _SUBSTITUTE.match(name, at)
            if name[at] in _TYPES:
                words.append(_TYPES[name[at]])
            at = at + 1 if substitute is None else substitute.end()
    return [part for part in scope if part and not part.startswith("_GLOBAL_")], [word for word in words if word]


def _words(arguments: list[str]) -> list[str]:
    """Every name and number of the arguments, without namespaces."""
    return [found[1] for argument in arguments for found in _WORDS.finditer(argument)]


def _differences(lists: Sequence[Sequence[str]]) -> list[str] | None:
    """As few words as it takes to make all lists different, those that tell the most first, in their order; None if
    none do."""
    columns = [
        [words[place] if place < len(words) else "" for words in lists]
        for place in range(min(_MOST_WORDS, max(map(len, lists))))
    ]
    taken: list[int] = []
    keys: list[tuple[str, ...]] = [() for _ in lists]
    distinct = 1
    while distinct < len(lists):
        most, best = distinct, -1
        for place, column in enumerate(columns):
            told = len({(*key, word) for key, word in zip(keys, column, strict=True)})
            if told > most:
                most, best = told, place
        if best < 0:
            return None
        keys = [(*key, word) for key, word in zip(keys, columns[best], strict=True)]
        taken, distinct = sorted([*taken, best]), most
    told_apart = [", ".join(filter(None, (columns[place][at] for place in taken))) for at in range(len(lists))]
    return told_apart if len(set(told_apart)) == len(lists) else None
