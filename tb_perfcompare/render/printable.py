"""Texts that may hold anything, as they are shown."""

from __future__ import annotations

import unicodedata

_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def printable(text: str) -> str:
    """The text with control, format and unpaired surrogate characters written out, so that a name taken from a file
    can neither steer a terminal nor break a line."""
    if text.isprintable():
        return text
    return "".join(_escape(char) if unicodedata.category(char) in _UNPRINTABLE else char for char in text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
