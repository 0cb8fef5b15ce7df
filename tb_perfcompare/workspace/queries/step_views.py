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
from tb_perfcompare.workspace.sharing.single_flight import Flight, SingleFlight, wait_for

if TYPE_CHECKING:
    from tb_perfcompare.model.progress import Reporter
    from tb_perfcompare.workspace.queries.computations import Computations

_LIST_CACHE_BYTES = 16 * 2**20
_STEP_CACHE_BYTES = 192 * 2**20
_MATCH_CACHE_BYTES = 32 * 2**20
_ANSWER_CACHE_BYTES = 16 * 2**20


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


class StepViews:
    """Answers requests for single steps with their events."""

    def __init__(self, computations: Computations) -> None:
        self._computations = computations
        self._lists: SingleFlight[StepList] = computations.flights(_LIST_CACHE_BYTES)
        self._steps: SingleFlight[StepEvents] = computations.flights(_STEP_CACHE_BYTES)
        self._matches: SingleFlight[StepMatches] = computations.flights(_MATCH_CACHE_BYTES)
        self._answers: SingleFlight[bytes] = computations.flights(_ANSWER_CACHE_BYTES)

    def ask(self, request: StepViewRequest) -> AbstractContextManager[Flight[bytes]]:
        """Joins the computation of a response for the `with` body; see Workspace.ask."""
        return self._answers.joined(request, lambda flight: self._answer_or_reason(request, flight))

    def answer(self, request: StepViewRequest, report: Reporter) -> bytes:
        """`ask`, then wait for the response. Stops waiting when `report` raises; work that no caller waits for is
        cancelled."""
        return wait_for(self.ask(request), report).result()

    def steps(self, side: Side, window: str, report: Reporter) -> StepList:
        """Lists the steps of a side."""

        def make(flight: Flight[StepList]) -> StepList:
            return step_list(self._computations.load(side, window, flight.report))

        return wait_for(self._lists.joined((side, window), make), report).result()

    def chosen(self, chosen: ChosenSide, window: str, report: Reporter) -> tuple[StepFacts, CaptureFile]:
        """Returns (the requested step, the file that holds it). Raises SelectionError, also for a side without
        events."""
        listing = self.steps(chosen.side, window, report)
        if listing.absent:
            raise SelectionError(f"{chosen.side.source} has no events to draw", hint=listing.absent)
        facts = choose(listing.steps, chosen.step, chosen.side.source)
        return facts, _file_of(chosen.side, facts)

    def excerpt(self, sides: tuple[ExcerptSide, ...], compress: bool, report: Reporter) -> bytes:
        """Returns a trace file of the sides' steps."""
        files = [side.file for side in sides]
        key = (sides, compress)

        def make(flight: Flight[bytes]) -> bytes:
            return self._computations.work(trace_file, (sides, compress), flight, files)

        return wait_for(self._answers.joined(key, make), report).result()

    def _answer_or_reason(self, request: StepViewRequest, flight: Flight[bytes]) -> bytes:
        try:
            return self._answer(request, flight)
        except NoEvents as error:
            return absent_answer(f"not measured: {error}")

    def _answer(self, request: StepViewRequest, flight: Flight[bytes]) -> bytes:
        request = self.agreed(request, flight.report)
        listing = self.steps(request.own.side, request.window, flight.report)
        if listing.absent:
            return absent_answer(listing.absent)
        request = self.labelled(request, flight.report)
        facts, own = self._step(request.own, request.window, flight.report)
        other: tuple[StepEvents, StepMatches] | None = None
        if request.other is not None:
            other_facts, events = self._step(request.other, request.window, flight.report)
            jobs = (
                _job(request.own.side, facts, request.window), _job(request.other.side, other_facts, request.window)
            )  # fmt: skip
            if request.area is not None:
                return compared_area(*((own, events) if request.own_is_baseline else (events, own)), request.area)
            other = (events, self._match((own, events), jobs, flight))
        if request.event is not None:
            return drawn_event(own, request.event, other)
        return drawn_step(
            own, facts, listing.steps, other, request.stretch, request.find,
            own_is_baseline=request.own_is_baseline,
        )  # fmt: skip

    def agreed(self, request: StepViewRequest, report: Reporter) -> StepViewRequest:
        """Returns the request with the step marker by which the two sides are compared."""
        own, other = request.own, request.other
        if other is None or own.side.marker or other.side.marker:
            return request
        own_side, other_side = self._computations.agreed((own.side, other.side), request.window, report)
        return replace(request, own=replace(own, side=own_side), other=replace(other, side=other_side))

    def labelled(self, request: StepViewRequest, report: Reporter) -> StepViewRequest:
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
            facts, _ = self.chosen(other, request.window, report)
            sides[index] = replace(side, step=replace(side.step, choice=facts.label))
        assert sides[0] is not None
        return replace(request, own=sides[0], other=sides[1])

    def _step(self, chosen: ChosenSide, window: str, report: Reporter) -> tuple[StepFacts, StepEvents]:
        facts, file = self.chosen(chosen, window, report)
        job = _job(chosen.side, facts, window)

        def make(flight: Flight[StepEvents]) -> StepEvents:
            steps = self._computations.work(read_steps, (job,), flight, [file])
            for step in steps[1:]:
                self._steps.put(replace(job, label=step.label), step)
            return steps[0]

        return facts, wait_for(self._steps.joined(job, make), report).result()

    def _match(
        self, steps: tuple[StepEvents, StepEvents], jobs: tuple[StepJob, StepJob], flight: Flight[bytes]
    ) -> StepMatches:
        """Pairs the events of two steps, once for both directions: the request for the other side gets it reversed."""
        turned = repr(jobs[1]) < repr(jobs[0])
        ordered = steps[::-1] if turned else steps

        def make(own: Flight[StepMatches]) -> StepMatches:
            return self._computations.work(match_steps, ordered, own, ())

        matches = wait_for(self._matches.joined(jobs[::-1] if turned else jobs, make), flight.report).result()
        return matches.turned(steps[0]) if turned else matches


def _file_of(side: Side, facts: StepFacts) -> CaptureFile:
    return next(file for file in side.files if (file.worker, file.span) == (facts.worker, facts.span))


def _job(side: Side, facts: StepFacts, window: str) -> StepJob:
    return StepJob(_file_of(side, facts), window, facts.label, side.marker)
