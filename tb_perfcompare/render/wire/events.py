"""The JSON of one event of a step and of its counterpart (plugin/http_api.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import msgspec

from tb_perfcompare._version import __version__
from tb_perfcompare.model.summary.step_events import KINDS, EventFigures, Lane, StepEvents
from tb_perfcompare.render.wire.steps import shortened
from tb_perfcompare.render.wire.wire_rows import encoded

EVENT_SCHEMA = "tb_perfcompare.step_event/1"


class LinkDict(TypedDict):
    """An event linked to another, such as a launch and its kernel."""

    event: int
    role: str
    row: int
    start_ns: int
    dur_ns: int
    name: str


class EventFactsDict(TypedDict):
    """One event with all its figures, enclosing events and links."""

    event: int
    name: str
    kind: str
    lane: str
    lane_kind: str
    row: int
    start_ns: int
    dur_ns: int
    self_ns: int | None
    device_ns: int | None
    launches: int | None
    queue_ns: int | None
    idle_ns: int | None
    same_count: int
    same_ns: int
    enclosing: Sequence[str]
    linked: Sequence[LinkDict]
    args: Mapping[str, Any]


class EventAnswerDict(TypedDict):
    """Answer of api/step_event."""

    schema: Annotated[str, (EVENT_SCHEMA,)]
    version: str
    event: EventFactsDict
    counterpart: EventFactsDict | None
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
        "enclosing": list(figures.enclosing),
        "linked": [
            {
                "event": link.event, "role": link.role, "row": int(step.row[link.event]),
                "start_ns": int(step.start_ns[link.event]), "dur_ns": int(step.dur_ns[link.event]),
                "name": shortened(step.names[int(step.name[link.event])].name),
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
