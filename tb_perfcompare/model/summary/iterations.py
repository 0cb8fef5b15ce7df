"""What counts as one step of a trace, and what else could."""

from __future__ import annotations

from tb_perfcompare.quick_dataclass import dataclass

PROFILER, ANNOTATION, OPTIMIZER, GRAPH, DETECTED, WHOLE = (
    "profiler", "annotation", "optimizer", "graph", "detected", "whole",
)  # fmt: skip
ORIGINS = (PROFILER, OPTIMIZER, GRAPH, DETECTED, WHOLE)
"""Ways to find steps that a user may ask for by name; every other text is a pattern of marker names."""


@dataclass(frozen=True, slots=True)
class Marker:
    """Something that occurs once per iteration.

    origin    PROFILER, ANNOTATION, ...
    name      its name with numbers taken out (model/names/numbers_out.py); "" for the whole recording
    count     iterations recorded from one occurrence to the next
    coverage  share of the recording, 0 to 1, that they cover
    mean_ns   their mean length
    alike     how alike successive iterations are, 0 to 1, by the sequences of names in them (never by times); None
              where the name says that it marks iterations and nothing else was looked at
    """

    origin: str
    name: str
    count: int
    coverage: float
    mean_ns: float
    alike: float | None = None

    @property
    def unit(self) -> tuple[str, str]:
        """What has to be the same on both sides; vendors call the launch of a graph differently."""
        return self.origin, "" if self.origin == GRAPH else self.name

    @property
    def asked_as(self) -> str:
        """The --step-marker that chooses it."""
        if self.origin == DETECTED:
            return f"{DETECTED}:{self.name}"
        return self.origin if self.origin in (PROFILER, GRAPH, WHOLE) else self.name

    @property
    def shown(self) -> str:
        """ "step[*], 120 iterations", for sentences."""
        return f"{self.name}, {self.count:,} iterations" if self.name else "the whole recording"


@dataclass(frozen=True, slots=True)
class Iterations:
    """`chosen` marks the steps; `candidates` are all that could, `chosen` among them, in the order of preference;
    `tried` says what was looked for where nothing repeats; of a saved baseline they are `fixed`: its events are not
    there to be cut otherwise."""

    chosen: Marker
    candidates: tuple[Marker, ...]
    tried: str = ""
    fixed: bool = False
