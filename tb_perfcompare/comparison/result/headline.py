"""The verdict with its figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from tb_perfcompare.comparison.result.plain_values import plain


class Verdict(str, Enum):
    """The words of the headline. `same` needs the interval inside the margin (or identical runs); `inconclusive`
    means the data cannot tell; `withheld` means the sides are not comparable."""

    SLOWER = "slower"
    FASTER = "faster"
    SAME = "same"
    PROBABLY_SLOWER = "probably_slower"
    PROBABLY_FASTER = "probably_faster"
    INCONCLUSIVE = "inconclusive"
    WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class Shift:
    """Hodges-Lehmann shift in percent of the baseline and in microseconds, with its interval.

    estimate, low, high are fractions (0.05 = 5 % slower); *_us the same on raw times. `level` is the confidence level
    actually reached, None when the samples are too few for any interval: low and high are then the whole range.
    """

    estimate: float
    low: float
    high: float
    estimate_us: float
    low_us: float
    high_us: float
    level: float | None


@dataclass(frozen=True, slots=True)
class Certainty:
    """What else the samples say about the headline; fractions are 0.05 for 5 %, None is "not known".

    effect_size, effect   Cliff's delta, P(candidate step longer) - P(shorter), and its word: negligible to large
    mean_low, mean_high   interval of the change of the mean, ratio - 1; tail_driven: it is made by the steps that lie
                          far above the others
    autocorrelation       of neighbouring steps
    detectable            smallest change that so many steps and captures show in about 80 of 100 cases
    steps_needed          per side, to show a change of the margin
    captures              of baseline and candidate
    noise_floor           largest change between two captures of one side
    captures_needed       per side, to tell the estimated change, or one of the margin, from none
    """

    effect_size: float
    effect: str
    mean_low: float | None
    mean_high: float | None
    tail_driven: bool
    autocorrelation: float
    detectable: float | None
    steps_needed: int | None
    captures: tuple[int, int]
    noise_floor: float | None
    captures_needed: int | None

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "effect_size": plain(self.effect_size),
            "effect": self.effect,
            "mean_low": plain(self.mean_low),
            "mean_high": plain(self.mean_high),
            "tail_driven": self.tail_driven,
            "autocorrelation": plain(self.autocorrelation),
            "detectable": plain(self.detectable),
            "steps_needed": self.steps_needed,
            "captures": list(self.captures),
            "noise_floor": plain(self.noise_floor),
            "captures_needed": self.captures_needed,
        }


class Basis(str, Enum):
    """What the verdict is about: the program at one pace, the machine (the same work at another pace), or the step time
    as recorded, where no pace is known."""

    PROGRAM = "program"
    MACHINE = "machine"
    RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class PaceFacts:
    """One pace. `of`: host or device; rows of the same work, those kept, share of the time they cover, how far rows
    differ in their change (a fraction), share of the step that follows it; estimate: how much longer all of them
    take (0.05 = 5 %), typical: the typical row. `unusable`: why it is not used, "" where it is."""

    of: str
    rows: int
    kept: int
    coverage: float
    tau: float
    share: float
    estimate: float
    typical: float
    unusable: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "of": self.of,
            "rows": self.rows,
            "kept": self.kept,
            "coverage": plain(self.coverage),
            "tau": plain(self.tau),
            "share": plain(self.share),
            "estimate": plain(self.estimate),
            "typical": plain(self.typical),
            "unusable": self.unusable,
        }


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the change: the machine's or the program's. estimate, low, high are fractions (0.05 = 5 % slower), p
    is None where nothing is tested. rows, kept, coverage, tau: as PaceFacts, of all paces together. needed: captures
    per side that would settle it, None where unknown."""

    estimate: float
    low: float
    high: float
    p: float | None
    verdict: Verdict
    rows: int
    kept: int
    coverage: float
    tau: float
    needed: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "estimate": plain(self.estimate),
            "low": plain(self.low),
            "high": plain(self.high),
            "p": plain(self.p),
            "verdict": self.verdict.value,
            "rows": self.rows,
            "kept": self.kept,
            "coverage": plain(self.coverage),
            "tau": plain(self.tau),
            "captures_needed": self.needed,
        }


@dataclass(frozen=True, slots=True)
class Recorded:
    """The step time as recorded, whatever the pace: its verdict and shift. `at_least`: the change that all captures
    agree on, where no more than a bound can be told."""

    verdict: Verdict
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    at_least: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "verdict": self.verdict.value,
            "estimate": plain(self.estimate),
            "low": plain(self.low),
            "high": plain(self.high),
            "p": plain(self.p),
            "at_least": plain(self.at_least),
        }


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled line below the headline."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Headline:
    """baseline, candidate: mean per step in microseconds. p: two-sided Mann-Whitney. margin: smallest fraction that
    matters. inflation: factor by which autocorrelation of the steps widens the interval. method: tests used, in words.
    sensitivity: which single steps, captures or ranks change the verdict when dropped, "" where none can be. certainty:
    None where nothing was estimated. sentence: the headline in at most twelve words and figures; facts: the lines below
    it. basis: what the verdict is about. machine, program: parts of the change, None for the reason `unsplit`; paces:
    what they come from. recorded: the verdict on the step time as recorded."""

    metric: str
    unit: str
    baseline: float | None
    candidate: float | None
    delta: float | None
    ratio: float | None
    shift: Shift | None
    p: float | None
    n: tuple[int, int]
    verdict: Verdict
    reason: str
    margin: float
    inflation: float
    scope: str
    method: str
    sensitivity: str = ""
    certainty: Certainty | None = None
    sentence: str = ""
    facts: tuple[Fact, ...] = ()
    basis: Basis = Basis.RECORDED
    machine: Part | None = None
    program: Part | None = None
    paces: tuple[PaceFacts, ...] = ()
    unsplit: str = ""
    recorded: Recorded | None = None

    @property
    def deciding_p(self) -> float | None:
        """p of what the verdict is about."""
        part = {Basis.PROGRAM: self.program, Basis.MACHINE: self.machine}.get(self.basis)
        return self.p if part is None else part.p

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        shift = self.shift
        return {
            "sentence": self.sentence,
            "facts": [{"label": fact.label, "text": fact.text} for fact in self.facts],
            "basis": self.basis.value,
            "machine": None if self.machine is None else self.machine.to_dict(),
            "program": None if self.program is None else self.program.to_dict(),
            "recorded": None if self.recorded is None else self.recorded.to_dict(),
            "paces": [pace.to_dict() for pace in self.paces],
            "unsplit": self.unsplit,
            "metric": self.metric,
            "unit": self.unit,
            "baseline": plain(self.baseline),
            "candidate": plain(self.candidate),
            "delta": plain(self.delta),
            "ratio": plain(self.ratio),
            "shift": None
            if shift is None
            else {
                "estimate": plain(shift.estimate),
                "low": plain(shift.low),
                "high": plain(shift.high),
                "level": plain(shift.level),
                "estimate_us": plain(shift.estimate_us),
                "low_us": plain(shift.low_us),
                "high_us": plain(shift.high_us),
            },
            "p": plain(self.p),
            "n": list(self.n),
            "verdict": self.verdict.value,
            "reason": self.reason,
            "margin": plain(self.margin),
            "inflation": plain(self.inflation),
            "scope": self.scope,
            "method": self.method,
            "sensitivity": self.sensitivity,
            "certainty": None if self.certainty is None else self.certainty.to_dict(),
        }
