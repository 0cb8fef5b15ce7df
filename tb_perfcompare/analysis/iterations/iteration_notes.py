"""What is said of the steps of a trace where profiler.step() did not mark them."""

from __future__ import annotations

from tb_perfcompare.analysis.iterations.step_ranges import TraceSteps
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary.iterations import ANNOTATION, DETECTED, GRAPH, OPTIMIZER, WHOLE, Marker
from tb_perfcompare.number_text import percent

_BY = {ANNOTATION: "annotation", OPTIMIZER: "training loop", GRAPH: "graph launch", DETECTED: "repeated name"}
_MOST_NAMED = 3


def iteration_notes(steps: TraceSteps, where: str) -> tuple[Note, ...]:
    """What delimits the steps and how sure that is; nothing for ProfilerStep."""
    told, chosen = steps.iterations, steps.iterations.chosen
    if chosen.origin == WHOLE:
        return (Note(NoteCode.NO_STEPS, _whole(told.tried), where),)
    if chosen.origin not in _BY:
        return ()
    parts = [
        f"steps are iterations by {_BY[chosen.origin]} {chosen.name}: {chosen.count:,} from one to the next, "
        f"{percent(chosen.coverage)} of the recording, {_sure(chosen)}"
    ]
    marks = steps.marks
    if marks is not None and marks.nested:
        parts.append(f"{marks.nested:,} that lie within another are left out")
    if marks is not None and marks.elsewhere:
        parts.append(f"{marks.elsewhere:,} on other threads are left out")
    others = [one for one in told.candidates if one != chosen and one.origin != WHOLE][:_MOST_NAMED]
    if others:
        parts.append(f"--step-marker chooses another: {', '.join(repr(one.asked_as) for one in others)}")
    return (Note(NoteCode.ITERATIONS, "; ".join(parts), where),)


def _sure(marker: Marker) -> str:
    if marker.alike is None:
        return "known by its name"
    return f"successive ones {percent(marker.alike)} alike in their calls"


def _whole(tried: str) -> str:
    found = f", and nothing that repeats ({tried} were tried)" if tried else ""
    return (
        f"no ProfilerStep markers{found}: the whole recording counts as one step; call profiler.step() in the loop"
        if tried else "the whole recording counts as one step, as asked"
    )  # fmt: skip
