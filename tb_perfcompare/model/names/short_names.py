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

_WRAPPERS = frozenset({"Kernel", "Kernel2", "device_kernel", "kentry", "_kernel_agent", "trampoline_kernel"})
"""Functions that only call what they are a template of."""

_SAYS_LITTLE = 10
"""A function's name with fewer characters, such as `run` or `dispatch`, is told with its namespace."""

_MOST_WORDS = 200
"""So many words of a name's arguments are looked at to tell it from others."""

_FUNCTOR = re.compile(r"[Ff]unctor|Ops?\b|\bOp[A-Z]", re.ASCII)
_CARRIER = re.compile(
    r"(?:[AB]?Unary|Binary|Ternary)Functor|(?:Unary|Binary|Ternary|Pointwise)Op\w*Functor|ReduceOp|func_wrapper_t"
    r"|\w{0,30}gpu_\w{0,30}kernel\w*",
    re.ASCII,
)
"""Templates around an operation, which follows among their arguments or behind them."""

_PLAIN_TYPE = re.compile(
    r"\d\w*|u?int\d*(?:_t)?|unsigned|signed|long|short|char|bool|float\d?|double|void|const|complex|[aA]rray"
    r"|_*(?:nv_|hip_)?(?:[Hh]alf|[Bb][Ff]loat16)\d?(?:_t)?|_*(?:nv_)?(?:[Ff]loat8|fp8|float_e)\w*|OpaqueType|lambda|operator",
    re.ASCII,
)
_CAST = re.compile(r"\((?:\w+::)*\w+\)(?=-?\d)", re.ASCII)
_SUFFIX = re.compile(r"(?<=\b\d)[uUlL]+\b|(?<=\d\d)[uUlL]+\b", re.ASCII)
_UNNAMED = "{anonymous}"
_WORDS = re.compile(r"(?:\w+::)*(\w+)", re.ASCII)
_CUTLASS = re.compile(r"\bcutlass\w{12,}", re.ASCII)
_TILE = re.compile(r"\d{2,4}x\d{1,4}(?:x\d{1,4})?", re.ASCII)
_CUTE_TILE = re.compile(r"tuple<(?:cute::)?C<(\d+)>, ?(?:cute::)?C<(\d+)>, ?(?:cute::)?C<(\d+)>", re.ASCII)
_SIZES = re.compile(r"\b\d{2,4}(?:, ?\d{2,4}){2,3}\b", re.ASCII)
_MARK = re.compile(r"[<>,(): ]")
_PLAIN = (
    re.compile(r"((?:Custom_)?Cijk_[A-Za-z0-9_]*?)_(MT\d+x\d+x\d+)_(.*)", re.ASCII),  # Tensile: hipBLASLt, rocBLAS
    re.compile(r"(\w+?)_tilesize(\d+x\d+x\d+)_(.*)", re.ASCII),  # cuBLAS and cuDNN since sm80
    re.compile(r"(?=\w{80})(\w+?)_([A-Za-z]*\d+x\d+x\d+[A-Za-z0-9]*)_(\w+)", re.ASCII),  # whatever else is that long
)
"""Names without arguments: what is called, its tile, the rest."""

_SCOPE = re.compile(r"_Z(?:TSZ{0,20})?(?:N[KV]*)?", re.ASCII)  # _ZTS: SYCL names a kernel as its type
_LITERAL = re.compile(r"L[a-z](n?)(\d+)E", re.ASCII)
_LENGTH = re.compile(r"\d+", re.ASCII)
_SUBSTITUTE = re.compile(r"S(?:[0-9A-Z]*_|[tabsiod])", re.ASCII)
_LOCAL = re.compile(r"Z{1,20}N[KV]{0,4}", re.ASCII)
_TYPES = {"f": "float", "d": "double", "i": "int"}
_VALUE = re.compile(r"-?\d*|true|false", re.ASCII)


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
            if added is not None:
                added = [f"{text} ‹{more}›" if more else text for more in added]
            short |= zip(group, added or group, strict=True)
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
    if scope[-1] in _WRAPPERS:
        cutlass = _CUTLASS.search(", ".join(arguments))
        if cutlass is not None:
            return _Signature(cutlass[0], "", _words(arguments))
        templates = _templates(arguments)
        while templates:
            scope, below = _parts(templates[0])
            arguments = below or arguments
            templates = (_templates(below) or templates[1:]) if scope[-1].startswith("enable_") else []
    named = [part for part in scope if part != _UNNAMED]
    base = "::".join(named[-2:]) if len(scope[-1]) < _SAYS_LITTLE or scope[-1] in _WRAPPERS else scope[-1]
    return _Signature(base, _telling(arguments), [*named[-2:-1], *_words(arguments)])


def _templates(arguments: list[str]) -> list[str]:
    return [argument for argument in arguments if "<" in argument]


def _is_signature(line: str) -> bool:
    """Whether it holds `<...>`, `::...(` or a call. A pattern would take time that grows with the square of the
    length."""
    opening, scope, call = line.find("<"), line.find("::"), line.find("(")
    return (
        (opening >= 0 and line.find(">", opening) >= 0)
        or (scope >= 0 and line.find("(", scope) >= 0)
        or (call > 0 and line.endswith(")") and " " not in line[:call].removeprefix("void "))
    )


def _telling(arguments: list[str]) -> str:
    """What tells two instances of a template apart for a reader: an operation, the size of a tile, a function."""
    words = _words(arguments)
    operation = _operation(words)
    if operation:
        return operation
    text = _SUFFIX.sub("", ", ".join(arguments))
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


def _operation(words: list[str]) -> str:
    """The functor among these words; what is only around one stands for it where none is named."""
    carried, carrier = "", ""
    for word in words:
        if _CARRIER.fullmatch(word):
            carrier, carried = word, ""
        elif _FUNCTOR.search(word):
            return word
        elif carrier and not carried and not _PLAIN_TYPE.fullmatch(word):
            carried = word
    return carried or carrier


def _parts(name: str) -> tuple[list[str], list[str]]:
    """`void at::native::foo<float, Bar<3> >(...)` -> [at, native, foo] and its template's arguments."""
    text = name.replace("(anonymous namespace)", _UNNAMED)
    arguments: list[str] = []
    depth, inner, start, angle, begin, end = 0, 0, 0, -1, 0, len(text)
    for mark in _MARK.finditer(text):
        letter, position = mark[0], mark.start()
        if depth and inner and letter not in "()":
            continue  # in parentheses `<` and `>` may compare
        if letter == "<":
            if depth == 0:
                angle, begin, arguments = position, position + 1, []
            depth += 1
        elif letter == ">":
            depth -= depth > 0
            if depth == 0 and angle >= 0:
                arguments.append(text[begin:position].strip())
                begin, inner = position + 1, 0
        elif depth:
            if letter == "," and depth == 1:
                arguments.append(text[begin:position].strip())
                begin = position + 1
            inner = max(0, inner + (letter == "(") - (letter == ")"))
        elif letter == "(" and position > start:
            end = position
            break
        elif letter == ":" and angle >= 0:
            angle = -1  # of a class, whose member is the function
        elif letter == " " and text[position + 1 : position + 2] not in ("(", "<", ""):
            start, angle, arguments = position + 1, -1, []  # what came before was the return type
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
    plain = argument.replace(f"{_UNNAMED}::", "")
    return re.split(r"[(<{]", plain, maxsplit=1)[0].rpartition("::")[2].strip() or argument


def _mangled(name: str) -> tuple[list[str], list[str]]:
    """Names of the scope and what follows in an Itanium name, templates with a `<` and functions around a lambda as
    demanglers write them; no scope for a name that is something else."""
    start = _SCOPE.match(name)
    assert start is not None
    scope, position = _nested(name, start.end())
    words = list[str]()
    while position < len(name):
        literal, local = _LITERAL.match(name, position), _LOCAL.match(name, position)
        if literal is not None:
            words.append(("-" if literal[1] else "") + literal[2])
            position = literal.end()
            continue
        parts, after = _nested(name, position if local is None else local.end())
        if parts:
            words += parts[:-1]
            words.append(
                parts[-1] + ("(){lambda}" if local is not None else "<" if name[after : after + 1] == "I" else "")
            )
            position = after
        elif after > position and local is None:
            position = after
        else:
            if name[position] in _TYPES:
                words.append(_TYPES[name[position]])
            position += 1
    return [part for part in scope if not part.startswith("_GLOBAL_")], words


def _nested(name: str, position: int) -> tuple[list[str], int]:
    """The names that stand one behind the other from a place on, and where they end."""
    parts = list[str]()
    while position < len(name):
        length = _LENGTH.match(name, position)
        substitute = _SUBSTITUTE.match(name, position) if length is None else None
        if length is not None:
            position = length.end() + int(length[0][:6])
            parts.append(name[length.end() : position])
        elif substitute is not None:
            position = substitute.end()
        else:
            break
    return [part for part in parts if part], position


def _words(arguments: list[str]) -> list[str]:
    """Every name and number of the arguments, without namespaces, casts and suffixes of numbers."""
    return [
        found[1]
        for argument in arguments
        for found in _WORDS.finditer(_SUFFIX.sub("", _CAST.sub("", argument.replace(f"{_UNNAMED}::", ""))))
    ]


def _differences(lists: Sequence[Sequence[str]]) -> list[str] | None:
    """As few words as it takes to make all lists different, in their order; None if none do. Words that separate the
    most come first; of equal ones, types before the numbers of lambdas and the widths of vectors."""
    columns = [
        [words[place] if place < len(words) else "" for words in lists]
        for place in range(min(_MOST_WORDS, max(map(len, lists))))
    ]
    has_words = [not all(map(_VALUE.fullmatch, column)) for column in columns]
    taken: list[int] = []
    keys: list[tuple[str, ...]] = [() for _ in lists]
    distinct = 1
    while distinct < len(lists):
        most, best = (distinct, True), -1
        for place, column in enumerate(columns):
            parts = len({(*key, word) for key, word in zip(keys, column, strict=True)})
            if (parts, has_words[place]) > most:
                most, best = (parts, has_words[place]), place
        if best < 0:
            return None
        keys = [(*key, word) for key, word in zip(keys, columns[best], strict=True)]
        taken, distinct = sorted([*taken, best]), most[0]
    added = [", ".join(filter(None, (columns[place][at] for place in taken))) for at in range(len(lists))]
    return added if len(set(added)) == len(lists) else None
