"""A trace as a list of events: those of the file, or of a damaged file those that its columns hold."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import pytest
from hypothesis import given

from tb_perfcompare.errors import CorruptInput
from tb_perfcompare.sources.trace.torch_profiler import read_events, read_trace
from tests.build import TraceBuilder
from tests.strategies import traces

NAME = "worker0.1.pt.trace.json"
MEMBERS = ("ph", "cat", "name", "pid", "tid", "ts", "dur", "id")


def members_of(event: dict[str, Any]) -> dict[str, Any]:
    members = {key: event[key] for key in MEMBERS if event.get(key) is not None}
    return {**members, "args": event.get("args") or {}}


@given(traces())
def test_events_equal_those_of_the_document(trace: TraceBuilder) -> None:
    document = json.loads(trace.encode())
    found = read_events(io.BytesIO(trace.encode()), name=NAME)
    events = [members_of(event) for event in document.pop("traceEvents")]
    assert json.dumps([members_of(event) for event in found.events]) == json.dumps(events)
    assert (found.properties, found.notes) == (document, ())


@pytest.mark.parametrize("damaged", [lambda text: text[:700], lambda text: text.replace(b'"dur":', b'"dur":;', 1),
                                     lambda text: text.replace(b"aten::mm", b"aten::\xff")])  # fmt: skip
def test_damage_is_repaired_and_noted_as_for_columns(damaged: Any) -> None:
    trace = TraceBuilder(whole_us=True)
    for at in range(5):
        trace.op("aten::mm", 10 * at, 10 * at + 5, note="aten::mm")
    text = damaged(trace.encode())
    events, columns = (read(io.BytesIO(text), name=NAME) for read in (read_events, read_trace))
    assert 0 < len([event for event in events.events if event["ph"] == "X"]) == len(columns.events)
    assert events.notes and events.notes[0] == columns.notes[0]


def test_invalid_bytes_are_replaced_in_any_argument() -> None:
    trace = TraceBuilder(whole_us=True)
    trace.op("aten::mm", 0, 5, note="here")
    found = read_events(io.BytesIO(trace.encode().replace(b"here", b"\xff")), name=NAME)
    assert "�" in [event["args"].get("note") for event in found.events]
    assert found.notes[0].message == "repaired: bytes that are not UTF-8 (1)"


@pytest.mark.parametrize("number", [b"1e999", b"9" * 5000])
def test_a_number_beyond_a_double_is_infinite(number: bytes) -> None:
    trace = TraceBuilder(whole_us=True)
    trace.op("aten::mm", 0, 5, note=123456)
    found = read_events(io.BytesIO(trace.encode().replace(b"123456", number)), name=NAME)
    assert math.inf in [event["args"].get("note") for event in found.events]


def test_a_file_without_events_is_refused() -> None:
    with pytest.raises(CorruptInput, match="traceEvents is missing"):
        read_events(io.BytesIO(b"{}"), name=NAME)
