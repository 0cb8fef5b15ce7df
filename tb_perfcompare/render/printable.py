"""Makes arbitrary texts safe to show."""

from __future__ import annotations

import unicodedata

from tb_perfcompare.lazy_regex import regex

_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_CONTROLS = regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """Escapes control, format and unpaired surrogate characters, so that a name from a file can neither control a
    terminal nor break a line."""
    if text.isprintable():
        return text
    return "".join(_escape(char) if unicodedata.category(char) in _UNPRINTABLE else char for char in text)


def without_controls(text: str) -> str:
    """Escapes control characters except tabs and line ends, which CSV can hold."""
    return text if text.isprintable() else _CONTROLS.sub(lambda match: _escape(match[0]), text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
