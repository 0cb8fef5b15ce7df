"""Small trace files in the layouts of profilers and tools, and recordings as plain rows."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from tb_perfcompare.model.events import ABSENT, ARG_COLUMNS, ArgKind, EventTable
from tb_perfcompare.model.recordings.recording import TraceRecording
from tb_perfcompare.sources.trace.torch_profiler import read_trace

Json: TypeAlias = dict[str, Any]
ROOT: Json = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Tesla V100"}], "with_stack": 1}
LAYOUTS = ("native", "indent=2", "indent=4", "compact")


def op(name: Any = "aten::add", ts: Any = 10, dur: Any = 5, **more: Any) -> Json:
    """A complete host event; `more` overrides members or adds them."""
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 7, "tid": 7, "ts": ts, "dur": dur, **more}


def without(event: Json, *keys: str) -> Json:
    return {key: value for key, value in event.items() if key not in keys}


def encode(events: Sequence[Any], layout: str = "native", root: Json = ROOT, events_at: int | None = None) -> bytes:
    """A trace file; `events_at` is the position of traceEvents in the root (last if None)."""
    members = list(root.items())
    members.insert(len(members) if events_at is None else events_at, ("traceEvents", list(events)))
    document = dict(members)
    if layout == "compact":
        return json.dumps(document).encode()
    if layout.startswith("indent="):
        return json.dumps(document, indent=int(layout[-1])).encode()
    parts = []
    for key, value in members:
        text = json.dumps(value)
        if key == "traceEvents":
            text = "[\n" + ",\n".join(_native(event) for event in events) + "\n  ]"
        parts.append(f"  {json.dumps(key)}: {text}")
    return ("\n{\n" + ",\n".join(parts) + "\n}\n").encode()


def _native(event: Any) -> str:
    return "  {\n    " + json.dumps(event)[1:-1] + "\n  }" if isinstance(event, dict) else json.dumps(event)


def read(content: bytes, **options: Any) -> TraceRecording:
    """The recording of a file with this content."""
    return read_trace(io.BytesIO(content), name="worker0.pt.trace.json", **options)


def read_events(*events: Any, **options: Any) -> TraceRecording:
    return read(encode(events), **options)


def packed(content: bytes) -> bytes:
    return gzip.compress(content, 1, mtime=0)


def rows_of(table: EventTable) -> list[Json]:
    """Every event as a dictionary of decoded values without absent arguments."""
    text = table.strings.texts
    rows: list[Json] = [
        {
            "category": int(table.category[row]),
            "cat": text[table.raw_category[row]],
            "name": text[table.name[row]],
            "pid": table.lanes.pid[table.lane[row]],
            "tid": table.lanes.tid[table.lane[row]],
            "start_ns": int(table.start_ns[row]),
            "dur_ns": int(table.dur_ns[row]),
            "external_id": int(table.external_id[row]) if table.external_id[row] != ABSENT else None,
            "correlation": int(table.correlation[row]) if table.correlation[row] != ABSENT else None,
        }
        for row in range(len(table))
    ]
    for column in ARG_COLUMNS:
        if column.name in table.args:
            sparse = table.args[column.name]
            for row, value in zip(sparse.rows.tolist(), sparse.values.tolist(), strict=True):
                rows[row][column.name] = json.loads(text[value]) if column.kind is ArgKind.JSON else value
    return rows


def names_of(recording: TraceRecording) -> list[str]:
    return [recording.events.strings[index] for index in recording.events.name.tolist()]
