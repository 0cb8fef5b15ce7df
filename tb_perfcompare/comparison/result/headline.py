"""The verdict with its figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, ClassVar

from tb_perfcompare.comparison.result.plain_values import as_plain


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


Unbounded = Annotated[float, None]
"""May be infinite, which JSON has no number for: null is sent."""


@dataclass(frozen=True, slots=True)
class Shift:
    """Hodges-Lehmann shift in percent of the baseline and in microseconds, with its interval.

    estimate, low, high are fractions (0.05 = 5 % slower); *_us the same on raw times. `level` is the confidence level
    actually reached, None when the samples are too few for any interval: low and high are then the whole range.
    """

    estimate: Unbounded
    low: Unbounded
    high: Unbounded
    estimate_us: Unbounded
    low_us: Unbounded
    high_us: Unbounded
    level: Annotated[float | None, "confidence level reached; null: too few samples, low and high are the whole range"]


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
    detectable: Annotated[float | None, "smallest change that so many steps and captures show, a fraction"]
    steps_needed: Annotated[int | None, "per side, to show a change of the margin"]
    captures: tuple[int, int]
    noise_floor: Annotated[float | None, "largest change between two captures of one side, a fraction"]
    captures_needed: Annotated[int | None, "per side, to settle an inconclusive verdict"]


@dataclass(frozen=True, slots=True)
class Headline:
    """baseline, candidate: mean per step in microseconds. p: two-sided Mann-Whitney. margin: smallest fraction that
    matters. inflation: factor by which autocorrelation of the steps widens the interval. method: tests used, in words.
    sensitivity: which single steps, captures or ranks change the verdict when dropped, "" where none can be. certainty:
    None where nothing was estimated."""

    metric: str
    unit: str
    baseline: Annotated[float | None, "mean per step"]
    candidate: Annotated[float | None, "mean per step"]
    delta: Annotated[float | None, "candidate - baseline"]
    ratio: Annotated[float | None, "candidate / baseline"]
    shift: Shift | None
    p: float | None
    n: tuple[int, int]
    verdict: Verdict
    reason: str
    margin: float
    inflation: Unbounded
    scope: str
    method: str
    sensitivity: Annotated[str, "single steps, captures or ranks that change the verdict when dropped"] = ""
    certainty: Certainty | None = None

    DERIVED: ClassVar = ("verdict_text",)

    @property
    def verdict_text(self) -> Annotated[str, 'the verdict in words, such as "probably slower"']:
        """As every face writes it."""
        return self.verdict.words

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return as_plain(self)  # type: ignore[no-any-return]
