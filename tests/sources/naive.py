"""The naive reading of a trace file: json.loads, Decimal times, a loop over events; rows as in layouts.rows_of."""

from __future__ import annotations

import gzip
import json
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from tb_perfcompare.model.device import FLOW_CATEGORIES, category_of
from tb_perfcompare.model.events import ARG_COLUMNS, ArgKind, Category
from tests.sources.layouts import Json


def events_of(content: bytes) -> list[Json]:
    """All elements of traceEvents, numbers with a point as Decimals."""
    text = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    events: list[Json] = json.loads(text, parse_float=Decimal)["traceEvents"]
    return events


def naive_rows(events: list[Json], every: int = 1) -> list[Json]:
    """Kept events of a valid trace in file order; of so many, one."""
    kept = [event for event in events if event["ph"] == "X" or (event["ph"] == "i" and event["name"] == "[memory]")]
    return [_row(event) for event in kept[::every]]


def naive_flows(events: list[Json]) -> list[tuple[bool, int, int]]:
    """(is start, id, ns) of the forward-backward arrows."""
    return [
        (event["ph"] == "s", event["id"], _ns(event["ts"]))
        for event in events
        if event["ph"] in "sf" and event.get("cat", "").lower() in FLOW_CATEGORIES
    ]


def _ns(us: Any) -> int:
    return int((Decimal(us) * 1000).to_integral_value(ROUND_HALF_EVEN))


def _row(event: Json) -> Json:
    args = event.get("args") or {}
    memory = event["ph"] == "i"
    cat = event.get("cat", "")
    row = {
        "category": Category.MEMORY if memory else category_of(cat, event["name"]),
        "cat": cat,
        "name": event["name"],
        "pid": event["pid"],
        "tid": event["tid"],
        "start_ns": _ns(event["ts"]),
        "dur_ns": 0 if memory else max(_ns(event["dur"]), 0),
        "external_id": args.get("external id", args.get("External id")),
        "correlation": args.get("correlation"),
    }
    for column in ARG_COLUMNS:
        value = None
        for key in column.keys:
            if value is None and key in args:
                value = args[key]
        if column.kind is ArgKind.JSON:
            if value is not None:
                row[column.name] = _with_floats(value)
        elif isinstance(value, (int, Decimal)) or (isinstance(value, str) and value.isdigit()):
            row[column.name] = int(value) if column.kind is ArgKind.INT else float(value)
    return row


def _with_floats(value: Any) -> Any:
    return json.loads(json.dumps(value, default=float))
