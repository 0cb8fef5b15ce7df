"""The strict report as Markdown, word for word what the published reports say."""

from __future__ import annotations

from collections.abc import Iterator

from tb_perfcompare.compare.strict.findings import SIGNIFICANT_SCORE, Finding, key_findings
from tb_perfcompare.compare.strict.processes import ProcessPair
from tb_perfcompare.compare.strict.report import StrictReport
from tb_perfcompare.render.strict_tables import detailed_table, rank_table, summary_table

_LEGEND = (
    "- **β (Beta)**: The percentage of total cycle time consumed by this function.",
    "- **μ (Mu)**: The average utilization or counter value of an associated resource during the function's execution.",
    "- **Device**: The device associated with the metric (e.g., GPU ID, CPU core).",
    "- **Z-Score(β/log_μ)**: A measure of the statistical significance of a change. "
    "A higher absolute value indicates a more unusual change.",
    "- **p-value/U-test p**: The p-value from a statistical test. "
    "Lower values (e.g., < 0.05) suggest the difference is statistically significant.",
    "- **Suspicion Score**: A composite score `|Δβ| * (|Z-Score(β)| + |Z-Score(log_μ)|)` to rank potential issues. "
    "**Focus on items with the highest score first.**",
)


def report_title(case: str, pair: ProcessPair) -> str:
    """The title line's text."""
    if pair.strict:
        return f"Strict Performance Comparison: {case} (PID: {pair.normal})"
    return f"Cross Performance Comparison: {case} (Normal PID:{pair.normal} vs Abnormal PID:{pair.abnormal})"


def strict_markdown(report: StrictReport, title: str) -> str:
    """The whole report; ends with an empty line."""
    lines = [
        f"# {title}", "",
        "## 1. High-Level Performance Summary", "", summary_table(report), "",
        "## 2. Cycle Duration Distribution Comparison", "", rank_table(report), "",
        "## 3. In-depth Core Metric Comparison", "", *_prose(report),
        "### Detailed comparison table",
        "This table aggregates the performance of each (function, metric, device) triplet across both runs, "
        "sorted by **Suspicion Score** in descending order.", "",
        detailed_table(report), "",
        "## 5. Legend", *_LEGEND, "",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _prose(report: StrictReport) -> Iterator[str]:
    findings = key_findings(report)
    a, b = report.labels
    yield from ("### Overview", "")
    if not findings:
        yield (
            f"No function of `{a}` and `{b}` differs with a Suspicion Score above {SIGNIFICANT_SCORE:g}, "
            "the threshold for a significant difference."
        )
        yield ""
        return
    yield (
        f"The primary performance difference between `{a}` and `{b}` appears to be driven by changes in "
        f"**`{findings[0].function}`**. The analysis indicates a notable {_noun(findings[0])} in its contribution to "
        "total cycle time."
    )
    yield from ("", "### Key Findings:")
    for finding in findings:
        yield from _finding(finding)
    yield ""
    if any(finding.over_whole_cycle for finding in findings):
        yield (
            "*Note: A β value greater than 100% suggests that the function was called multiple times within a single "
            "analysis cycle, and the value represents the sum of its time contributions.*"
        )
        yield ""
    yield (
        "**Recommendation:** Focus investigation on the functions listed above, starting with the one with the highest "
        "**Suspicion Score**. Examine the interplay between its relative execution time (β) and the associated "
        "resource usage (μ) changes to understand the root cause."
    )


def _finding(finding: Finding) -> Iterator[str]:
    judged = (
        "which is statistically significant"
        if finding.significant
        else "though this change may not be statistically significant"
    )
    yield f"- **`{finding.function}` on device `{finding.device}`:**"
    yield (
        f"  - Its contribution to total cycle time (β) **{_noun(finding)}d** from **{finding.beta_normal:.2f}%** to "
        f"**{finding.beta_abnormal:.2f}%** ({finding.delta:+.2f} ppt), {judged} (p-value: {finding.p:.3f})."
    )
    if not finding.counters:
        return
    yield "  - This change in cycle time contribution correlates with changes in the following resource metrics (μ):"
    for change in finding.counters:
        way = "increased" if change.abnormal > change.normal else "decreased"
        yield f"    - **`{change.metric}`**: {way} from {change.normal:,.2f} to {change.abnormal:,.2f}."


def _noun(finding: Finding) -> str:
    return "increase" if finding.delta > 0 else "decrease"
