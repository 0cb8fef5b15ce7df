"""Terms and figures in sentences of the headline."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.hodges_lehmann import fraction_of
from tb_perfcompare.number_text import change_and_ends, change_ends, percent, setting
from tb_perfcompare.quick_dataclass import dataclass

_NOUNS = {"step_time": "step", "cycle_time": "cycle", "kernel_time": "recording"}

TENFOLD = 10.0
"""Ratio from which a change that could be detected is not worth its figure."""


@dataclass(frozen=True, slots=True)
class Words:
    """Terms for sentences; metric and labels as in verdict.judge. `of`: which samples are meant, " at equal work"."""

    metric: str
    labels: tuple[Sequence[str], Sequence[str]] | None
    options: CompareOptions
    of: str = ""

    @property
    def noun(self) -> str:
        """Name of one sample: step, cycle, recording."""
        return _NOUNS.get(self.metric, "step")

    @property
    def both_thresholds(self) -> str:
        """The threshold in both directions: "the ±1 % threshold"."""
        return f"the ±{setting(self.options.margin)} threshold"

    def threshold_towards(self, theta: float) -> str:
        """The threshold in the direction of `theta`: "the 1 % threshold" if slower, "the -0.99 % threshold" if
        faster."""
        if theta >= 0:
            return f"the {setting(self.options.margin)} threshold"
        return f"the {signed_percent(-math.log1p(self.options.margin))} threshold"

    @property
    def level(self) -> str:
        """Name of the confidence interval: "95 % CI"."""
        return f"{setting(1 - self.options.alpha)} CI"


def percent_range(low: float, high: float) -> str:
    """Ends of an interval of ln(time): "+1.20 to +19.4 %"."""
    return _range_text(*change_ends(fraction_of(low), fraction_of(high)))


def _range_text(low: str, high: str) -> str:
    return f"{low.removesuffix(' %')} to {high}"


def percent_with_range(theta: float, low: float, high: float, of: str) -> str:
    """Shift of ln(time) with its interval: "+19.4 % (95 % CI +18.0 to +20.1 %)"; `of`: what the interval is."""
    change, *ends = change_and_ends(fraction_of(theta), fraction_of(low), fraction_of(high))
    return f"{change} ({of} {_range_text(*ends)})"


def least_change(detectable: float | None) -> str:
    """The smallest change that can be detected, in words; `detectable` as a fraction, None for none."""
    if detectable is None:
        return "nothing"
    return "hardly any change" if detectable >= TENFOLD - 1 else f"changes of at least {percent(detectable)}"


def signed_percent(theta: float) -> str:
    """Shift of ln(time) in percent: "+19.4 %"."""
    return percent(fraction_of(theta), signed=True)
