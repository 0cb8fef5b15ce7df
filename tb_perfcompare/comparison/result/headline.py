"""The verdict with its figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


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


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the change: the machine's or the program's. estimate, low, high are fractions (0.05 = 5 % slower), p
    is None where nothing is tested. rows, kept, coverage, tau: as PaceFacts, of all paces together.
    captures_needed: per side, to settle it, None where unknown."""

    estimate: float
    low: float
    high: float
    p: float | None
    verdict: Verdict
    rows: int
    kept: int
    coverage: float
    tau: float
    captures_needed: int | None = None


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


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled line below the headline."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """What could settle an open verdict, and the verdict with it. Rules: docs/method/statistics.md.

    rule             without_outliers, after_warm_up, other_window or record_more
    what             in words: "without step 550"
    arguments        of the command line, "" for more recordings
    baseline_steps, candidate_steps  the steps that are then compared, "3-9"; None: as now
    step_window      device or marker; None: as now
    more             captures or steps to record, of baseline and candidate; `unit` says which
    verdict, sentence, delta, ratio, n  as of a headline; None, "" where it is not known before more is recorded
    """

    rule: str
    what: str
    arguments: str = ""
    baseline_steps: str | None = None
    candidate_steps: str | None = None
    step_window: str | None = None
    more: tuple[int, int] | None = None
    unit: str = ""
    verdict: Verdict | None = None
    sentence: str = ""
    delta: float | None = None
    ratio: float | None = None
    n: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Headline:
    """baseline, candidate: mean per step in microseconds. p: two-sided Mann-Whitney. margin: smallest fraction that
    matters. inflation: factor by which autocorrelation of the steps widens the interval. method: tests used, in words.
    sensitivity: which single steps, captures or ranks change the verdict when dropped, "" where none can be. certainty:
    None where nothing was estimated. sentence: the headline in at most twelve words and figures; facts: the lines below
    it. basis: what the verdict is about. machine, program: parts of the change, None for the reason `unsplit`; paces:
    what they come from. recorded: the verdict on the step time as recorded. alternatives: what could settle it, where
    it is inconclusive or withheld."""

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
    alternatives: tuple[Alternative, ...] = ()

    @property
    def deciding_p(self) -> float | None:
        """p of what the verdict is about."""
        part = {Basis.PROGRAM: self.program, Basis.MACHINE: self.machine}.get(self.basis)
        return self.p if part is None else part.p
