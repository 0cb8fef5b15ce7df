"""Steps of drawn traces, and what is asked of them."""

from __future__ import annotations

from tb_perfcompare.analysis.step_view.step_events import StepCutter
from tb_perfcompare.model.summary.step_events import KINDS, StepEvents
from tests.analysis.summaries import recording
from tests.build import TraceBuilder
from tests.picture import picture

US = 1000

TWO_STEPS = """
main     |[ProfilerStep#1.......][ProfilerStep#2.......]
main     | [aten::mm....]         [aten::mm....]
main     |  [aten::addmm]          [aten::addmm]
main.api |   a   b                  a   b
stream7  |    aaa bbb                aaaa bbb
"""
"""250 us of marker each; in the second one the first kernel takes 10 us longer."""


def two_steps() -> TraceBuilder:
    return picture(TWO_STEPS, names={"a": "gemm", "b": "relu"})


def cut(trace: TraceBuilder, label: str = "1", window: str = "device") -> StepEvents:
    """One step of a drawn trace."""
    return StepCutter(recording(trace), window, "worker0", "1").cut(label)


def named(step: StepEvents, name: str) -> list[int]:
    """Numbers of the events of a name, by time."""
    found = [number for number in range(len(step)) if step.names[int(step.name[number])].name == name]
    return sorted(found, key=lambda number: int(step.start_ns[number]))


def spans_us(step: StepEvents, name: str) -> list[tuple[float, float]]:
    """(start, end) of the events of a name, in microseconds from the step's beginning."""
    return [(int(step.start_ns[n]) / US, int(step.end_ns[n]) / US) for n in named(step, name)]


def lanes(step: StepEvents) -> list[tuple[str, str, int]]:
    """(key, name, rows) of the lanes."""
    return [(lane.key, lane.name, lane.rows) for lane in step.lanes]


def kinds(step: StepEvents, name: str) -> set[str]:
    """What the events of a name are drawn as."""
    return {KINDS[step.names[int(step.name[n])].kind] for n in named(step, name)}
