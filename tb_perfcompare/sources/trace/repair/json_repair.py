"""Repairs text that is almost JSON, one value at a time.

The strict decoder reports where it stopped and why; the text is repaired there and decoded again. It is changed only
where the decoder rejected it, so nothing inside a valid string is mistaken for damage.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import field
from typing import Generic, TypeVar

import msgspec

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.quick_dataclass import dataclass

T = TypeVar("T")

MAX_REPAIRS = 500
_MAX_WORK_BYTES = 64 << 20
"""Every repair reads the text again, so long texts get fewer repairs."""
_FAULT = regex(r"JSON is malformed: (?P<what>.*) \(byte (?P<at>\d+)\)")
_TOO_DEEP = "nested too deeply"
_TRUNCATED = "Input data was truncated"
_TRAILING = "trailing characters"
_TOKEN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-._/#%")
_ESCAPE = regex(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_SURROGATE = regex(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text is not one JSON value. `position` is a byte of the text, -1 if the decoder reports none."""

    reason: str
    position: int = -1

    @property
    def is_cut(self) -> bool:
        """Whether the text ends before the value does."""
        return self.reason == _TRUNCATED

    @property
    def is_deep(self) -> bool:
        """Whether the decoder ran out of stack; the text may be valid."""
        return self.reason == _TOO_DEEP

    @property
    def is_trailing(self) -> bool:
        """Whether the value is complete and ends before `position`."""
        return self.reason == _TRAILING


@dataclass(slots=True)
class Repaired(Generic[T]):
    """The value at the start of a text, or the fault that could not be repaired.

    used     bytes of the original text that the value took, including white space after it
    tried    bytes of the text in which a fault remained
    repairs  kind -> number of repairs
    """

    value: T | None = None
    used: int = 0
    fault: Fault | None = None
    tried: int = 0
    repairs: Counter[str] = field(default_factory=Counter)


def fault_of(error: msgspec.MsgspecError | RecursionError | UnicodeDecodeError) -> Fault:
    """The fault reported by a decoder's exception."""
    if isinstance(error, RecursionError):
        return Fault(_TOO_DEEP)
    match = _FAULT.fullmatch(str(error))
    if match is None:
        return Fault(str(error))
    at = int(match["at"])
    # the decoder reports the position after the first byte that follows the value
    return Fault(match["what"], at - 1 if match["what"] == _TRAILING else at)


def repair(text: bytes, decode: Callable[[bytes], T], most: int = MAX_REPAIRS) -> Repaired[T]:
    """Decodes the value at the start of `text`, repairing it if necessary; more text may follow the value.

    `decode` must be strict about syntax and raise msgspec's errors. Up to `most` repairs are tried, at least one.
    """
    original = len(text)
    repairs: Counter[str] = Counter()
    for _ in range(max(2, min(most, _MAX_WORK_BYTES // max(original, 1)))):
        try:
            return Repaired(decode(text), original, None, 0, repairs)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            fault = fault_of(error)
        if fault.is_trailing:
            used = original - (len(text) - fault.position)
            return Repaired(decode(text[: fault.position]), used, None, 0, repairs)
        kind, repaired = _repair_at(text, fault)
        if repaired is None:
            break
        repairs[kind] += 1
        text = repaired
    return Repaired(None, 0, fault, original, repairs)


def _repair_at(text: bytes, fault: Fault) -> tuple[str, bytes | None]:
    """(kind of repair, repaired text or None if it cannot be repaired)."""
    what, position = fault.reason, fault.position
    if fault.is_cut or "escape" in what or "surrogate" in what:
        # any of these faults may be due to a lone surrogate: at the end of a string even a cut
        repaired = _ESCAPE.sub(_without_lone_surrogate, text) if _SURROGATE.search(text) else text
        if repaired != text:
            return "lone surrogates", repaired
    if position < 0 or position >= len(text):
        return "", None
    if what.startswith("trailing comma"):
        comma = text.rindex(b",", 0, position)
        return "trailing commas", text[:comma] + text[comma + 1 :]
    if "escape" in what:
        backslash = text.rindex(b"\\", 0, position + 1)
        return "invalid escapes", text[:backslash] + b"\\" + text[backslash:]
    if text[position] < 0x20:
        return "control characters", text[:position] + b"\\u%04x" % text[position] + text[position + 1 :]
    return "bare words", _null_for_word(text, position)


def _null_for_word(text: bytes, at: int) -> bytes | None:
    """Replaces the word around `at` (NaN, -inf, N/A, 1.2.3) by null if a value is expected there; else None."""
    first = last = at
    while first > 0 and text[first - 1] in _TOKEN:
        first -= 1
    while last < len(text) and text[last] in _TOKEN:
        last += 1
    if text[first:last] in (b"", b"null") or not text[:first].rstrip().endswith((b":", b",", b"[")):
        return None  # a null that was rejected is rejected again
    return text[:first] + b"null" + text[last:]


def _without_lone_surrogate(escape: re.Match[bytes]) -> bytes:
    text = escape.group()
    return b"\\ufffd" if len(text) == 6 and _SURROGATE.fullmatch(text) else text
