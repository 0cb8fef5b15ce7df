"""Short forms of names of kernels and of autograd's nodes, for narrow places; exports always have the full name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.names.mangled_names import mangled_words

_SHORTEST = 40
"""Shorter names stay unchanged."""

_WRAPPERS = frozenset({"Kernel", "Kernel2", "device_kernel", "kentry", "_kernel_agent", "trampoline_kernel"})
"""Functions that only call their template argument."""

_MIN_TELLING_LENGTH = 10
"""A shorter function name, such as `run` or `dispatch`, is shown with its namespace."""

_MAX_WORDS = 200
"""Maximum number of words in a name's arguments that are used to distinguish it from other names."""

_MAX_ALIKE = 500
"""Most names with one short form that get distinct forms; the work grows with its square."""

_FUNCTOR = regex(r"[Ff]unctor|Ops?\b|\bOp[A-Z]", re.ASCII)
_CARRIER = regex(
    r"(?:[AB]?Unary|Binary|Ternary)Functor|(?:Unary|Binary|Ternary|Pointwise)Op\w*Functor|ReduceOp|func_wrapper_t"
    r"|\w{0,30}gpu_\w{0,30}kernel\w*",
    re.ASCII,
)
"""Templates around an operation, which is among their arguments or follows them."""

_PLAIN_TYPE = regex(
    r"\d\w*|u?int\d*(?:_t)?|unsigned|signed|long|short|char|bool|float\d?|double|void|const|complex|[aA]rray"
    r"|_*(?:nv_|hip_)?(?:[Hh]alf|[Bb][Ff]loat16)\d?(?:_t)?|_*(?:nv_)?(?:[Ff]loat8|fp8|float_e)\w*|OpaqueType|lambda|operator",
    re.ASCII,
)
_CAST = regex(r"\((?:\w+::)*\w+\)(?=-?\d)", re.ASCII)
_SUFFIX = regex(r"(?<=\b\d)[uUlL]+\b|(?<=\d\d)[uUlL]+\b", re.ASCII)
_UNNAMED = "{anonymous}"
_WORDS = regex(r"(?:\w+::)*(\w+)", re.ASCII)
_CUTLASS = regex(r"\bcutlass\w{12,}", re.ASCII)
_TILE = regex(r"\d{2,4}x\d{1,4}(?:x\d{1,4})?", re.ASCII)
_CUTE_TILE = regex(r"tuple<(?:cute::)?C<(\d+)>, ?(?:cute::)?C<(\d+)>, ?(?:cute::)?C<(\d+)>", re.ASCII)
_SIZES = regex(r"\b\d{2,4}(?:, ?\d{2,4}){2,3}\b", re.ASCII)
_MARK = regex(r"[<>,(): ]")
_PYTHON = regex(r"<(?:locals|lambda|module|listcomp|dictcomp|setcomp|genexpr)>")
"""What Python writes into the qualified name of a function, where C++ has template arguments."""

_PLAIN = (
    regex(r"((?:Custom_)?Cijk_[A-Za-z0-9_]*?)_(MT\d+x\d+x\d+)_(.*)", re.ASCII),  # Tensile: hipBLASLt, rocBLAS
    regex(r"(\w+?)_tilesize(\d+x\d+x\d+)_(.*)", re.ASCII),  # cuBLAS and cuDNN since sm80
    regex(r"(?=\w{80})(\w+?)_([A-Za-z]*\d+x\d+x\d+[A-Za-z0-9]*)_(\w+)", re.ASCII),  # any other name this long
)
"""Names without arguments: the function, its tile, the rest."""

_EVALUATED = regex(r"autograd::engine::(evaluate_function: )(?:\w+::)*(\w+)", re.ASCII)
"""What autograd records around every node of the backward pass."""

_VALUE = regex(r"-?\d*|true|false", re.ASCII)


class _Signature(NamedTuple):
    """A function, the informative part of its template arguments, and all their words."""

    base: str
    informative: str
    words: list[str]


def short_name(name: str) -> str:
    """The function's own name and, in ‹ ›, the informative part of its template arguments.

    `void at::native::reduce_kernel<512, SumOp<float> >(...)` becomes `reduce_kernel ‹SumOp›`. Short names, those of
    Python and names of no known kind stay unchanged, but for the namespaces of autograd's nodes.
    """
    signature = signature_of(name)
    if signature is None:
        return _EVALUATED.sub(r"\1\2", name)
    return f"{signature.base} ‹{signature.informative}›" if signature.informative else signature.base


def short_names(names: Sequence[str]) -> list[str]:
    """Short names of a list; equal only for equal names.

    Where different names have the same short form, distinguishing words are added; if there are none, the full names
    are used.
    """
    short = {name: short_name(name) for name in dict.fromkeys(names)}
    groups: dict[str, list[str]] = {}
    for name, text in short.items():
        groups.setdefault(text, []).append(name)
    for text, group in groups.items():
        if len(group) > 1:
            signatures = [signature_of(name) for name in group]
            words = [signature.words if signature else [] for signature in signatures]
            added = _differences(words) if len(group) <= _MAX_ALIKE else None
            if added is not None:
                added = [f"{text} ‹{more}›" if more else text for more in added]
            short |= zip(group, added or group, strict=True)
    if len(set(short.values())) < len(short):  # a name may be written like the short form of another
        return list(names)
    return [short[name] for name in names]


def short_forms(names: Iterable[str]) -> dict[str, str]:
    """Name -> short name, for those of the names that are shortened."""
    distinct = list(dict.fromkeys(names))
    if max(map(len, distinct), default=0) < _SHORTEST:
        return {}
    return {name: short for name, short in zip(distinct, short_names(distinct), strict=True) if short != name}


@lru_cache(4096)
def signature_of(name: str) -> _Signature | None:
    """Parses a kernel name; None for a name that stays unchanged."""
    if len(name) < _SHORTEST or _PYTHON.search(name):
        return None
    for plain in _PLAIN:
        match = plain.fullmatch(name)
        if match is not None:
            return _Signature(match[1], match[2], match[3].split("_"))
    if name.startswith("_Z"):
        scope, words = mangled_words(name)
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
    base = "::".join(named[-2:]) if len(scope[-1]) < _MIN_TELLING_LENGTH or scope[-1] in _WRAPPERS else scope[-1]
    return _Signature(base, _informative(arguments), [*named[-2:-1], *_words(arguments)])


def _templates(arguments: list[str]) -> list[str]:
    return [argument for argument in arguments if "<" in argument]


def _is_signature(line: str) -> bool:
    """Whether a line contains `<...>`, `::...(` or a call.

    A pattern would take time quadratic in the length.
    """
    opening, scope, call = line.find("<"), line.find("::"), line.find("(")
    return (
        (opening >= 0 and line.find(">", opening) >= 0)
        or (scope >= 0 and line.find("(", scope) >= 0)
        or (call > 0 and line.endswith(")") and " " not in line[:call].removeprefix("void "))
    )


def _informative(arguments: list[str]) -> str:
    """The part of template arguments that tells instances apart: an operation, a tile size, a function."""
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
            return _bare_function(argument)
    sizes = _SIZES.search(text)
    return "" if sizes is None else sizes[0]


def _operation(words: list[str]) -> str:
    """The functor among these words; if none is named, the operation inside a wrapping template, or the template."""
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
    """`void at::native::foo<float, Bar<3> >(...)` -> [at, native, foo] and its template arguments."""
    text = name.replace("(anonymous namespace)", _UNNAMED)
    arguments: list[str] = []
    depth, inner, start, angle, begin, end = 0, 0, 0, -1, 0, len(text)
    for mark in _MARK.finditer(text):
        letter, position = mark[0], mark.start()
        if depth and inner and letter not in "()":
            continue  # inside parentheses `<` and `>` may be comparisons
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
            angle = -1  # a class template's arguments; the function is its member
        elif letter == " " and text[position + 1 : position + 2] not in ("(", "<", ""):
            start, angle, arguments = position + 1, -1, []  # the text so far was the return type
    scope = _scope(text[start : angle if angle >= 0 else end])
    return scope or [text], arguments


def _scope(text: str) -> list[str]:
    """Enclosing names and the function's own name, without template arguments."""
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


def _bare_function(argument: str) -> str:
    """The function name alone of an argument such as `at::native::GeluCUDAKernelImpl(...)::{lambda()#1}`."""
    plain = argument.replace(f"{_UNNAMED}::", "")
    return re.split(r"[(<{]", plain, maxsplit=1)[0].rpartition("::")[2].strip() or argument


def _words(arguments: list[str]) -> list[str]:
    """Every name and number in the arguments, without namespaces, casts and suffixes of numbers."""
    return [
        match[1]
        for argument in arguments
        for match in _WORDS.finditer(_SUFFIX.sub("", _CAST.sub("", argument.replace(f"{_UNNAMED}::", ""))))
    ]


def _differences(lists: Sequence[Sequence[str]]) -> list[str] | None:
    """For each list, the fewest words that make all of them distinct, in order; None if no words do.

    Words that separate the most lists come first; among equals, words before numbers.
    """
    columns = [
        [words[place] if place < len(words) else "" for words in lists]
        for place in range(min(_MAX_WORDS, max(map(len, lists))))
    ]
    has_words = [not all(map(_VALUE.fullmatch, column)) for column in columns]
    selected: list[int] = []
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
        selected, distinct = sorted([*selected, best]), most[0]
    added = [", ".join(filter(None, (columns[place][at] for place in selected))) for at in range(len(lists))]
    return added if len(set(added)) == len(lists) else None
