"""The verdict with its figures."""

from __future__ import annotations

import math
from dataclasses import replace
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

    @property
    def is_sure(self) -> bool:
        """Whether the candidate is slower or faster, beyond the threshold."""
        return self in (Verdict.SLOWER, Verdict.FASTER)

    @property
    def is_probable(self) -> bool:
        """Whether the candidate is only probably slower or faster."""
        return self in (Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER)


@dataclass(frozen=True, slots=True)
class Shift:
    """Hodges-Lehmann shift, as a fraction of the baseline and in microseconds, with its interval.

    estimate, low, high: 0.05 = 5 % slower; *_us are the same on raw times. `level` is the confidence
    level actually reached; None if the samples are too small for any interval: low and high are then the whole
    range.
    """

    estimate: Annotated[Unbounded, "typical change as a fraction: 0.05 is 5 % slower"]
    low: Annotated[Unbounded, "lower end of the confidence interval, as a fraction"]
    high: Annotated[Unbounded, "upper end of the confidence interval, as a fraction"]
    estimate_us: Annotated[Unbounded, "typical change in microseconds per step"]
    low_us: Annotated[Unbounded, "lower end of the confidence interval, in microseconds per step"]
    high_us: Annotated[Unbounded, "upper end of the confidence interval, in microseconds per step"]
    level: Annotated[float | None, "actual confidence level; null with too few samples: low, high are the full range"]
    mean: Annotated[float | None, "change of the mean step as a fraction, within kinds of steps; null: unknown"] = None


@dataclass(frozen=True, slots=True)
class Certainty:
    """Further evidence on the headline: effect size, intervals, detectable change; fractions are 0.05 for 5 %, null
    means "unknown". captures: of baseline and candidate; autocorrelation: of neighboring steps."""

    effect_size: Annotated[float, "Cliff's delta"]
    effect: Annotated[str, "size of `effect_size` in words", ("negligible", "small", "medium", "large")]
    mean_low: Annotated[float | None, "confidence interval of the change of the mean, as fractions"]
    mean_high: Annotated[float | None, "upper end of that interval, as a fraction"]
    tail_driven: Annotated[bool, "whether a few very long steps make the mean disagree with the typical step"]
    autocorrelation: Annotated[float, "correlation of neighboring steps, -1 to 1"]
    detectable: Annotated[float | None, "smallest change detected with about 80 % power, as a fraction"]
    steps_needed: Annotated[int | None, "steps per side needed to detect a change as large as the margin"]
    captures: Annotated[tuple[int, int], "number of captures: baseline, candidate"]
    noise_floor: Annotated[float | None, "largest change between two captures of a side; null: no side has two"]
    captures_needed: Annotated[int | None, "captures per side needed to settle an open verdict; null if unknown"]


class Basis(str, Enum):
    """What the verdict is about: the program (at equal machine speed), the machine (the same work takes a different
    time), the amount of work per step, or the step time as recorded, where the machine's speed is not known."""

    PROGRAM = "program"
    MACHINE = "machine"
    AMOUNT = "amount"
    RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class PaceFacts:
    """Pace of the host or of the device: how much longer the rows with the same work take in the candidate (0.05 = 5
    %)."""

    of: Annotated[str, "processor that the pace is of", ("host", "device")]
    rows: Annotated[int, "number of rows with the same work on both sides"]
    kept: Annotated[int, "number of rows used: those that changed with the others"]
    coverage: Annotated[Unbounded, "fraction of the time that the rows cover"]
    tau: Annotated[Unbounded, "spread of the change between rows, as a fraction"]
    share: Annotated[Unbounded, "fraction of the step that runs at this pace"]
    estimate: Annotated[Unbounded, "change of the summed time of all rows, as a fraction"]
    typical: Annotated[Unbounded, "change of the typical row, as a fraction"]
    unusable: Annotated[str, "reason why the pace is not used; empty if it is"] = ""


FAR = math.log(1.5)
"""Change in ln(time) from which captures differ though others may not: a process that was stopped half of the time took
2.1 times as long in two captures a side, whose interval is 0.34 to 13."""


@dataclass(frozen=True, slots=True)
class Part:
    """The machine's or the program's part of the change. estimate, low, high are fractions (0.05 = 5 % slower); p is
    None if nothing was tested. rows, kept, coverage, tau are as in PaceFacts, over all paces."""

    estimate: Annotated[Unbounded, "change as a fraction: 0.05 is 5 % longer"]
    low: Annotated[Unbounded, "lower end of the confidence interval, as a fraction"]
    high: Annotated[Unbounded, "upper end of the confidence interval, as a fraction"]
    p: Annotated[float | None, "null if nothing was tested"]
    verdict: Annotated[Verdict, "verdict on this part alone"]
    rows: Annotated[int, "number of rows with the same work on both sides"]
    kept: Annotated[int, "number of rows used: those that changed with the others"]
    coverage: Annotated[Unbounded, "fraction of the time that the rows cover"]
    tau: Annotated[Unbounded, "spread of the change between rows, as a fraction"]
    captures_needed: Annotated[int | None, "captures per side needed to settle an open verdict; null if unknown"] = None
    mean: Annotated[float | None, "program: change of the mean step at equal machine speed, as a fraction"] = None
    same_work: Annotated[Unbounded, "program: fraction of it in operators that changed on the same inputs"] = 0.0

    @property
    def differs(self) -> bool:
        """Whether these captures differ: the interval excludes zero, or the change is large."""
        return self.low * self.high > 0 or abs(math.log1p(self.estimate)) >= FAR


@dataclass(frozen=True, slots=True)
class Counted:
    """Work that one side does beyond the other's; it decides the direction if times leave it open."""

    noun: Annotated[str, "what is counted", ("operator calls", "kernel launches", "input elements")]
    calls: Annotated[float | None, "calls per step of the candidate minus the baseline's; null for input elements"]
    change: Annotated[Unbounded, "implied change of the step time, or change of the inputs' size; a fraction"]
    larger: Annotated[bool, "inputs are larger on the side with more work, too; a change by calls leaves that out"]


@dataclass(frozen=True, slots=True)
class LongSteps:
    """One side has more long steps: steps far longer than its others. They decide the direction if the other steps give
    none, and if they do other work than these."""

    baseline: Annotated[int, "long steps of the baseline"]
    candidate: Annotated[int, "long steps of the candidate"]
    longer_us: Annotated[float, "microseconds by which they are longer than the others of the side with more"]
    of_same_work: Annotated[Unbounded, "fraction of that in work that the others do as well: the machine may stall"]


@dataclass(frozen=True, slots=True)
class AmountFacts:
    """The amount of work of a step, where it varies from step to step, by calls or input elements of one operator.
    Change and interval are of its mean; all other figures of program, machine and shift are at equal amount. Rules:
    docs/method/amount_of_work.md."""

    operator: Annotated[str, "operator whose calls or elements show the amount"]
    of: Annotated[str, "what is counted", ("calls", "input elements")]
    baseline: Annotated[float, "mean per step of the baseline"]
    candidate: Annotated[float, "mean per step of the candidate"]
    estimate: Annotated[Unbounded, "change of the mean as a fraction: 0.05 is 5 % more work"]
    low: Annotated[Unbounded, "lower end of the confidence interval, as a fraction"]
    high: Annotated[Unbounded, "upper end of the confidence interval, as a fraction"]
    p: Annotated[float, "two-sided, of no change"]
    differs: Annotated[bool, "whether the amounts clearly differ"]
    in_time: Annotated[Unbounded, "change of the mean step that the amount alone makes, as a fraction"]
    explained: Annotated[float, "fraction of the variation between a capture's steps that the amount explains"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """Verdict and shift of the step time as recorded, not corrected for pace."""

    verdict: Annotated[Verdict, "verdict on the step time as recorded"]
    estimate: Annotated[float | None, "typical change as a fraction"]
    low: Annotated[float | None, "lower end of the confidence interval, as a fraction"]
    high: Annotated[float | None, "upper end of the confidence interval, as a fraction"]
    p: Annotated[float | None, "two-sided Mann-Whitney p; null if not tested"]
    at_least: Annotated[float | None, "least change that all captures show, if only a bound is known"] = None


@dataclass(frozen=True, slots=True)
class RecordedMore:
    """Profiler options that only one side recorded. Rule: docs/method/statistics.md#profiler-options-of-one-side."""

    side: Annotated[str, "side that recorded them", ("baseline", "candidate")]
    options: Annotated[tuple[str, ...], "the options"]
    cost_us: Annotated[float, "microseconds per step that they can add to that side at most"]
    cost: Annotated[float, "the same as a fraction of the step without them"]

    @property
    def way(self) -> int:
        """1 if they make the candidate look slower, -1 if faster."""
        return 1 if self.side == "candidate" else -1


@dataclass(frozen=True, slots=True)
class Fact:
    """A labeled line below the headline."""

    label: Annotated[str, "name of the figure"]
    text: Annotated[str, "the figure in words, with unit"]


COUNTED = "Counted"
"""Label of the line on counted work, which reports show even if program and machine are not separated."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A change of the comparison that could settle an open verdict, and the verdict that it gives. Rules:
    docs/method/statistics.md. verdict, sentence, delta, ratio, n are as in Headline; None or "" if more has to be
    recorded first."""

    rule: Annotated[
        str, "kind of change", ("captures_apart", "without_outliers", "after_warm_up", "other_window", "record_more")
    ]
    what: Annotated[str, "what to change, in words"]
    arguments: Annotated[str, "command line arguments that apply it; empty if both sides change"] = ""
    side: Annotated[
        str | None,
        "side whose fastest and slowest capture are compared with each other",
        ("baseline", "candidate", None),
    ] = None
    workers: Annotated[tuple[str, str] | None, "workers of these captures; null: all"] = None
    spans: Annotated[tuple[str, str] | None, "spans of these captures"] = None
    baseline_steps: Annotated[str | None, "baseline steps to compare; null: unchanged"] = None
    candidate_steps: Annotated[str | None, "candidate steps to compare; null: unchanged"] = None
    step_window: Annotated[str | None, "`--step-window` to use; null: unchanged", ("device", "marker", None)] = None
    more: Annotated[tuple[int, int] | None, "amount to record on each side: baseline, candidate"] = None
    unit: Annotated[str, "unit of `more`", ("captures", "steps", "")] = ""
    verdict: Annotated[Verdict | None, "verdict after the change; null if more has to be recorded"] = None
    sentence: Annotated[str, "headline after the change, in words"] = ""
    delta: Annotated[float | None, "candidate - baseline after the change, in microseconds per step"] = None
    ratio: Annotated[float | None, "candidate / baseline after the change"] = None
    n: Annotated[tuple[int, int] | None, "sample sizes after the change: baseline, candidate"] = None

    def with_result(self, headline: Headline) -> Alternative:
        """Adds the verdict after the change."""
        return replace(
            self, verdict=headline.verdict, sentence=headline.sentence, delta=headline.delta, ratio=headline.ratio,
            n=headline.n,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict with its figures. Means are per step, in microseconds; p is that of a two-sided Mann-Whitney test,
    margin the smallest fraction that matters, method the tests in words; `sentence` has at most twelve words and its
    figures."""

    metric: Annotated[str, "quantity compared: `step_time`, or `kernel_time` or `cycle_time` without steps"]
    unit: Annotated[str, "unit of `baseline`, `candidate` and `delta`"]
    baseline: Annotated[float | None, "mean per step of the baseline, in `unit`"]
    candidate: Annotated[float | None, "mean per step of the candidate, in `unit`"]
    delta: Annotated[float | None, "candidate - baseline, in `unit`"]
    ratio: Annotated[float | None, "candidate / baseline"]
    shift: Annotated[Shift | None, "typical change with its confidence interval; null if not estimated"]
    p: Annotated[float | None, "two-sided Mann-Whitney p; null if not tested"]
    n: Annotated[tuple[int, int], "sample sizes: baseline, candidate"]
    verdict: Annotated[Verdict, "the verdict"]
    reason: Annotated[str, "why the verdict was given"]
    margin: Annotated[float, "threshold: the smallest change that matters, as a fraction"]
    inflation: Annotated[Unbounded, "factor by which autocorrelation of the steps widens the interval"]
    scope: Annotated[str, "what the verdict applies to: these captures, or the configurations"]
    method: Annotated[str, "tests used, in words"]
    sensitivity: Annotated[str, "single steps, captures or ranks without which the verdict changes"] = ""
    certainty: Annotated[Certainty | None, "further evidence; null if nothing was estimated"] = None
    sentence: Annotated[str, "the headline in words"] = ""
    facts: Annotated[tuple[Fact, ...], "labeled lines below the headline"] = ()
    basis: Annotated[Basis, "quantity that the verdict is about"] = Basis.RECORDED
    machine: Annotated[Part | None, "change of the time for the same work; null: see `unsplit`"] = None
    program: Annotated[Part | None, "change of the step time at equal machine speed; null: see `unsplit`"] = None
    counted: Annotated[Counted | None, "extra work that decides the verdict; null if times decide it"] = None
    long_steps: Annotated[LongSteps | None, "set if one side has more of them, and no part decides"] = None
    paces: Annotated[tuple[PaceFacts, ...], "pace of host and device, where they could be measured"] = ()
    unsplit: Annotated[str, "reason why machine and program are not separated; empty if they are"] = ""
    recorded: Annotated[Recorded | None, "verdict on the step time as recorded, uncorrected for pace"] = None
    alternatives: Annotated[tuple[Alternative, ...], "changes of the comparison that could settle an open verdict"] = ()
    amount: Annotated[AmountFacts | None, "amount of work per step; null: it does not vary, or is not known"] = None
    recorded_more: Annotated[RecordedMore | None, "profiler options of one side only; null: none"] = None

    @property
    def deciding(self) -> Part | AmountFacts | Shift | None:
        """The change that the verdict is about (see Basis)."""
        parts = {Basis.PROGRAM: self.program, Basis.MACHINE: self.machine, Basis.AMOUNT: self.amount}
        return parts.get(self.basis) or self.shift

    @property
    def deciding_p(self) -> float | None:
        change = self.deciding
        return self.p if change is None or isinstance(change, Shift) else change.p
