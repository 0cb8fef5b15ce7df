"""The JSON of one event of a step and of its counterpart (plugin/http_api.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import msgspec

from tb_perfcompare._version import __version__
from tb_perfcompare.model.names.short_names import short_name
from tb_perfcompare.model.summary.step_events import KINDS, EventFigures, Lane, StepEvents
from tb_perfcompare.render.wire.steps import shortened
from tb_perfcompare.render.wire.wire_rows import encoded

EVENT_SCHEMA = "tb_perfcompare.step_event/1"


class LinkDict(TypedDict):
    """An event linked to another, such as a launch and its kernel."""

    event: Annotated[int, "index of the linked event in the step"]
    role: Annotated[str, "`operator` or `launcher`: called or launched this one; `launched`: launched by it"]
    row: Annotated[int, "row of the picture that shows it, from 0"]
    start_ns: Annotated[int, "nanoseconds from the start of the step; negative: before it"]
    dur_ns: Annotated[int, "duration in nanoseconds"]
    name: Annotated[str, "name as recorded, cut if very long"]
    short_name: Annotated[str, "name for narrow places"]


class EventFactsDict(TypedDict):
    """One event with all its figures, enclosing events and links."""

    event: Annotated[int, "index of the event in the step"]
    name: Annotated[str, "name as recorded"]
    kind: Annotated[str, "type of event, such as `operator` or `kernel`"]
    lane: Annotated[str, "lane that shows it, such as `GPU 0 stream 7`"]
    lane_kind: Annotated[
        str,
        "contents of the lane: stream, communication, copies, ranges, waits, host, calls, python, overhead or other",
    ]
    row: Annotated[int, "row of the picture that shows it, from 0"]
    start_ns: Annotated[int, "nanoseconds from the start of the step; negative: before it"]
    dur_ns: Annotated[int, "duration in nanoseconds"]
    self_ns: Annotated[int | None, "duration excluding direct children; null if not applicable"]
    device_ns: Annotated[int | None, "total duration of the device work launched inside; null if not applicable"]
    launches: Annotated[int | None, "number of those launches; null if not applicable"]
    queue_ns: Annotated[int | None, "time from the start of the launching API call; null if not applicable"]
    idle_ns: Annotated[int | None, "time since the end of the previous event in the row; null if not applicable"]
    same_count: Annotated[int, "number of events of this name in the step, including this one"]
    same_ns: Annotated[int, "total duration of those events"]
    enclosing: Annotated[Sequence[str], "short names of the enclosing events, outermost first"]
    linked: Annotated[Sequence[LinkDict], "events that called or launched this one, and events launched by it"]
    args: Annotated[Mapping[str, Any], "argument name -> recorded value"]


class EventAnswerDict(TypedDict):
    """Answer of api/step_event."""

    schema: Annotated[str, "name and number of this schema", (EVENT_SCHEMA,)]
    version: Annotated[str, "tb_perfcompare version"]
    event: Annotated[EventFactsDict, "the requested event"]
    counterpart: Annotated[EventFactsDict | None, "matched event of the other step; null if there is none"]
    renamed: Annotated[bool, "whether the counterpart has another name and was matched by position"]


def event_dict(step: StepEvents, figures: EventFigures, lane: Lane) -> EventFactsDict:
    """Returns one event with all its figures, enclosing events and links."""
    event = figures.event
    name = step.names[int(step.name[event])]
    return {
        "event": event,
        "name": name.name,
        "kind": KINDS[name.kind],
        "lane": lane.name,
        "lane_kind": lane.kind,
        "row": int(step.row[event]),
        "start_ns": int(step.start_ns[event]),
        "dur_ns": int(step.dur_ns[event]),
        "self_ns": figures.self_ns,
        "device_ns": figures.device_ns,
        "launches": figures.launches,
        "queue_ns": figures.queue_ns,
        "idle_ns": figures.idle_ns,
        "same_count": figures.same_count,
        "same_ns": figures.same_ns,
        "enclosing": list(map(short_name, figures.enclosing)),
        "linked": [
            {
                "event": link.event, "role": link.role, "row": int(step.row[link.event]),
                "start_ns": int(step.start_ns[link.event]), "dur_ns": int(step.dur_ns[link.event]),
                "name": shortened(recorded := step.names[int(step.name[link.event])].name),
                "short_name": shortened(short_name(recorded)),
            }
            for link in figures.linked
        ],
        "args": {key: _value(value) for key, value in figures.args.items()},
    }  # fmt: skip


def event_answer(own: EventFactsDict, other: EventFactsDict | None, renamed: bool) -> bytes:
    """Encodes an event and its counterpart (None without one)."""
    answer: EventAnswerDict = {
        "schema": EVENT_SCHEMA, "version": __version__, "event": own, "counterpart": other, "renamed": renamed,
    }  # fmt: skip
    return encoded(answer)


def _value(value: int | float | str) -> Any:
    """Decodes a text argument, which is JSON; returns it unchanged if it is damaged."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except msgspec.DecodeError:
        return value
