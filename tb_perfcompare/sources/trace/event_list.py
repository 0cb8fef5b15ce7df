"""Collects the events of a trace as they are written, for torch-tb-profiler, which reads no columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from tb_perfcompare.sources.trace.columns.column_builder import ColumnBuilder
from tb_perfcompare.sources.trace.columns.event import Event

_NUMBERS = ("ts", "dur", "id")


class EventList(ColumnBuilder):
    """A ColumnBuilder that collects events instead of columns; numbers are as in the JSON text."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[dict[str, Any]] = []

    def add(self, events: Sequence[Event]) -> None:
        self.counts.seen += len(events)
        self.events += map(self._plain, events)

    def _plain(self, event: Event) -> dict[str, Any]:
        members = msgspec.structs.asdict(event)
        members.update((key, self._decoded(members[key])) for key in _NUMBERS)
        members["args"] = {key: self._decoded(raw) for key, raw in (event.args or {}).items()}
        return {key: value for key, value in members.items() if value is not None}

    def _decoded(self, raw: msgspec.Raw) -> Any:
        try:
            return msgspec.json.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError):  # not UTF-8, or a number beyond the range of a double
            text = bytes(raw).decode("utf-8", "replace")
        if text.encode("utf-8") != bytes(raw):
            self.counts.repaired["bytes that are not UTF-8"] += 1
        return json.loads(text, parse_int=float)
