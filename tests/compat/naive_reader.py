"""A slow, obvious loader of torch.profiler traces: the standard json module and decimal numbers, one loop.

It shares nothing with the product's reader, so that the two check each other, and tests of the analysis layer do not
depend on a source.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import numpy as np

from tb_perfcompare.model.device import FLOW_CATEGORIES, MEMORY_EVENT_NAME, category_of
from tb_perfcompare.model.events import (
    ABSENT,
    ARG_COLUMNS,
    ArgColumn,
    ArgKind,
    Category,
    EventTable,
    FlowTable,
    LaneTable,
    SparseColumn,
)
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.recordings.recording import ReadStats, TraceRecording
from tb_perfcompare.model.strings import StringTable


def read_naively(path: Path) -> TraceRecording:
    """The recording of one trace file, gzip decided by the name."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.name.endswith(".gz") else raw).decode("utf-8", "replace")
    return recording_of(json.loads(text, parse_float=Decimal, strict=False), path.name, len(raw))


def recording_of(document: dict[str, Any], name: str = "trace", size: int = 0) -> TraceRecording:
    """The recording of a decoded trace; fractional numbers are Decimals, or floats whose shortest decimal counts."""
    reader = _Reader()
    for event in document["traceEvents"]:
        reader.take(event)
    properties = {key: _plain(value) for key, value in document.items() if key != "traceEvents"}
    stats = ReadStats(
        len(document["traceEvents"]), len(reader.rows), dict(reader.dropped), dict(reader.skipped), size, True, "naive"
    )
    return TraceRecording(
        file=FileFacts(name, size),
        events=reader.events(),
        flows=reader.flow_table(),
        properties=properties,
        process_labels=reader.process_labels,
        process_names=reader.process_names,
        thread_names=reader.thread_names,
        fractional_times=reader.fractional,
        stats=stats,
        notes=(),
        fractions=reader.mixed_fractions(),
    )


class _Reader:
    def __init__(self) -> None:
        self.strings = StringTable()
        self.lanes: dict[tuple[Any, Any], int] = {}
        self.rows: list[tuple[int, int, int, int, int, int, int, int]] = []
        self.args: dict[str, list[tuple[int, Any]]] = {}
        self.flows: list[tuple[bool, int, int]] = []
        self.process_labels: dict[Any, str] = {}
        self.process_names: dict[Any, str] = {}
        self.thread_names: dict[tuple[Any, Any], str] = {}
        self.dropped: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.fractions: list[tuple[int, bool]] = []

    @property
    def fractional(self) -> bool:
        return any(mask for mask, _ in self.fractions)

    def mixed_fractions(self) -> Any:
        """As in TraceRecording."""
        told = {mask if instant is False else 3 * mask for mask, instant in self.fractions}
        return np.array([mask for mask, _ in self.fractions], np.uint8) if told - {0} and told - {3} else None

    def take(self, event: dict[str, Any]) -> None:
        phase, cat, name = event.get("ph"), event.get("cat", ""), event.get("name")
        if phase == "M":
            self._take_metadata(event)
        elif phase in ("s", "f") and cat in FLOW_CATEGORIES:
            self.flows.append((phase == "s", int(event["id"]), self._ns(event["ts"])))
        elif phase == "X" or (phase == "i" and name == MEMORY_EVENT_NAME):
            if not isinstance(name, str) or not _number(event.get("ts")) or not _number(event.get("dur", 0)):
                self.dropped["incomplete"] += 1
            else:
                self._take_event(event, phase == "i")
        else:
            self.skipped[f"{phase}/{cat}"] += 1

    def _take_metadata(self, event: dict[str, Any]) -> None:
        pid, tid, args = event.get("pid", ""), event.get("tid", ""), event.get("args") or {}
        match event.get("name"):
            case "process_labels":
                self.process_labels[pid] = args.get("labels", "")
            case "process_name":
                self.process_names[pid] = args.get("name", "")
            case "thread_name":
                self.thread_names[pid, tid] = args.get("name", "")

    def _take_event(self, event: dict[str, Any], instant: bool) -> None:
        cat, args = event.get("cat", ""), event.get("args") or {}
        category = Category.MEMORY if instant else category_of(cat, event.get("name", ""))
        lane = self.lanes.setdefault((event.get("pid", ""), event.get("tid", "")), len(self.lanes))
        external = args.get("external id", args.get("External id"))
        row = len(self.rows)
        ts, dur = (isinstance(event.get(key), (float, Decimal)) for key in ("ts", "dur"))
        self.fractions.append((ts | (dur and not instant) << 1, instant))
        self.rows.append(
            (
                category,
                self.strings.intern(cat),
                self.strings.intern(event["name"]),
                lane,
                self._ns(event["ts"]),
                0 if instant else max(self._ns(event["dur"]), 0),
                ABSENT if external is None else int(external),
                ABSENT if args.get("correlation") is None else int(args["correlation"]),
            )
        )
        for column in ARG_COLUMNS:
            key = next((key for key in column.keys if key in args), None)
            if key is not None:
                self._take_argument(column, row, args[key])

    def _take_argument(self, column: ArgColumn, row: int, value: Any) -> None:
        stored: Any
        if column.kind is ArgKind.JSON:
            stored = self.strings.intern(json.dumps(_plain(value)))
        elif isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
            stored = int(value) if column.kind is ArgKind.INT else float(value)
        else:
            return
        self.args.setdefault(column.name, []).append((row, stored))

    def _ns(self, us: Any) -> int:
        return int((Decimal(str(us)) * 1000).to_integral_value(ROUND_HALF_EVEN))

    def events(self) -> EventTable:
        table = np.array(self.rows, dtype=np.int64).reshape(-1, 8)
        category, raw_category, name, lane, start_ns, dur_ns, external_id, correlation = table.T.copy()
        dtype_of = {ArgKind.INT: np.int64, ArgKind.FLOAT: np.float64, ArgKind.JSON: np.int32}
        args = {}
        for column in ARG_COLUMNS:
            if column.name in self.args:
                rows, values = zip(*self.args[column.name], strict=True)
                args[column.name] = SparseColumn(np.array(rows, np.int32), np.array(values, dtype_of[column.kind]))
        lanes = LaneTable(tuple(pid for pid, _ in self.lanes), tuple(tid for _, tid in self.lanes))
        return EventTable(
            strings=self.strings,
            lanes=lanes,
            category=category.astype(np.int8),
            raw_category=raw_category.astype(np.int32),
            name=name.astype(np.int32),
            lane=lane.astype(np.int32),
            start_ns=start_ns,
            dur_ns=dur_ns,
            external_id=external_id,
            correlation=correlation,
            args=args,
        )

    def flow_table(self) -> FlowTable:
        return FlowTable(
            np.array([flow[0] for flow in self.flows], np.bool_),
            np.array([flow[1] for flow in self.flows], np.int64),
            np.array([flow[2] for flow in self.flows], np.int64),
        )


def _number(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """`value` with Decimals as floats."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
