"""Mutations of bytes of any format, and odd values for all formats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

MOST_BYTES = 64 << 10
"""Largest size of a mutated input."""

NUMBERS = (
    "0", "-0", "-1", "1", "2", "255", "65536", "2147483647", "2147483648", "4294967296", "9007199254740993",
    "9223372036854775", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
    "1e15", "1e16", "1e17", "1e18", "1e19", "1e22", "1e308", "1e309", "-1e309", "1e-308", "1e-400", "5e-324", "0.1",
    "0.0005", "1e99999999999", "-1e-99999999999", "NaN", "Infinity", "-Infinity", "nan", "inf", "1_000", "1,000",
    "1.000,5", "0x10", "\u0663", "007", "+1", "1.", ".5", "- 1", "9" * 400, "0." + "1" * 400, "1" + "0" * 5000,
)  # fmt: skip
"""Odd numbers as texts."""

TEXTS = (
    "", " ", "null", "true", "\\", "\\\\", "\\u0000", "\\ud800", "\\udc00\\ud800", "\"", "'", "`", "%s", "{}", "\t",
    "\r", "\x00", "\x1b[2J", "\u2028", "\ufeff", "\U0001f600", "<script>", "=1+1", "../..", "/etc/passwd", "C:\\",
    "a" * 300, "ProfilerStep#1", "ProfilerStep#99999999999999999999", "[memory]", "process_name",
)  # fmt: skip

BYTES = (
    b"\x00", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\n", b"\r\n",
    b"\r", b",", b"}", b"{", b"]", b"[", b'"', b"\\", b"|", b"PK\x03\x04", b"\x1f\x8b\x08\x00", b"#",
)  # fmt: skip

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def number(draw: Random) -> str:
    """An odd number, as text."""
    if draw.random() < 0.3:
        return str(draw.choice((1, -1)) * draw.getrandbits(draw.choice((8, 31, 53, 63, 64, 70))))
    return draw.choice(NUMBERS)


def bytes_changed(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    """One to four mutations."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        data = draw.choice(_CHANGES)(data, draw, others)
    return data[:MOST_BYTES]


def _place(data: bytes, draw: Random) -> tuple[int, int]:
    """A random range, often short."""
    start = draw.randrange(len(data) + 1)
    return start, min(len(data), start + draw.choice((0, 1, 2, 4, 16, 100, 1000)))


def _flip(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    if not data:
        return b"\x00"
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def _put(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    start, end = _place(data, draw)
    return data[:start] + draw.choice(BYTES) + data[draw.choice((start, end)) :]


def _cut(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    start, end = _place(data, draw)
    return data[:start] + data[end:] if draw.random() < 0.7 else data[:start]


def _repeat(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    start, end = _place(data, draw)
    times = draw.choice((2, 3, 20, 500))
    return data[:start] + (data[start:end] * times)[:MOST_BYTES] + data[end:]


def _splice(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    other = draw.choice(others) if others else data
    start, end = _place(other, draw)
    at, behind = _place(data, draw)
    return data[:at] + other[start : end if draw.random() < 0.5 else len(other)] + data[behind:]


def _renumber(data: bytes, draw: Random, others: Sequence[bytes]) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return _put(data, draw, others)
    chosen = draw.choice(found)
    return data[: chosen.start()] + number(draw).encode() + data[chosen.end() :]


_CHANGES = (_flip, _put, _cut, _repeat, _splice, _renumber, _renumber)
