"""The strict report for a terminal: the published sentences, and tables fitted to the width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.strict.answer import StrictAnswer
from tb_perfcompare.render.document import Block, Heading, Listing, Paragraph
from tb_perfcompare.render.grid import grid_of
from tb_perfcompare.render.printable import printable
from tb_perfcompare.render.strict.prose import PLAIN, Prose, prose
from tb_perfcompare.render.strict.report import report_title
from tb_perfcompare.render.text import text
from tb_perfcompare.render.widths import Terminal

_TOP = 20
_MAIN = ("function", "metric", "device", "score", "beta_a", "beta_b", "beta_delta", "p_beta", "mu_a", "mu_b")
"""Columns of triplets to show: those that the published sentences mention."""


def strict_text(answer: StrictAnswer, banner: Sequence[str], terminal: Terminal | None) -> str:
    """Renders the report as text; `banner` are lines of its weaknesses and units, the first one a heading."""
    blocks: list[Block] = [Heading(printable(report_title(answer.case, answer.processes[answer.chosen])), level=1)]
    if banner:
        blocks += [Heading(banner[0].rstrip(":")), Listing(tuple((printable(line), "") for line in banner[1:]))]
    blocks += _table(answer.tables["summary"])
    blocks += _table(answer.tables["cycles"])
    if answer.report is not None:
        blocks += _prose(prose(answer.report, PLAIN))
    triplets = answer.tables["triplets"]
    shown = tuple(replace(column, shown=column.name in _MAIN) for column in triplets.columns)
    blocks += _table(replace(triplets, columns=shown))
    return text(blocks, terminal)


def _table(table: Table) -> list[Block]:
    grid = grid_of(table, top=_TOP, brief=False)
    left_out = f"{grid.left_out:,} more rows: --format md" if grid.left_out else ""
    notes = (*grid.notes, left_out) if left_out else grid.notes
    return [Heading(table.title), replace(grid, left_out=0, notes=notes)]


def _prose(words: Prose) -> list[Block]:
    findings = tuple(
        (printable(f"{finding.subject}: {finding.sentence}"), printable(" ".join(finding.counters)))
        for finding in words.findings
    )
    return [
        Heading("Key findings"),
        *(Paragraph(printable(line)) for line in (words.overview,) if line),
        *([Listing(findings)] if findings else []),
        *(Paragraph(printable(line)) for line in (words.note, words.recommendation) if line),
    ]
