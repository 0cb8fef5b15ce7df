"""Parses requests about one step, or about two steps whose events are matched."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tb_perfcompare.comparison.pairing.pairing import Selection
from tb_perfcompare.comparison.result.options import SIDES, WINDOWS
from tb_perfcompare.plugin.http.responses import BadRequest
from tb_perfcompare.plugin.requests.pair_request import choice, flag, marker_of
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.workspace.queries.step_choice import TYPICAL, StepChoice
from tb_perfcompare.workspace.queries.step_responses import DEFAULT_PIXELS, Area, Stretch

_MAX_PIXELS = 20_000
_MAX_WORDS = 32
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class OneStep:
    """A step: the run it is in, and which of its steps."""

    selection: Selection
    step: StepChoice


@dataclass(frozen=True, slots=True)
class StepRequest:
    """Parameters of api/step, api/step_event and api/trace; `side` says which side `own` is."""

    own: OneStep
    other: OneStep | None
    side: str
    window: str
    all_steps: bool
    marker: str = ""
    kind: str = ""


def step_request(query: Mapping[str, str]) -> StepRequest:
    """Parses the parameters that all routes about steps have. Raises BadRequest."""
    own = _one_step(query, query.get("run"), "")
    if own is None:
        raise BadRequest("run is missing", hint="it must name a run that api/runs lists")
    return StepRequest(
        own, _one_step(query, query.get("other"), "other_"), choice(query, "side", SIDES, SIDES[0]),
        choice(query, "step_window", WINDOWS, WINDOWS[0]), flag(query, "all_steps", default=False),
        marker_of(query), marker_of(query, "kind"),
    )  # fmt: skip


def stretch(query: Mapping[str, str]) -> Stretch | None:
    """Parses the part of the step to draw; None for the whole step. Raises BadRequest."""
    if not query.get("from") and not query.get("to"):
        return None
    first, last = _extent(query)
    pixels = _integer(query, "pixels") if query.get("pixels") else DEFAULT_PIXELS
    if not 1 <= pixels <= _MAX_PIXELS:
        raise BadRequest(f"pixels is {pixels}", hint=f"it must be a number from 1 to {_MAX_PIXELS}")
    return Stretch(first, last, pixels)


def area(query: Mapping[str, str]) -> Area:
    """Parses the area in which two steps are compared. Raises BadRequest."""
    if not query.get("other"):
        raise BadRequest("other is missing", hint="an area is compared between two steps")
    return Area(*_extent(query), _integer(query, "shift") if query.get("shift") else 0)


def find(query: Mapping[str, str]) -> str:
    """Parses the words to search for, "" for none. Raises BadRequest."""
    words = query.get("find") or ""
    if len(words.split()) > _MAX_WORDS:
        raise BadRequest(f"find has {len(words.split())} words", hint=f"at most {_MAX_WORDS} are taken")
    return words


def event(query: Mapping[str, str]) -> int:
    """Parses the number of an event. Raises BadRequest."""
    return _integer(query, "event")


def _one_step(query: Mapping[str, str], run: str | None, prefix: str) -> OneStep | None:
    if not run:
        return None
    selection = Selection(run, query.get(f"{prefix}worker") or None, query.get(f"{prefix}span") or None)
    return OneStep(
        selection,
        StepChoice(
            query.get(f"{prefix}step") or TYPICAL,
            query.get(f"{prefix}step_worker") or None,
            query.get(f"{prefix}step_span") or None,
        ),
    )


def _extent(query: Mapping[str, str]) -> tuple[int, int]:
    first, last = _integer(query, "from"), _integer(query, "to")
    if last <= first:
        raise BadRequest("to is not after from", hint="both are nanoseconds from the beginning of the step")
    return first, last


def _integer(query: Mapping[str, str], name: str) -> int:
    text = query.get(name) or ""
    if not _INTEGER.fullmatch(text):
        raise BadRequest(f"{name} is {text[:80]!r}", hint="it must be a whole number")
    return int(text)
