"""Responses about a step to draw: columns per row, delta-encoded where that is shorter (plugin/http_api.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.alignment.step_matches import StepMatches
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.names.short_names import short_names
from tb_perfcompare.model.summary.step_events import (
    KINDS,
    NO_EVENT,
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
"""Longer names are cut in the middle; api/step_event has them in full."""

MAX_STEPS = 3000
"""Maximum number of steps listed in a response."""

MAX_DIFFERENCES = 200
"""Maximum number of names whose difference between two steps is listed in a response."""


@dataclass(frozen=True, slots=True, eq=False)
class Counterparts:
    """The counterpart of each event in the other step.

    partner  (n,) int32 event number in the other step, NO_EVENT without a counterpart
    change   (n,) int64 duration in ns, candidate minus baseline; an absent counterpart counts as 0
    """

    partner: NDArray[np.int32]
    change: Ints


def counterparts(own: StepEvents, other: StepEvents, matches: StepMatches, *, own_is_baseline: bool) -> Counterparts:
    """Returns the counterparts of the events of `own` in `other`; `matches.of_a` is for the events of `own`."""
    counterpart_ns = np.where(matches.of_a == NO_EVENT, 0, other.dur_ns[matches.of_a] if len(other) else 0)
    change = counterpart_ns - own.dur_ns
    return Counterparts(matches.of_a, change if own_is_baseline else -change)


def absent_answer(why: str) -> bytes:
    """Encodes the response about a source without events, with the reason."""
    return encoded({"schema": STEP_SCHEMA, "version": __version__, "absent": why})


def step_answer(
    step: StepEvents,
    marks: StepDetail,
    about: Mapping[str, Any],
    pair: Counterparts | None,
    sums: tuple[Ints, Ints],
    hits: Ints | None,
) -> bytes:
    """Encodes the marks to draw of a step.

    about  further members of the response: the chosen step, the list of steps, ...
    pair   counterparts of the events; None without another step
    sums   per mark: (sum of its events' changes, number of its events without counterpart)
    hits   per mark: number of its events found by the search; None without a search
    """
    used, local = np.unique(marks.name, return_inverse=True)
    rows = _rows(step, marks, local.reshape(-1), pair, sums, hits)
    is_whole = step.extent[0] >= marks.first_ns and step.extent[1] <= marks.last_ns
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
        "complete": bool(is_whole and (marks.count == 1).all()),
        "events": len(step),
        "kinds": list(KINDS),
        "names": [_name(step.names[code]) for code in used.tolist()],
        "short_names": _short_names(step.names[code].name for code in used.tolist()),
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
            body["match"] = _differences(np.where(alone, pair.partner[events], NO_EVENT))
            body["change"] = sums[0][part].tolist()
        for key, column in (("operator", step.operator), ("launcher", step.launcher)):
            linked = np.where(alone, column[events], NO_EVENT)
            if (linked != NO_EVENT).any():
                body[key] = _sparse_differences(linked)
        if hits is not None:
            body["hits"] = hits[part].tolist() if hits[part].any() else []
        encoded_rows.append(msgspec.Raw(encoded(body)))
    return encoded_rows


def _differences(numbers: NDArray[np.integer]) -> list[int]:
    """Delta-encodes distinct numbers from 0 up, each as its difference to the previous one; NO_EVENT becomes 0."""
    matched = numbers != NO_EVENT
    out = np.zeros(len(numbers), dtype=np.int64)
    out[matched] = np.diff(numbers[matched].astype(np.int64) + 1, prepend=0)
    return out.tolist()


def _sparse_differences(numbers: NDArray[np.integer]) -> list[int | None]:
    """Delta-encodes numbers from 0 up, each as its difference to the previous one; NO_EVENT becomes null."""
    linked = numbers != NO_EVENT
    out: list[int | None] = [None] * len(numbers)
    indices, steps = np.flatnonzero(linked).tolist(), np.diff(numbers[linked].astype(np.int64), prepend=0).tolist()
    for index, step in zip(indices, steps, strict=True):
        out[index] = step
    return out


def _name(name: EventName) -> list[Any]:
    """Returns [text, kind], and the key that pairs names across runs if it differs from the text."""
    text = shortened(name.name)
    return [text, name.kind] if name.key == name.name else [text, name.kind, shortened(name.key)]


def shortened(text: str) -> str:
    """Cuts the middle of a name longer than LONGEST_NAME: kernels of a family differ at their ends."""
    if len(text) <= LONGEST_NAME:
        return text
    tail = LONGEST_NAME // 3
    return f"{text[: LONGEST_NAME - tail - 1]}…{text[-tail:]}"


def _short_names(names: Iterable[str]) -> list[str]:
    return list(map(shortened, short_names(list(names))))


def _lane(step: StepEvents, lane: Lane) -> dict[str, Any]:
    first, last = np.searchsorted(step.row, [lane.first, lane.first + lane.rows]).tolist()
    top = int(np.searchsorted(step.row, lane.first + 1))
    inside = np.minimum(step.end_ns[first:top], step.extent[1]) - np.maximum(step.start_ns[first:top], step.extent[0])
    return {
        "key": lane.key, "kind": lane.kind, "name": lane.name, "first": lane.first, "rows": lane.rows,
        "events": last - first, "busy_ns": int(inside.sum()),
    }  # fmt: skip


_FACTS = ("worker", "span", "label", "total_ns", "reason")
"""Fields of StepFacts."""


def step_facts_dict(facts: StepFacts) -> dict[str, Any]:
    """Returns the chosen step's facts."""
    return {name: getattr(facts, name) for name in _FACTS}


def step_list_dict(steps: Sequence[StepFacts]) -> dict[str, Any]:
    """Returns the list of all steps as columns; steps beyond MAX_STEPS are only counted."""
    shown = steps[:MAX_STEPS]
    rest = len(steps) - len(shown)
    columns = {name: [getattr(step, name) for step in shown] for name in (*_FACTS, "drawable")}
    return {"steps": columns, **({"steps_left_out": rest} if rest else {})}


def area_answer(differences: Sequence[NameDifference]) -> bytes:
    """Encodes the differences between two steps within an area."""
    kinds = {"kinds": list(KINDS)}
    return encoded({"schema": AREA_SCHEMA, "version": __version__, **kinds, **differences_dict(differences)})


def differences_dict(differences: Sequence[NameDifference]) -> dict[str, Any]:
    """Returns the largest differences between two steps by name, as columns; the others are counted and summed."""
    shown = differences[:MAX_DIFFERENCES]
    rest = differences[MAX_DIFFERENCES:]

    def column(side: int, of: Callable[[NameTotals], int]) -> list[int | None]:
        return [None if (totals := name.sides[side]) is None else of(totals) for name in shown]

    columns: dict[str, Any] = {"name": [shortened(name.name) for name in shown], "kind": [name.kind for name in shown]}
    columns["short_name"] = _short_names(name.name for name in shown)
    for side, side_name in enumerate(SIDES):
        columns[f"{side_name}_calls"] = column(side, lambda totals: totals.calls)
        columns[f"{side_name}_ns"] = column(side, lambda totals: totals.own_ns)
        columns[f"{side_name}_event"] = column(side, lambda totals: totals.longest)
    left_out = {"names": len(rest), "delta_ns": sum(name.delta_ns for name in rest)}
    return {"differences": columns, "differences_left_out": left_out}
