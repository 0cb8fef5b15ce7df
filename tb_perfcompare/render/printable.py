"""Texts that may hold anything, as they are shown."""

from __future__ import annotations

import re
import unicodedata

_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """The text with control, format and unpaired surrogate characters written out, so that a name taken from a file
    can neither steer a terminal nor break a line."""
    if text.isprintable():
        return text
    return "".join(_escape(char) if unicodedata.category(char) in _UNPRINTABLE else char for char in text)


def without_controls(text: str) -> str:
    """The text with control characters written out; tabs and line ends, which a CSV carries, stay."""
    return text if text.isprintable() else _CONTROLS.sub(lambda found: _escape(found[0]), text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
