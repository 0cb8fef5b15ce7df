"""Dictionaries that assign a number to a key on first lookup.

`map(table.__getitem__, keys)` then runs at C speed and enters Python only for new keys. A key that is missing in the
file (None) gets the complement of its number, so one comparison with zero finds and counts these gaps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from tb_perfcompare.model.strings import StringTable

Place: TypeAlias = int | str
"""A process or thread id as written."""

_MAX_FOREIGN_KEYS = 4096
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])
_SPACES, _QUOTE = b" \t\r\n", b'"'


def normalized_id(value: int | float | str | None) -> Place:
    """Normalizes a pid or tid as written: integral floats become integers, a missing one the empty text."""
    if value is None:
        return ""
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(value)
    return value


class Names(dict[str | None, int]):
    """Text -> index in the string table; None -> complement of the index of the empty text."""

    def __init__(self, strings: StringTable) -> None:
        super().__init__()
        self._strings = strings

    def __missing__(self, text: str | None) -> int:
        index = ~self._strings.intern("") if text is None else self._strings.intern(text)
        self[text] = index
        return index


class Lanes(dict[tuple[int | float | str | None, int | float | str | None], int]):
    """(pid, tid) -> row of `places`; the complement of the row if one of them is missing."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[tuple[Place, Place], int] = {}

    def __missing__(self, pair: tuple[int | float | str | None, int | float | str | None]) -> int:
        place = normalized_id(pair[0]), normalized_id(pair[1])
        row = self._rows.setdefault(place, len(self._rows))
        self[pair] = ~row if None in pair else row
        return self[pair]

    def places(self) -> tuple[tuple[Place, Place], ...]:
        """(pid, tid) of each row."""
        return tuple(self._rows)


class JsonTexts(dict[bytes, int]):
    """JSON text as written -> index of its value without insignificant white space; -1 for null.

    `repaired` counts distinct texts with bytes that are not UTF-8.
    """

    def __init__(self, strings: StringTable) -> None:
        super().__init__({b"null": -1})
        self._strings = strings
        self.repaired = 0

    def __missing__(self, raw: bytes) -> int:
        compact = raw.translate(None, _SPACES) if _QUOTE not in raw else msgspec.json.format(raw, indent=-1)
        try:
            text = compact.decode("utf-8")
        except UnicodeDecodeError:
            self.repaired += 1
            text = compact.decode("utf-8", "replace")
        index = self[raw] = self._strings.intern(text)
        return index


def compacted(raw: list[bytes]) -> list[str]:
    """JSON texts without insignificant white space, as in JsonTexts. They must be valid JSON in UTF-8."""
    array = msgspec.json.format(b"".join((b"[", b",".join(raw), b"]")), indent=-1)
    # decoding all at once is faster than one by one; no JSON text contains the separator
    return b"\0".join(_ELEMENTS.decode(array)).decode("utf-8").split("\0") if raw else []


class KeyNumbers(dict[str | None, int]):
    """Known key -> its number, any other -> 0.

    Remembers only a limited number of other keys, since a file may contain any number.
    """

    def __init__(self, known: Iterable[tuple[str | None, int]]) -> None:
        super().__init__(known)
        self._most = len(self) + _MAX_FOREIGN_KEYS

    def __missing__(self, key: str | None) -> int:
        if len(self) < self._most:
            self[key] = 0
        return 0


class Membership(dict[str | None, bool]):
    """Category as written -> whether its lower-case form is in `members`."""

    def __init__(self, members: Iterable[str]) -> None:
        super().__init__()
        self._members = frozenset(members)

    def __missing__(self, text: str | None) -> bool:
        is_member = text is not None and text.lower() in self._members
        if len(self) < _MAX_FOREIGN_KEYS:
            self[text] = is_member
        return is_member
