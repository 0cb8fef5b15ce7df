"""The verdict with its figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from tb_perfcompare.comparison.result.plain_values import plain


class Verdict(str, Enum):
    """`same` needs the interval inside the margin (or identical runs); `inconclusive` means the data cannot tell;
    `withheld` means the sides are not comparable."""

    SLOWER = "slower"
    FASTER = "faster"
    SAME = "same"
    PROBABLY_SLOWER = "probably_slower"
    PROBABLY_FASTER = "probably_faster"
    INCONCLUSIVE = "inconclusive"
    WITHHELD = "withheld"

    @property
    def words(self) -> str:
        """As every face writes it: "probably slower", "not comparable"."""
        return "not comparable" if self is Verdict.WITHHELD else self.value.replace("_", " ")


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


@dataclass(frozen=True, slots=True)
class Headline:
    """baseline, candidate: mean per step in microseconds. p: two-sided Mann-Whitney. margin: smallest fraction that
    matters. inflation: factor by which autocorrelation of the steps widens the interval. method: tests used, in words.
    sensitivity: which single steps, captures or ranks change the verdict when dropped, "" where none can be. certainty:
    None where nothing was estimated."""

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

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        shift = self.shift
        return {
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
            "verdict_text": self.verdict.words,
            "reason": self.reason,
            "margin": plain(self.margin),
            "inflation": plain(self.inflation),
            "scope": self.scope,
            "method": self.method,
            "sensitivity": self.sensitivity,
            "certainty": None if self.certainty is None else self.certainty.to_dict(),
        }
