"""Removes numbers from names: a loop gives new ones in every iteration."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from functools import lru_cache

from tb_perfcompare.lazy_regex import regex

BETWEEN = " | "
"""Separates alternative names."""

_NUMBER = regex(
    r"0x[0-9a-fA-F]+"
    r"|(?<![0-9A-Za-z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9A-Za-z])"  # a UUID
    r"|(?<![0-9A-Za-z])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}(?![0-9A-Za-z])"  # a hash
    r"|(?<![0-9A-Za-z])(?=[0-9A-F]*\d)(?=[0-9A-F]*[A-F])[0-9A-F]{8,}(?![0-9A-Za-z])"
    r"|(?<![A-Za-z\d])\d+(?:\.\d+)?"
    r"|\d+(?:\.\d+)?(?![A-Za-z\d])"
)


@lru_cache(maxsize=1 << 14)
def without_numbers(name: str) -> str:
    """`step[DECODE bs=16]` -> `step[DECODE bs=*]`; addresses and hashes count as numbers, `conv2d` keeps its 2."""
    return _NUMBER.sub("*", name)


def numbers_in(name: str) -> tuple[float, ...]:
    """The numbers that `without_numbers` replaces, in order; 0 for an address or hash."""
    return tuple(float(text) if text.replace(".", "").isdecimal() else 0.0 for text in _NUMBER.findall(name))


def fill_numbers(name: str, texts: Sequence[str]) -> str:
    """Replaces the stars of a name without numbers by these texts, in order."""
    rest = iter(texts)
    return re.sub(r"\*", lambda star: next(rest, star.group()), name)


@lru_cache(maxsize=256)
def glob_pattern(glob: str) -> re.Pattern[str]:
    """Pattern of a glob: `*` matches any text, `?` any character; brackets are literal, since names contain many."""
    return re.compile(fnmatch.translate(glob.replace("[", "[[]")))
