"""The verdict with its figures."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from tb_perfcompare.comparison.result.plain_values import Unbounded
from tb_perfcompare.quick_dataclass import dataclass


class Verdict(str, Enum):
    """Verdict of a headline. `same` needs the interval inside the margin (or identical runs); `inconclusive` means
    the data cannot tell; `withheld` means the sides are not comparable."""

    SLOWER = "slower"
    FASTER = "faster"
    SAME = "same"
    PROBABLY_SLOWER = "probably_slower"
    PROBABLY_FASTER = "probably_faster"
    INCONCLUSIVE = "inconclusive"
    WITHHELD = "withheld"

    @property
    def way(self) -> int:
        """1 if the candidate is slower or probably slower, -1 if faster or probably faster, 0 if the verdict has no
        direction."""
        return {"slower": 1, "probably_slower": 1, "faster": -1, "probably_faster": -1}.get(self.value, 0)


@dataclass(frozen=True, slots=True)
class Shift:
    """Hodges-Lehmann shift in percent of the baseline and in microseconds, with its interval.

    estimate, low, high are fractions (0.05 = 5 % slower); *_us are the same on raw times. `level` is the confidence
    level actually reached; None if the samples are too small for any interval: low and high are then the whole
    range.
    """

    estimate: Unbounded
    low: Unbounded
    high: Unbounded
    estimate_us: Unbounded
    low_us: Unbounded
    high_us: Unbounded
    level: Annotated[float | None, "reached; null: too few samples, low and high are the whole range"]


@dataclass(frozen=True, slots=True)
class Certainty:
    """Further evidence on the headline: effect size, intervals, detectable change; fractions are 0.05 for 5 %, None
    means "not known". captures: of baseline and candidate; autocorrelation: of neighbouring steps."""

    effect_size: Annotated[float, "Cliff's delta"]
    effect: Annotated[str, ("negligible", "small", "medium", "large")]
    mean_low: Annotated[float | None, "interval of the change of the mean, a fraction"]
    mean_high: float | None
    tail_driven: Annotated[bool, "the mean disagrees with the typical step because of steps far above the others"]
    autocorrelation: float
    detectable: Annotated[float | None, "smallest change shown in about 80 of 100 cases, a fraction"]
    steps_needed: Annotated[int | None, "per side, to show a change of the margin"]
    captures: tuple[int, int]
    noise_floor: Annotated[float | None, "largest change between two captures of one side; null: no side has two"]
    captures_needed: Annotated[int | None, "per side, to settle an inconclusive verdict; null: not known"]


class Basis(str, Enum):
    """What the verdict is about: the program (at equal machine speed), the machine (the same work takes a different
    time), or the step time as recorded, where the machine's speed is not known."""

    PROGRAM = "program"
    MACHINE = "machine"
    RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class PaceFacts:
    """Pace of the host or of the device: how much longer the rows with the same work take in the candidate (0.05 = 5
    %)."""

    of: Annotated[str, ("host", "device")]
    rows: Annotated[int, "of the same work"]
    kept: Annotated[int, "rows that did not change on their own"]
    coverage: Annotated[Unbounded, "share of the time that the rows cover"]
    tau: Annotated[Unbounded, "how far rows differ in their change, a fraction"]
    share: Annotated[Unbounded, "share of the step that follows this pace"]
    estimate: Annotated[Unbounded, "how much longer all rows together take, a fraction"]
    typical: Annotated[Unbounded, "how much longer the typical row takes, a fraction"]
    unusable: Annotated[str, "why the pace is not used, empty where it is"] = ""


@dataclass(frozen=True, slots=True)
class Part:
    """The machine's or the program's part of the change. estimate, low, high are fractions (0.05 = 5 % slower); p is
    None if nothing was tested. rows, kept, coverage, tau are as in PaceFacts, over all paces."""

    estimate: Annotated[Unbounded, "a fraction, 0.05 = 5 % longer"]
    low: Unbounded
    high: Unbounded
    p: float | None
    verdict: Verdict
    rows: int
    kept: int
    coverage: Unbounded
    tau: Unbounded
    captures_needed: Annotated[int | None, "per side, that would settle it"] = None


@dataclass(frozen=True, slots=True)
class Counted:
    """Work that one side does beyond the other's; it decides the direction if times leave it open."""

    noun: Annotated[str, ("operator calls", "kernel launches", "input elements")]
    calls: Annotated[float | None, "more per step of the candidate; below zero: of the baseline; null: larger inputs"]
    change: Annotated[Unbounded, "of the step time if all else takes equally long, or of the inputs' size; a fraction"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """Verdict and shift of the step time as recorded, not corrected for pace."""

    verdict: Verdict
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    at_least: Annotated[float | None, "change that all captures agree on, where only a bound is known"] = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled line below the headline."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """A change of the comparison that could settle an open verdict, and the verdict that it gives. Rules:
    docs/method/statistics.md. verdict, sentence, delta, ratio, n are as in Headline; None or "" if more has to be
    recorded first."""

    rule: Annotated[str, ("without_outliers", "after_warm_up", "other_window", "record_more")]
    what: str
    arguments: Annotated[str, "of the command line"] = ""
    baseline_steps: Annotated[str | None, "null: as now"] = None
    candidate_steps: str | None = None
    step_window: Annotated[str | None, ("device", "marker", None)] = None
    more: Annotated[tuple[int, int] | None, "to record on either side"] = None
    unit: Annotated[str, ("captures", "steps", "")] = ""
    verdict: Verdict | None = None
    sentence: str = ""
    delta: float | None = None
    ratio: float | None = None
    n: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict with its figures. Means are per step, in microseconds; p is that of a two-sided Mann-Whitney test,
    margin the smallest fraction that matters, method the tests in words; `sentence` has at most twelve words and its
    figures."""

    metric: str
    unit: str
    baseline: Annotated[float | None, "mean per step"]
    candidate: float | None
    delta: Annotated[float | None, "candidate - baseline"]
    ratio: Annotated[float | None, "candidate / baseline"]
    shift: Shift | None
    p: float | None
    n: tuple[int, int]
    verdict: Verdict
    reason: str
    margin: float
    inflation: Annotated[Unbounded, "factor by which autocorrelation of the steps widens the interval"]
    scope: str
    method: str
    sensitivity: Annotated[str, "single steps, captures or ranks that change the verdict when dropped"] = ""
    certainty: Annotated[Certainty | None, "null: nothing was estimated"] = None
    sentence: Annotated[str, "the headline in words"] = ""
    facts: Annotated[tuple[Fact, ...], "labelled lines below the headline"] = ()
    basis: Annotated[Basis, "what the verdict is about"] = Basis.RECORDED
    machine: Annotated[Part | None, "how much longer the same work takes; null for the reason `unsplit`"] = None
    program: Annotated[Part | None, "how much longer the step takes at equal machine speed; null as `machine`"] = None
    counted: Annotated[Counted | None, "the work that decides; null where times do"] = None
    paces: tuple[PaceFacts, ...] = ()
    unsplit: Annotated[str, "why machine and program are not separated, empty where they are"] = ""
    recorded: Annotated[Recorded | None, "the step time as recorded, whatever the pace"] = None
    alternatives: Annotated[tuple[Alternative, ...], "what could settle a verdict that is not sure"] = ()

    @property
    def deciding_p(self) -> float | None:
        """p of the part that the verdict is about (see Basis)."""
        part = {Basis.PROGRAM: self.program, Basis.MACHINE: self.machine}.get(self.basis)
        return self.p if part is None else part.p
