"""The JSON of a step's picture: columns per row, as differences where those are short (plugin/http_api.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.alignment.step_matches import StepMatches
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.summary.step_events import (
    KINDS,
    NOBODY,
    EventName,
    Lane,
    NameDifference,
    NameTotals,
    StepDetail,
    StepEvents,
    StepFacts,
)
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.wire.wire_rows import encoded

STEP_SCHEMA = "tb_perfcompare.step/1"
AREA_SCHEMA = "tb_perfcompare.step_area/1"

LONGEST_NAME = 400
"""Longer names lose their middle here; api/step_event has them whole."""

MOST_STEPS = 3000
"""Steps listed in one answer."""

MOST_DIFFERENCES = 200
"""Names whose difference between two steps is listed in one answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Counterparts:
    """The events of another step that those of this one are.

    partner  (n,) int32 number there, NOBODY without one
    change   (n,) int64 candidate minus baseline: of an event without counterpart its whole duration, with its sign
    """

    partner: NDArray[np.int32]
    change: Ints


def counterparts(own: StepEvents, other: StepEvents, matches: StepMatches, *, own_is_baseline: bool) -> Counterparts:
    """What the answers about `own` say of `other`; `matches.of_a` is about `own`."""
    there = np.where(matches.of_a == NOBODY, 0, other.dur_ns[matches.of_a] if len(other) else 0)
    change = there - own.dur_ns
    return Counterparts(matches.of_a, change if own_is_baseline else -change)


def absent_answer(why: str) -> bytes:
    """The answer about a source without events."""
    return encoded({"schema": STEP_SCHEMA, "version": __version__, "absent": why})


def step_answer(
    step: StepEvents,
    marks: StepDetail,
    about: Mapping[str, Any],
    pair: Counterparts | None,
    sums: tuple[Ints, Ints],
    hits: Ints | None,
) -> bytes:
    """
    about  what is added to the head: the chosen step, the steps there are
    pair   counterparts of the events, None where no other step was named
    sums   per mark: change over its events, events without counterpart
    hits   per mark: events that were searched for, None where nothing was
    """
    used, local = np.unique(marks.name, return_inverse=True)
    rows = _rows(step, marks, local.reshape(-1), pair, sums, hits)
    whole = step.extent[0] >= marks.first_ns and step.extent[1] <= marks.last_ns
    return encoded({
        "schema": STEP_SCHEMA,
        "version": __version__,
        "absent": "",
        **about,
        "total_ns": step.total_ns,
        "extent": list(step.extent),
        "from": marks.first_ns,
        "to": marks.last_ns,
        "cell_ns": marks.cell_ns,
        "complete": bool(whole and (marks.count == 1).all()),
        "events": len(step),
        "kinds": list(KINDS),
        "names": [_name(step.names[code]) for code in used.tolist()],
        "lanes": [_lane(step, lane) for lane in step.lanes],
        "rows": rows,
        "left_out": [[why, count] for why, count in step.left_out.items()],
    })  # fmt: skip


def _rows(
    step: StepEvents, marks: StepDetail, name: Ints, pair: Counterparts | None, sums: tuple[Ints, Ints],
    hits: Ints | None,
) -> list[msgspec.Raw]:  # fmt: skip
    encoded_rows = []
    bounds = np.searchsorted(marks.row, np.arange(step.rows + 1))
    for row in range(step.rows):
        part = slice(int(bounds[row]), int(bounds[row + 1]))
        if part.start == part.stop:
            continue
        start, end = marks.start_ns[part], marks.end_ns[part]
        before = np.concatenate([[marks.first_ns], end[:-1]])
        body: dict[str, Any] = {
            "row": row,
            "first": int(marks.event[part.start]),
            "gap": (start - before).tolist(),
            "dur": (end - start).tolist(),
            "name": name[part].tolist(),
        }
        many = np.flatnonzero(marks.count[part] > 1)
        if len(many):
            body["merged"] = {
                "at": many.tolist(),
                "count": marks.count[part][many].tolist(),
                "total": marks.total_ns[part][many].tolist(),
            }
            if pair is not None:
                body["merged"]["alone"] = sums[1][part][many].tolist()
        alone = marks.count[part] == 1
        events = marks.event[part]
        if pair is not None:
            body["match"] = _differences(np.where(alone, pair.partner[events], NOBODY))
            body["change"] = sums[0][part].tolist()
        for key, column in (("operator", step.operator), ("launcher", step.launcher)):
            linked = np.where(alone, column[events], NOBODY)
            if (linked != NOBODY).any():
                body[key] = _known_differences(linked)
        if hits is not None:
            body["hits"] = hits[part].tolist() if hits[part].any() else []
        encoded_rows.append(msgspec.Raw(encoded(body)))
    return encoded_rows


def _differences(numbers: NDArray[np.integer]) -> list[int]:
    """Distinct numbers from 0 up as differences to the one before; 0 is NOBODY."""
    known = numbers != NOBODY
    out = np.zeros(len(numbers), dtype=np.int64)
    out[known] = np.diff(numbers[known].astype(np.int64) + 1, prepend=0)
    return out.tolist()


def _known_differences(numbers: NDArray[np.integer]) -> list[int | None]:
    """Numbers from 0 up as differences to the one before; null is NOBODY."""
    known = numbers != NOBODY
    out: list[int | None] = [None] * len(numbers)
    places, steps = np.flatnonzero(known).tolist(), np.diff(numbers[known].astype(np.int64), prepend=0).tolist()
    for place, step in zip(places, steps, strict=True):
        out[place] = step
    return out


def _name(name: EventName) -> list[Any]:
    """[text, kind] and, where it is another, the text that joins both runs."""
    text = shortened(name.name)
    return [text, name.kind] if name.key == name.name else [text, name.kind, shortened(name.key)]


def shortened(text: str) -> str:
    """Kernels of one family differ at their ends: the middle goes."""
    if len(text) <= LONGEST_NAME:
        return text
    tail = LONGEST_NAME // 3
    return f"{text[: LONGEST_NAME - tail - 1]}…{text[-tail:]}"


def _lane(step: StepEvents, lane: Lane) -> dict[str, Any]:
    first, last = np.searchsorted(step.row, [lane.first, lane.first + lane.rows]).tolist()
    top = int(np.searchsorted(step.row, lane.first + 1))
    inside = np.minimum(step.end_ns[first:top], step.extent[1]) - np.maximum(step.start_ns[first:top], step.extent[0])
    return {
        "key": lane.key, "kind": lane.kind, "name": lane.name, "first": lane.first, "rows": lane.rows,
        "events": last - first, "busy_ns": int(inside.sum()),
    }  # fmt: skip


def chosen_dict(facts: StepFacts) -> dict[str, Any]:
    """One step of the list."""
    return {
        "worker": facts.worker, "span": facts.span, "label": facts.label, "total_ns": facts.total_ns,
        "reason": facts.reason,
    }  # fmt: skip


def listed(steps: Sequence[StepFacts]) -> dict[str, Any]:
    """All steps as columns; those beyond MOST_STEPS are counted."""
    shown = steps[:MOST_STEPS]
    rest = len(steps) - len(shown)
    columns = {
        "worker": [step.worker for step in shown],
        "span": [step.span for step in shown],
        "label": [step.label for step in shown],
        "total_ns": [step.total_ns for step in shown],
        "reason": [step.reason for step in shown],
        "drawable": [step.drawable for step in shown],
    }
    return {"steps": columns, **({"steps_left_out": rest} if rest else {})}


def area_answer(differences: Sequence[NameDifference]) -> bytes:
    """What differs between two steps in an area that was chosen."""
    kinds = {"kinds": list(KINDS)}
    return encoded({"schema": AREA_SCHEMA, "version": __version__, **kinds, **differences_dict(differences)})


def differences_dict(differences: Sequence[NameDifference]) -> dict[str, Any]:
    """The largest differences between two steps by name, as columns; the rest is counted and summed."""
    shown = differences[:MOST_DIFFERENCES]
    rest = differences[MOST_DIFFERENCES:]

    def column(side: int, of: Callable[[NameTotals], int]) -> list[int | None]:
        return [None if (one := each.sides[side]) is None else of(one) for each in shown]

    columns: dict[str, Any] = {"name": [shortened(each.name) for each in shown], "kind": [each.kind for each in shown]}
    for side, called in enumerate(("baseline", "candidate")):
        columns[f"{called}_calls"] = column(side, lambda one: one.calls)
        columns[f"{called}_ns"] = column(side, lambda one: one.own_ns)
        columns[f"{called}_event"] = column(side, lambda one: one.longest)
    left_out = {"names": len(rest), "delta_ns": sum(each.delta_ns for each in rest)}
    return {"differences": columns, "differences_left_out": left_out}
