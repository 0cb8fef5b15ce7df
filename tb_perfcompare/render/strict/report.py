"""The strict report as Markdown, verbatim as the published reports."""

from __future__ import annotations

from collections.abc import Iterator

from tb_perfcompare.comparison.strict.processes import ProcessPair
from tb_perfcompare.comparison.strict.report import StrictReport
from tb_perfcompare.render.printable import without_controls
from tb_perfcompare.render.strict.prose import COUNTERS_HEAD, MARKDOWN, prose
from tb_perfcompare.render.strict.tables import detailed_table, rank_table, summary_table

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
    """Returns the title of a report about a pair of processes."""
    word = pair.word.upper() if pair.word == "pid" else pair.word.capitalize()
    if pair.strict:
        return f"Strict Performance Comparison: {case} ({word}: {pair.normal})"
    return f"Cross Performance Comparison: {case} (Normal {word}:{pair.normal} vs Abnormal {word}:{pair.abnormal})"


def strict_markdown(report: StrictReport, title: str) -> str:
    """Renders the report as Markdown; ends with an empty line."""
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
    return without_controls("\n".join(lines) + "\n")


def _prose(report: StrictReport) -> Iterator[str]:
    text = prose(report, MARKDOWN)
    yield from ("### Overview", "", text.overview)
    if not text.findings:
        yield ""
        return
    yield from ("", "### Key Findings:")
    for finding in text.findings:
        yield f"- {MARKDOWN.strong(finding.subject + ':')}"
        yield f"  - {finding.sentence}"
        if finding.counters:
            yield f"  - {COUNTERS_HEAD}"
            yield from (f"    - {counter}" for counter in finding.counters)
    yield ""
    if text.note:
        yield from (f"*{text.note}*", "")
    yield text.recommendation
