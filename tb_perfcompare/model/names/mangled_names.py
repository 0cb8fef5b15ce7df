"""Names and words of Itanium mangled C++ names."""

from __future__ import annotations

import re

from tb_perfcompare.lazy_regex import regex

_SCOPE = regex(r"_Z(?:TSZ{0,20})?(?:N[KV]*)?", re.ASCII)  # _ZTS: SYCL names a kernel as its type
_LITERAL = regex(r"L[a-z](n?)(\d+)E", re.ASCII)
_LENGTH = regex(r"\d+", re.ASCII)
_SUBSTITUTE = regex(r"S(?:[0-9A-Z]*_|[tabsiod])", re.ASCII)
_LOCAL = regex(r"Z{1,20}N[KV]{0,4}", re.ASCII)
_TYPES = {"f": "float", "d": "double", "i": "int"}


def mangled_words(name: str) -> tuple[list[str], list[str]]:
    """(scope, words that follow) of an Itanium mangled name; an empty scope for any other name.

    As in demangled names, words of templates end in `<`, and those of functions around a lambda in `(){lambda}`.
    """
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
    """The consecutive length-prefixed names from a position on, and the position after them."""
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
