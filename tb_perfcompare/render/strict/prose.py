"""The sentences of a strict report, verbatim as in the published reports, as Markdown or as plain text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from tb_perfcompare.comparison.strict.findings import SIGNIFICANT_SCORE, Finding, key_findings
from tb_perfcompare.comparison.strict.report import StrictReport
from tb_perfcompare.quick_dataclass import dataclass

COUNTERS_HEAD = "This change in cycle time contribution correlates with changes in the following resource metrics (μ):"
"""Introduces the counters of a finding."""


@dataclass(frozen=True, slots=True)
class Style:
    """Functions that format emphasized words and names."""

    strong: Callable[[str], str]
    name: Callable[[str], str]


MARKDOWN = Style(strong=lambda text: f"**{text}**", name=lambda text: f"`{text}`")
PLAIN = Style(strong=lambda text: text, name=lambda text: text)


@dataclass(frozen=True, slots=True)
class StrictFinding:
    """One of at most three key findings."""

    function: Annotated[str, "function name"]
    device: Annotated[str, "device of the function; N/A if it has none"]
    sentence: Annotated[str, "the finding in words"]
    counters: Annotated[tuple[str, ...], "changes of its counters, in words"]

    def subject(self, style: Style) -> str:
        """Names its function and device."""
        return f"{style.name(self.function)} on device {style.name(self.device)}"


@dataclass(frozen=True, slots=True)
class Prose:
    """All sentences of a report. `recommendation` is empty without findings, `note` without a share above 100 %."""

    overview: str = ""
    findings: tuple[StrictFinding, ...] = ()
    recommendation: str = ""
    note: str = ""


def prose(report: StrictReport, style: Style) -> Prose:
    """Writes the overview, the key findings and the recommendation."""
    findings = key_findings(report)
    a, b = map(style.name, report.labels)
    if not findings:
        overview = (
            f"No function of {a} and {b} differs with a Suspicion Score above {SIGNIFICANT_SCORE:g}, "
            "the threshold for a significant difference."
        )
        return Prose(overview)
    overview = (
        f"The primary performance difference between {a} and {b} appears to be driven by changes in "
        f"{style.strong(style.name(findings[0].function))}. The analysis indicates a notable {_noun(findings[0])} in "
        "its contribution to total cycle time."
    )
    recommendation = (
        f"{style.strong('Recommendation:')} Focus investigation on the functions listed above, starting with the one "
        f"with the highest {style.strong('Suspicion Score')}. Examine the interplay between its relative execution "
        "time (β) and the associated resource usage (μ) changes to understand the root cause."
    )
    note = _NOTE if any(finding.over_whole_cycle for finding in findings) else ""
    return Prose(overview, tuple(_finding(finding, style) for finding in findings), recommendation, note)


_NOTE = (
    "Note: A β value greater than 100% suggests that the function was called multiple times within a single "
    "analysis cycle, and the value represents the sum of its time contributions."
)


def _finding(finding: Finding, style: Style) -> StrictFinding:
    judged = (
        "which is statistically significant"
        if finding.significant
        else "though this change may not be statistically significant"
    )
    strong = style.strong
    counters = []
    for change in finding.counters:
        way = "increased" if change.abnormal > change.normal else "decreased"
        counters.append(
            f"{strong(style.name(change.metric))}: {way} from {change.normal:,.2f} to {change.abnormal:,.2f}."
        )
    return StrictFinding(
        finding.function,
        finding.device,
        f"Its contribution to total cycle time (β) {strong(_noun(finding) + 'd')} from "
        f"{strong(f'{finding.beta_normal:.2f}%')} to {strong(f'{finding.beta_abnormal:.2f}%')} "
        f"({finding.delta:+.2f} ppt), {judged} (p-value: {finding.p:.3f}).",
        tuple(counters),
    )


def _noun(finding: Finding) -> str:
    return "increase" if finding.delta > 0 else "decrease"
