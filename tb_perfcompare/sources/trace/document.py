"""Parses the root of a trace file: finds traceEvents wherever it is and keeps the other members as text.

The result does not depend on layout or order of members. Other members' texts are kept up to a limit; traceEvents is
passed to a scanner as it arrives, so memory never holds more than a block and one unfinished value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import field
from enum import Enum

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.sources.trace.scanners.python_scanner import PythonScanner

MAX_MEMBER_BYTES = 8 << 20
MAX_PENDING_BYTES = 64 << 20
MAX_MEMBERS_BYTES = 4 * MAX_MEMBER_BYTES
MAX_MEMBERS = 10_000
_MAX_LISTS = 100  # lists named traceEvents; the last one counts

_EVENTS_KEY = "traceEvents"
_BOM = b"\xef\xbb\xbf"
_SPACE = regex(rb"[\s,]*")
_REST = regex(rb"[^\s,\0]")
_FIRST_BYTES = 16
_KEY = regex(rb'"((?:[^"\\]|\\.)*)"\s*:\s*(?=\S)', re.DOTALL)
_EVENTS_AHEAD = regex(rb'"traceEvents"\s*:\s*\[')
_SCALAR_END = regex(rb"[\s,}\]]")
_STRUCTURE = regex(rb'["\[\]{}]')
_STRING_END = regex(rb'["\\]')
# complete strings and the text between them; bounded, because the matcher keeps state for every repetition
_NO_STRUCTURE = regex(rb'[^"\[\]{}]*(?:"[^"\\]*(?:\\.[^"\\]*){0,16}"[^"\[\]{}]*){0,256}', re.DOTALL)
_MAX_KEY_BYTES = 1 << 20
_LONGEST_OPENING = 64
_BRIDGE_BYTES = 32 << 10
"""Bytes of a block appended to the remainder of the previous block."""


class State(Enum):
    """Position of the reader in the document."""

    START = "start"
    MEMBERS = "members"
    EVENTS = "events"
    DONE = "done"
    BROKEN = "broken"  # not JSON after `damaged_at`


@dataclass(slots=True)
class Document:
    """The parsed root.

    members     key -> JSON text of every member but traceEvents
    oversized   key -> bytes of the members left out, because one is too long, or all are too many or too long together
    scanner     scanner of the last traceEvents that is a list, None if there is none
    state       DONE for a complete document
    damaged_at  byte at which the root stops being JSON, -1 if it does not
    first       first bytes of the text, without a byte order mark
    rest_at     byte at which more text follows the complete root, -1 if none does
    """

    members: dict[str, bytes] = field(default_factory=dict)
    oversized: dict[str, int] = field(default_factory=dict)
    scanner: PythonScanner | None = None
    state: State = State.START
    damaged_at: int = -1
    first: bytes = b""
    rest_at: int = -1
    is_list: bool = False


def read_document(
    blocks: Iterable[bytes], new_scanner: Callable[[], PythonScanner], after_block: Callable[[int], None]
) -> Document:
    """Reads all blocks. `after_block` is called with the number of events so far."""
    reader = _Reader(new_scanner)
    rest, more, arrived, enough = b"", list[bytes](), 0, 0
    for block in blocks:
        more.append(block)
        arrived += len(block)
        if arrived >= enough:
            rest = reader.take_behind(rest, more)
            more.clear()
            arrived = 0
            # retry a value longer than a block only when twice as much has arrived: each byte is read a few times
            enough = min(len(rest), MAX_PENDING_BYTES) if len(rest) > len(block) else 0
        scanner = reader.document.scanner
        after_block(scanner.seen if scanner is not None else 0)
    reader.take(b"".join((rest, *more)), 0, final=True)
    return reader.document


class _Reader:
    def __init__(self, new_scanner: Callable[[], PythonScanner]) -> None:
        self.document = Document()
        self._new_scanner = new_scanner
        self._offset = 0  # offset of the current data in the document
        self._value: _Value | None = None
        self._lists = 0
        self._members_bytes = 0

    def take_behind(self, rest: bytes, blocks: list[bytes]) -> bytes:
        """Takes `rest` followed by the blocks; returns the bytes to present again with more data after them."""
        data, start = blocks[0], 0
        if rest and len(rest) < _BRIDGE_BYTES < len(data) and len(blocks) == 1:
            # take the event split between two blocks together with a few following ones, to avoid copying the block
            left = self.take(rest + data[:_BRIDGE_BYTES], 0, final=False)
            start = max(0, _BRIDGE_BYTES - len(left))
            rest = left[: max(0, len(left) - _BRIDGE_BYTES)]
        if rest or len(blocks) > 1:
            data, start = b"".join((rest, *blocks)), 0
        return self.take(data, start, final=False)

    def take(self, data: bytes, start: int, *, final: bool) -> bytes:
        """Parses data[start:] as far as possible; returns the bytes to present again."""
        document = self.document
        position = start
        self._offset -= start
        while True:
            state, before = document.state, position
            if state is State.START:
                position = self._begin(data)
            elif state is State.MEMBERS:
                position = self._member(data, position, final)
            elif state is State.EVENTS:
                assert document.scanner is not None
                fed = document.scanner.feed(data, position, final)
                position = fed.end
                if fed.data is not None:
                    self._offset -= len(fed.data) - len(data)
                    data, before = fed.data, -1
                if fed.ended:
                    document.state = State.DONE if document.is_list else State.MEMBERS
            elif state is State.BROKEN and document.scanner is None:
                position = self._search_events(data, position)
            else:
                position = self._skip(data, position)
            if position == len(data) or (position == before and document.state is state):
                break
        self._offset += position
        if len(data) - position > MAX_PENDING_BYTES:
            self._break(0)
            return b""
        return data[position:]

    def _begin(self, data: bytes) -> int:
        document = self.document
        start = _after(_SPACE, data, len(_BOM) if data.startswith(_BOM) else 0)
        if start == len(data):
            return 0  # only white space so far
        document.first = data[start : start + _FIRST_BYTES]
        if data[start] == ord("["):
            document.is_list = True
            return self._open_events(start + 1)
        if data[start] == ord("{"):
            document.state = State.MEMBERS
            return start + 1
        return self._break(start)

    def _skip(self, data: bytes, position: int) -> int:
        """Skips what follows the root, and keeps where the first text of it is."""
        document = self.document
        if document.state is State.DONE and document.rest_at < 0:
            rest = _REST.search(data, position)
            document.rest_at = self._offset + rest.start() if rest else -1
        return len(data)

    def _open_events(self, position: int) -> int:
        # a second list of this name replaces the first, as JSON readers do
        self._lists += 1
        if self._lists > _MAX_LISTS:
            return self._break(position)
        self.document.scanner = self._new_scanner()
        self.document.state = State.EVENTS
        return position

    def _break(self, position: int) -> int:
        self.document.state = State.BROKEN
        if self.document.damaged_at < 0:
            self.document.damaged_at = self._offset + position
        return position

    def _search_events(self, data: bytes, position: int) -> int:
        """Searches for traceEvents after damage at the root and before any event: the list may be intact."""
        match = _EVENTS_AHEAD.search(data, position)
        return self._open_events(match.end()) if match else max(position, len(data) - _LONGEST_OPENING)

    def _member(self, data: bytes, position: int, final: bool) -> int:
        """Takes the member at `position`, or as much of it as has arrived, or the end of the root."""
        if self._value is not None:
            return self._continue_value(self._value, data, position)
        position = _after(_SPACE, data, position)
        if position == len(data):
            return position
        if data[position] == ord("}"):
            self.document.state = State.DONE
            return position + 1
        key = _KEY.match(data, position)
        if key is None:
            may_grow = data[position] == ord('"') and not final and len(data) - position < _MAX_KEY_BYTES
            return position if may_grow else self._break(position)
        name = key[1].decode("utf-8", "replace")
        if name == _EVENTS_KEY and data[key.end()] == ord("["):
            return self._open_events(key.end() + 1)
        self._value = _Value(name)
        return key.end()

    def _continue_value(self, value: _Value, data: bytes, position: int) -> int:
        end = value.take(data, position)
        if value.complete:
            self._value = None
            self._keep(value)
        return end

    def _keep(self, value: _Value) -> None:
        members, oversized = self.document.members, self.document.oversized
        self._members_bytes -= len(members.pop(value.key, b""))
        oversized.pop(value.key, None)
        fits = value.bytes <= MAX_MEMBER_BYTES and self._members_bytes + value.bytes <= MAX_MEMBERS_BYTES
        if fits and len(members) < MAX_MEMBERS:
            members[value.key] = b"".join(value.parts)
            self._members_bytes += value.bytes
        elif len(oversized) < MAX_MEMBERS:
            oversized[value.key] = value.bytes


class _Value:
    """Finds the end of one JSON value that may span several pieces of data."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.parts: list[bytes] = []
        self.bytes = 0
        self.complete = False
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._scalar: bool | None = None

    def take(self, data: bytes, start: int) -> int:
        """Takes data from `start` up to the end of the value; returns the position after it."""
        if self._scalar is None:
            self._scalar = data[start] not in b'"[{'
        end = self._scalar_end(data, start) if self._scalar else self._structure_end(data, start)
        self.bytes += end - start
        if self.bytes <= MAX_MEMBER_BYTES:
            self.parts.append(data[start:end])
        else:
            self.parts.clear()
        return end

    def _scalar_end(self, data: bytes, start: int) -> int:
        match = _SCALAR_END.search(data, start)
        self.complete = match is not None
        return match.start() if match else len(data)

    def _structure_end(self, data: bytes, position: int) -> int:
        if self._escaped:  # the previous data ended in a backslash
            position, self._escaped = position + 1, False
        while not self.complete:
            if self._depth and not self._in_string:
                position = _after(_NO_STRUCTURE, data, position)
            match = (_STRING_END if self._in_string else _STRUCTURE).search(data, position)
            if match is None:
                return len(data)
            token, position = match[0], match.end()
            if token == b"\\":
                self._escaped = position == len(data)
                position += not self._escaped
            elif token == b'"':
                self._in_string = not self._in_string
                self.complete = not self._in_string and not self._depth
            else:
                self._depth += 1 if token in b"[{" else -1
                self.complete = self._depth <= 0
        return position


def _after(pattern: re.Pattern[bytes], data: bytes, position: int) -> int:
    """End of the match of a pattern that always matches."""
    match = pattern.match(data, position)
    return match.end() if match else position
