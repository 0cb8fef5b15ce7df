"""Step views for the tab: steps are cut out of their files once, and drawn again at each zoom level."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import field, replace
from typing import TYPE_CHECKING

from tb_perfcompare.comparison.alignment.step_matches import StepMatches
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.summary.step_events import StepEvents, StepFacts
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.wire.steps import absent_answer
from tb_perfcompare.workspace.inputs.sides import CaptureFile, Side
from tb_perfcompare.workspace.jobs.step_jobs import ExcerptSide, NoEvents, StepJob, match_steps, read_steps, trace_file
from tb_perfcompare.workspace.queries.step_choice import SAME, TYPICAL, WORST, StepChoice, StepList, choose, step_list
from tb_perfcompare.workspace.queries.step_responses import Area, Stretch, compared_area, drawn_event, drawn_step
from tb_perfcompare.workspace.sharing.single_flight import Flight, Kind, wait_for

if TYPE_CHECKING:
    from tb_perfcompare.model.progress import Reporter
    from tb_perfcompare.workspace.workspace import Workspace

_LISTS: Kind[StepList] = Kind("lists of steps", 16 * 2**20)
_STEPS: Kind[StepEvents] = Kind("steps", 192 * 2**20)
_MATCHES: Kind[StepMatches] = Kind("matches of steps", 32 * 2**20)
_ANSWERS: Kind[bytes] = Kind("responses about steps", 16 * 2**20)


@dataclass(frozen=True, slots=True)
class ChosenSide:
    """A side and the step of it that is requested."""

    side: Side
    step: StepChoice = field(default_factory=StepChoice)


@dataclass(frozen=True, slots=True)
class StepViewRequest:
    """Everything a response about a step depends on: equal requests have equal responses.

    own, other       the step to draw, and the step whose events are its counterparts
    own_is_baseline  sign of differences, which are candidate minus baseline
    stretch          the part to draw; None: all
    find             words to search event names for
    event            number of the event whose figures are requested instead of a drawing
    area             area whose differences between the two steps are requested instead of a drawing
    """

    own: ChosenSide
    other: ChosenSide | None = None
    own_is_baseline: bool = True
    window: str = "device"
    stretch: Stretch | None = None
    find: str = ""
    event: int | None = None
    area: Area | None = None


def ask(workspace: Workspace, request: StepViewRequest) -> AbstractContextManager[Flight[bytes]]:
    """Joins the computation of a response for the `with` body; see Workspace.ask."""
    return workspace.flights(_ANSWERS).joined(request, lambda flight: _answer_or_reason(workspace, request, flight))


def steps_of(workspace: Workspace, side: Side, window: str, report: Reporter) -> StepList:
    def make(flight: Flight[StepList]) -> StepList:
        return step_list(workspace.load(side, window, flight.report))

    return wait_for(workspace.flights(_LISTS).joined((side, window), make), report).result()


def chosen_step(
    workspace: Workspace, chosen: ChosenSide, window: str, report: Reporter
) -> tuple[StepFacts, CaptureFile]:
    """Returns (the requested step, the file that holds it). Raises SelectionError, also for a side without
    events."""
    listing = steps_of(workspace, chosen.side, window, report)
    if listing.absent:
        raise SelectionError(f"{chosen.side.source} has no events to draw", hint=listing.absent)
    facts = choose(listing.steps, chosen.step, chosen.side.source)
    return facts, _file_of(chosen.side, facts)


def excerpt(workspace: Workspace, sides: tuple[ExcerptSide, ...], compress: bool, report: Reporter) -> bytes:
    """Returns a trace file of the sides' steps."""
    files = [side.file for side in sides]
    key = (sides, compress)

    def make(flight: Flight[bytes]) -> bytes:
        return workspace.work(trace_file, (sides, compress), flight, files)

    return wait_for(workspace.flights(_ANSWERS).joined(key, make), report).result()


def _answer_or_reason(workspace: Workspace, request: StepViewRequest, flight: Flight[bytes]) -> bytes:
    try:
        return _answer(workspace, request, flight)
    except NoEvents as error:
        return absent_answer(f"not measured: {error}")


def _answer(workspace: Workspace, request: StepViewRequest, flight: Flight[bytes]) -> bytes:
    request = agreed(workspace, request, flight.report)
    listing = steps_of(workspace, request.own.side, request.window, flight.report)
    if listing.absent:
        return absent_answer(listing.absent)
    request = labeled(workspace, request, flight.report)
    facts, own = _step(workspace, request.own, request.window, flight.report)
    other: tuple[StepEvents, StepMatches] | None = None
    if request.other is not None:
        other_facts, events = _step(workspace, request.other, request.window, flight.report)
        jobs = (
            _job(request.own.side, facts, request.window), _job(request.other.side, other_facts, request.window)
        )  # fmt: skip
        if request.area is not None:
            return compared_area(*((own, events) if request.own_is_baseline else (events, own)), request.area)
        other = (events, _match(workspace, (own, events), jobs, flight))
    if request.event is not None:
        return drawn_event(own, request.event, other)
    return drawn_step(
        own, facts, listing.steps, other, request.stretch, request.find,
        own_is_baseline=request.own_is_baseline,
    )  # fmt: skip


def agreed(workspace: Workspace, request: StepViewRequest, report: Reporter) -> StepViewRequest:
    """Returns the request with the step marker by which the two sides are compared."""
    own, other = request.own, request.other
    if other is None or own.side.marker or other.side.marker:
        return request
    own_side, other_side = workspace.agreed((own.side, other.side), request.window, report)
    return replace(request, own=replace(own, side=own_side), other=replace(other, side=other_side))


def labeled(workspace: Workspace, request: StepViewRequest, report: Reporter) -> StepViewRequest:
    """Returns the request with SAME replaced by the label of the other side's step. Raises SelectionError if that
    has none."""
    sides = [request.own, request.other]
    for index, other in ((0, sides[1]), (1, sides[0])):
        side = sides[index]
        if side is None or side.step.choice != SAME:
            continue
        if other is None or other.step.choice == SAME:
            hint = f"choose {TYPICAL}, {WORST} or a label"
            raise SelectionError(f"{SAME!r} means the other side's step, and there is none", hint=hint)
        facts, _ = chosen_step(workspace, other, request.window, report)
        sides[index] = replace(side, step=replace(side.step, choice=facts.label))
    assert sides[0] is not None
    return replace(request, own=sides[0], other=sides[1])


def _step(workspace: Workspace, chosen: ChosenSide, window: str, report: Reporter) -> tuple[StepFacts, StepEvents]:
    facts, file = chosen_step(workspace, chosen, window, report)
    job = _job(chosen.side, facts, window)

    def make(flight: Flight[StepEvents]) -> StepEvents:
        steps = workspace.work(read_steps, (job,), flight, [file])
        for step in steps[1:]:
            workspace.flights(_STEPS).put(replace(job, label=step.label), step)
        return steps[0]

    return facts, wait_for(workspace.flights(_STEPS).joined(job, make), report).result()


def _match(
    workspace: Workspace, steps: tuple[StepEvents, StepEvents], jobs: tuple[StepJob, StepJob], flight: Flight[bytes]
) -> StepMatches:
    """Pairs the events of two steps, once for both directions: the request for the other side gets it reversed."""
    turned = repr(jobs[1]) < repr(jobs[0])
    ordered = steps[::-1] if turned else steps

    def make(own: Flight[StepMatches]) -> StepMatches:
        return workspace.work(match_steps, ordered, own, ())

    matches = wait_for(workspace.flights(_MATCHES).joined(jobs[::-1] if turned else jobs, make), flight.report).result()
    return matches.turned(steps[0]) if turned else matches


def _file_of(side: Side, facts: StepFacts) -> CaptureFile:
    return next(file for file in side.files if (file.worker, file.span) == (facts.worker, facts.span))


def _job(side: Side, facts: StepFacts, window: str) -> StepJob:
    return StepJob(_file_of(side, facts), window, facts.label, side.marker)
