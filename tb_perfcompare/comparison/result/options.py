"""Options of a comparison. Every figure of the answer depends only on these and on the inputs."""

from __future__ import annotations

import math

from tb_perfcompare.errors import PerfCompareError
from tb_perfcompare.model.device_peaks import GivenPeak
from tb_perfcompare.quick_dataclass import dataclass

WINDOWS = ("device", "marker")
"""The two rules for where a step ends (Summary.window)."""

SIDES = ("baseline", "candidate")

MAX_RESAMPLES = 100_000


@dataclass(frozen=True, slots=True)
class ExperimentLook:
    """One look of an experiment: runs are recorded in rounds and compared after each (docs/method/statistics.md).

    rounds, most_rounds  rounds recorded so far, and planned
    level                two-sided error level that the plan leaves for this look
    alpha                two-sided error level of all looks together
    """

    rounds: int
    most_rounds: int
    level: float
    alpha: float


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Options, validated on construction: a value out of range raises PerfCompareError naming the option and the range.

    alpha              two-sided error level; the interval has level 1 - alpha, p counts from alpha down
    margin             smallest fraction of the step time that matters; below it a difference is "same"
    window             step rule: "device" (a step lasts until its device work ends) or "marker" (marker to marker)
    seed               seed of the bootstrap of the mean; the same seed and inputs give the same answer
    resamples          number of bootstrap resamples of the mean
    top_findings       how many findings a comparison keeps, largest first
    material_fraction  an entity's delta matters from this fraction of the shorter step on ...
    material_ns        ... and from this many nanoseconds per step on (the larger of the two counts)
    peaks              peak rates of the devices, in place of the built-in ones (model/device_peaks.py)
    look               which look of an experiment this is; alpha is then at most its level
    """

    alpha: float = 0.05
    margin: float = 0.01
    window: str = "device"
    seed: int = 20240607
    resamples: int = 4000
    top_findings: int = 10
    material_fraction: float = 0.002
    material_ns: int = 5000
    look: ExperimentLook | None = None
    peaks: tuple[GivenPeak, ...] = ()

    def __post_init__(self) -> None:
        _require("alpha", self.alpha, 0.0001, 0.5)
        _require("margin", self.margin, 0.0, 1.0)
        _require("seed", self.seed, 0, 2**63 - 1)
        _require("resamples", self.resamples, 100, MAX_RESAMPLES)
        _require("top_findings", self.top_findings, 0, 10_000)
        _require("material_fraction", self.material_fraction, 0.0, 1.0)
        _require("material_ns", self.material_ns, 0, 2**62)
        if self.window not in WINDOWS:
            raise PerfCompareError(
                f"window is {self.window!r}", hint="it must be one of " + ", ".join(repr(w) for w in WINDOWS)
            )


def _require(name: str, value: float, low: float, high: float) -> None:
    if not (math.isfinite(value) and low <= value <= high):
        raise PerfCompareError(f"{name} is {value!r}", hint=f"it must be a number from {low:g} to {high:g}")
