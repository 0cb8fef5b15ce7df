"""Key findings of a strict report: the first three functions above the score threshold, with their counters."""

from __future__ import annotations

from tb_perfcompare.comparison.strict.report import StrictReport
from tb_perfcompare.quick_dataclass import dataclass

SIGNIFICANT_SCORE = 10.0
"""Score above which a triplet is significant."""

SIGNIFICANT_P = 0.05
MAX_FINDINGS = 3
MAX_COUNTERS = 3
MIN_CHANGE = 1e-6
"""Least change of a counter's mean for it to be listed."""


@dataclass(frozen=True, slots=True)
class CounterChange:
    """A counter of a finding: means of both sides."""

    metric: str
    normal: float
    abnormal: float


@dataclass(frozen=True, slots=True)
class Finding:
    """One function on one device; betas in percent of the cycle."""

    function: str
    device: str
    beta_normal: float
    beta_abnormal: float
    delta: float
    p: float
    counters: tuple[CounterChange, ...]

    @property
    def significant(self) -> bool:
        """Whether Welch's p is below SIGNIFICANT_P; False for NaN."""
        return self.p < SIGNIFICANT_P

    @property
    def over_whole_cycle(self) -> bool:
        """Whether its time exceeds the cycle's length on a side, because it is summed over calls, threads or
        streams."""
        return max(self.beta_normal, self.beta_abnormal) > 100.0


def key_findings(report: StrictReport) -> tuple[Finding, ...]:
    """The first three distinct (function, device) above the threshold, in the order of the report."""
    significant = [row for row, score in enumerate(report.score.tolist()) if score > SIGNIFICANT_SCORE]
    first: dict[tuple[str, str], int] = {}
    for row in significant:
        function, _, device = report.triplets[row]
        if len(first) == MAX_FINDINGS:
            break
        first.setdefault((function, device), row)
    return tuple(
        Finding(
            function, device, float(report.beta.normal.mean[row]), float(report.beta.abnormal.mean[row]),
            float(report.beta.delta[row]), float(report.welch_beta[row]),
            _counters(report, significant, function, device),
        )
        for (function, device), row in first.items()
    )  # fmt: skip


def _counters(report: StrictReport, significant: list[int], function: str, device: str) -> tuple[CounterChange, ...]:
    changes = []
    for row in significant:
        own_function, metric, own_device = report.triplets[row]
        if (own_function, own_device) == (function, device) and abs(report.mu.delta[row]) > MIN_CHANGE:
            normal, abnormal = float(report.mu.normal.mean[row]), float(report.mu.abnormal.mean[row])
            changes.append(CounterChange(metric, normal, abnormal))
    return tuple(changes[:MAX_COUNTERS])
