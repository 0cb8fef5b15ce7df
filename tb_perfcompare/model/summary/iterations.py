"""The event that marks the steps of a trace, and the alternatives."""

from __future__ import annotations

from tb_perfcompare.quick_dataclass import dataclass

PROFILER, ANNOTATION, OPTIMIZER, GRAPH, DETECTED, WHOLE = (
    "profiler", "annotation", "optimizer", "graph", "detected", "whole",
)  # fmt: skip
ORIGINS = (PROFILER, OPTIMIZER, GRAPH, DETECTED, WHOLE)
"""Ways to find steps that a user may select by name; any other text is a pattern of marker names."""

CUT_OFF = "incomplete: the recording ended before the next iteration began"
"""Reason why the last iteration of a recording without step markers is not compared."""


@dataclass(frozen=True, slots=True)
class Marker:
    """An event that occurs once per iteration.

    origin    PROFILER, ANNOTATION, ...
    name      its name without numbers (model/names/kinds.py); "" for the whole recording
    count     number of complete iterations, from one occurrence to the next
    coverage  share of the recording, 0 to 1, that the iterations cover
    mean_ns   mean duration of the iterations
    alike     similarity of successive iterations, 0 to 1, by the sequences of names in them (never by times); None
              if the name alone identifies it as a marker and similarity was not computed
    """

    origin: str
    name: str
    count: int
    coverage: float
    mean_ns: float
    alike: float | None = None

    @property
    def unit(self) -> tuple[str, str]:
        """What must be equal on both sides; names of graph launches differ between vendors and are left out."""
        return self.origin, "" if self.origin == GRAPH else self.name

    @property
    def asked_as(self) -> str:
        """The value of --step-marker that selects this marker."""
        if self.origin == DETECTED:
            return f"{DETECTED}:{self.name}"
        return self.origin if self.origin in (PROFILER, GRAPH, WHOLE) else self.name

    @property
    def shown(self) -> str:
        """For sentences: "step[*], 120 iterations"."""
        return f"{self.name}, {self.count:,} iterations" if self.name else "the whole recording"


@dataclass(frozen=True, slots=True)
class Iterations:
    """The markers of a trace.

    chosen      the marker of the steps
    candidates  all possible markers including `chosen`, in order of preference
    tried       what was searched for, if nothing repeats
    fixed       the marker cannot be changed: a saved baseline has no events to divide differently
    """

    chosen: Marker
    candidates: tuple[Marker, ...]
    tried: str = ""
    fixed: bool = False
