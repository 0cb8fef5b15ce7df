"""The part of a summary that a list of runs shows."""

from __future__ import annotations

from tb_perfcompare.model.arrays import Ints
from tb_perfcompare.model.note import Note
from tb_perfcompare.model.summary.iterations import Iterations
from tb_perfcompare.model.summary.summary import DeviceFacts, Summary
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Outline:
    """A Summary without its tables.

    `steps` are compared, `dropped` are not; `mean_step_us` is None if steps have no time; the rest is as in Summary.
    """

    format: str
    device: DeviceFacts
    marked: bool
    steps: int
    dropped: int
    mean_step_us: float | None
    iterations: Iterations | None
    notes: tuple[Note, ...]


def outline_of(summary: Summary) -> Outline:
    steps = summary.steps
    return Outline(
        summary.format, summary.device, summary.marked, len(steps), len(summary.dropped),
        mean_step_us(steps.total_ns) if summary.is_timed else None, summary.iterations, summary.notes,
    )  # fmt: skip


def mean_step_us(length_ns: Ints) -> float | None:
    """Mean of step durations, in microseconds; None without steps."""
    return float(length_ns.mean()) / 1000 if len(length_ns) else None
