"""The strict report as Markdown, verbatim as the published reports, and for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.strict.answer import StrictAnswer, Weakness
from tb_perfcompare.comparison.strict.processes import ProcessPair
from tb_perfcompare.comparison.strict.report import StrictReport
from tb_perfcompare.model.recordings.counter_units import UnitNote
from tb_perfcompare.number_text import many, quantity
from tb_perfcompare.render.blocks import Block, Heading, Listing, Paragraph
from tb_perfcompare.render.grid import grid_of
from tb_perfcompare.render.printable import printable, without_controls
from tb_perfcompare.render.strict.prose import COUNTERS_HEAD, MARKDOWN, PLAIN, Prose, prose
from tb_perfcompare.render.strict.tables import detailed_table, rank_table, summary_table
from tb_perfcompare.render.text import text
from tb_perfcompare.render.widths import Terminal

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
        yield f"- {MARKDOWN.strong(finding.subject(MARKDOWN) + ':')}"
        yield f"  - {finding.sentence}"
        if finding.counters:
            yield f"  - {COUNTERS_HEAD}"
            yield from (f"    - {counter}" for counter in finding.counters)
    yield ""
    if text.note:
        yield from (f"*{text.note}*", "")
    yield text.recommendation


_TOP = 20
_MAIN = ("function", "metric", "device", "score", "beta_a", "beta_b", "beta_delta", "p_beta", "mu_a", "mu_b")
"""Columns of triplets to show: those that the published sentences mention."""


def strict_text(answer: StrictAnswer, banner: Sequence[str], terminal: Terminal | None) -> str:
    """Renders the report as text; `banner` are lines of its weaknesses and units, the first one a heading."""
    blocks: list[Block] = [Heading(printable(report_title(answer.case, answer.processes[answer.chosen])), level=1)]
    if banner:
        blocks += [Heading(banner[0].rstrip(":")), Listing(tuple((printable(line), "") for line in banner[1:]))]
    blocks += _cut_to_fit(answer.tables["summary"])
    blocks += _cut_to_fit(answer.tables["cycles"])
    if answer.report is not None:
        blocks += _blocks(prose(answer.report, PLAIN))
    triplets = answer.tables["triplets"]
    shown = tuple(replace(column, shown=column.name in _MAIN) for column in triplets.columns)
    blocks += _cut_to_fit(replace(triplets, columns=shown))
    return text(blocks, terminal)


def _cut_to_fit(table: Table) -> list[Block]:
    grid = grid_of(table, top=_TOP, brief=False)
    left_out = f"{many(grid.left_out, 'more row')}: --format md" if grid.left_out else ""
    notes = (*grid.notes, left_out) if left_out else grid.notes
    return [Heading(table.title), replace(grid, left_out=0, notes=notes)]


def _blocks(words: Prose) -> list[Block]:
    findings = tuple(
        (printable(f"{finding.subject(PLAIN)}: {finding.sentence}"), printable(" ".join(finding.counters)))
        for finding in words.findings
    )
    return [
        Heading("Key findings"),
        *(Paragraph(printable(line)) for line in (words.overview,) if line),
        *([Listing(findings)] if findings else []),
        *(Paragraph(printable(line)) for line in (words.note, words.recommendation) if line),
    ]


_HEAD = "Known weaknesses of this method that touch this pair (docs/method/strict.md):"


def banner_lines(weaknesses: Sequence[Weakness], units: Sequence[str]) -> list[str]:
    """Returns plain lines: a heading, one line per weakness, one line with all units."""
    lines = [_HEAD, *(f"#{weakness.number}: {weakness.sentence}." for weakness in weaknesses)]
    if units:
        lines.append(f"Units of μ: {'; '.join(units)}.")
    return lines


def banner_markdown(lines: Sequence[str]) -> str:
    """Renders the banner's lines as a Markdown quotation, to precede a report."""
    head, *rest = lines
    return "\n".join([f"> **{head}**", ">", *(f"> - {line}" for line in rest), "", ""])


def unit_text(note: UnitNote) -> str:
    """Describes one counter's unit, with the range of its samples if known."""
    text = f"{note.metric} {note.unit.mu_text}"
    if note.low is None or note.high is None:
        return text
    low, high = (quantity(value, note.unit.sample) for value in (note.low, note.high))
    ends = f"{low.removesuffix(f' {note.unit.sample}')} to {high}"
    return f"{text} ({many(note.samples, 'sample')} of all devices, {ends})"
