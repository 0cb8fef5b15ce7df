"""Pictures of steps for a tab that zooms: steps are cut out of their files once, and laid out again at each zoom."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from tb_perfcompare.comparison.alignment.step_matches import StepMatches
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.summary.step_events import StepEvents, StepFacts
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.workspace.inputs.sides import CaptureFile, Side
from tb_perfcompare.workspace.jobs.step_jobs import ExcerptSide, NoEvents, StepJob, match_steps, read_steps, trace_file
from tb_perfcompare.workspace.queries.step_choice import SAME, TYPICAL, WORST, StepChoice, StepList, choose, step_list
from tb_perfcompare.workspace.queries.step_responses import (
    Area,
    Stretch,
    compared_area,
    drawn_event,
    drawn_step,
    nothing_drawn,
)
from tb_perfcompare.workspace.sharing.byte_cache import ByteCache
from tb_perfcompare.workspace.sharing.single_flight import Flight, SingleFlight, finished

if TYPE_CHECKING:
    from tb_perfcompare.model.progress import Reporter
    from tb_perfcompare.workspace.queries.computations import Computations

_LIST_CACHE_BYTES = 16 * 2**20
_STEP_CACHE_BYTES = 192 * 2**20
_MATCH_CACHE_BYTES = 32 * 2**20
_ANSWER_CACHE_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class ChosenSide:
    """A side, one step of which is asked for."""

    side: Side
    step: StepChoice = field(default_factory=StepChoice)


@dataclass(frozen=True, slots=True)
class StepQuestion:
    """Everything a picture depends on. Equal questions have equal answers.

    own, other    the step that is drawn, and the one whose events are its counterparts
    own_is_baseline  differences are candidate minus baseline
    stretch       what is drawn of it, None for all
    event         the number of one event whose figures are asked for, instead of a picture
    area          where the differences of the two steps are asked for, instead of a picture
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
    """What a workspace shows of single steps."""

    def __init__(self, computations: Computations) -> None:
        self._computations = computations
        self._cut: ByteCache[StepEvents] = ByteCache(_STEP_CACHE_BYTES)
        self._lists: SingleFlight[StepList] = SingleFlight(ByteCache(_LIST_CACHE_BYTES))
        self._steps: SingleFlight[StepEvents] = SingleFlight(self._cut)
        self._matches: SingleFlight[StepMatches] = SingleFlight(ByteCache(_MATCH_CACHE_BYTES))
        self._answers: SingleFlight[bytes] = SingleFlight(ByteCache(_ANSWER_CACHE_BYTES))

    def ask(self, question: StepQuestion) -> AbstractContextManager[Flight[bytes]]:
        """The answer, done, under way or started now, for as long as the body lasts."""
        return self._answers.joined(question, lambda flight: self._answer_or_reason(question, flight))

    def answer(self, question: StepQuestion, report: Reporter) -> bytes:
        """`ask` and wait. Leaves when `report` raises; work without a waiting caller ends."""
        return finished(self.ask(question), report).result()

    def steps(self, side: Side, window: str, report: Reporter) -> StepList:
        """The steps of a side."""

        def make(flight: Flight[StepList]) -> StepList:
            return step_list(self._computations.load(side, window, flight.report))

        return finished(self._lists.joined((side, window), make), report).result()

    def chosen(self, chosen: ChosenSide, window: str, report: Reporter) -> tuple[StepFacts, CaptureFile]:
        """The step that is meant and the file that holds it. Raises SelectionError, also for what has no events."""
        found = self.steps(chosen.side, window, report)
        if found.absent:
            raise SelectionError(f"{chosen.side.source} has no events to draw", hint=found.absent)
        facts = choose(found.steps, chosen.step, chosen.side.source)
        return facts, _file_of(chosen.side, facts)

    def excerpt(self, sides: tuple[ExcerptSide, ...], compress: bool, report: Reporter) -> bytes:
        """A trace with the stretches of these sides."""
        files = [side.file for side in sides]
        key = (sides, compress)

        def make(flight: Flight[bytes]) -> bytes:
            return self._computations.work(trace_file, (sides, compress), flight, files)

        return finished(self._answers.joined(key, make), report).result()

    def close(self) -> None:
        """Ends work under way."""
        kinds: tuple[SingleFlight[Any], ...] = (self._answers, self._matches, self._steps, self._lists)
        for work in kinds:
            work.cancel_all()

    def _answer_or_reason(self, question: StepQuestion, flight: Flight[bytes]) -> bytes:
        try:
            return self._answer(question, flight)
        except NoEvents as error:
            return nothing_drawn(f"not measured: {error}")

    def _answer(self, question: StepQuestion, flight: Flight[bytes]) -> bytes:
        question = self.agreed(question, flight.report)
        listing = self.steps(question.own.side, question.window, flight.report)
        if listing.absent:
            return nothing_drawn(listing.absent)
        question = self.labelled(question, flight.report)
        facts, own = self._step(question.own, question.window, flight.report)
        other: tuple[StepEvents, StepMatches] | None = None
        if question.other is not None:
            other_facts, events = self._step(question.other, question.window, flight.report)
            jobs = (
                _job(question.own.side, facts, question.window), _job(question.other.side, other_facts, question.window)
            )  # fmt: skip
            if question.area is not None:
                return compared_area(*((own, events) if question.own_is_baseline else (events, own)), question.area)
            other = (events, self._match((own, events), jobs, flight))
        if question.event is not None:
            return drawn_event(own, question.event, other)
        return drawn_step(
            own, facts, listing.steps, other, question.stretch, question.find,
            own_is_baseline=question.own_is_baseline,
        )  # fmt: skip

    def agreed(self, question: StepQuestion, report: Reporter) -> StepQuestion:
        """With the marker of steps by which the two sides are compared."""
        own, other = question.own, question.other
        if other is None or own.side.marker or other.side.marker:
            return question
        one, two = self._computations.agreed((own.side, other.side), question.window, report)
        return replace(question, own=replace(own, side=one), other=replace(other, side=two))

    def labelled(self, question: StepQuestion, report: Reporter) -> StepQuestion:
        """With the label that SAME means. Raises SelectionError if it means nothing."""
        sides = [question.own, question.other]
        for at, other in ((0, sides[1]), (1, sides[0])):
            one = sides[at]
            if one is None or one.step.choice != SAME:
                continue
            if other is None or other.step.choice == SAME:
                hint = f"choose {TYPICAL}, {WORST} or a label"
                raise SelectionError(f"{SAME!r} means the other side's step, and there is none", hint=hint)
            facts, _ = self.chosen(other, question.window, report)
            sides[at] = replace(one, step=replace(one.step, choice=facts.label))
        assert sides[0] is not None
        return replace(question, own=sides[0], other=sides[1])

    def _step(self, chosen: ChosenSide, window: str, report: Reporter) -> tuple[StepFacts, StepEvents]:
        facts, file = self.chosen(chosen, window, report)
        job = _job(chosen.side, facts, window)

        def make(flight: Flight[StepEvents]) -> StepEvents:
            found = self._computations.work(read_steps, (job,), flight, [file])
            for step in found[1:]:
                self._cut.put(replace(job, label=step.label), step)
            return found[0]

        return facts, finished(self._steps.joined(job, make), report).result()

    def _match(
        self, steps: tuple[StepEvents, StepEvents], jobs: tuple[StepJob, StepJob], flight: Flight[bytes]
    ) -> StepMatches:
        """Computed once for both sides: a request for the other one gets it reversed."""
        turned = repr(jobs[1]) < repr(jobs[0])
        ordered = steps[::-1] if turned else steps

        def make(own: Flight[StepMatches]) -> StepMatches:
            return self._computations.work(match_steps, ordered, own, ())

        found = finished(self._matches.joined(jobs[::-1] if turned else jobs, make), flight.report).result()
        return found.turned(steps[0]) if turned else found


def _file_of(side: Side, facts: StepFacts) -> CaptureFile:
    return next(file for file in side.files if (file.worker, file.span) == (facts.worker, facts.span))


def _job(side: Side, facts: StepFacts, window: str) -> StepJob:
    return StepJob(_file_of(side, facts), window, facts.label, side.marker)
