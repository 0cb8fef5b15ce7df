"""A comparison as an HTML page: findings next to charts, then tables and caveats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.table import Row, Table
from tb_perfcompare.model.summary.summary import CYCLE_TIME
from tb_perfcompare.render import document
from tb_perfcompare.render.document import Block, Heading, Paragraph, run_names
from tb_perfcompare.render.grid import Grid, grid_of
from tb_perfcompare.render.html import Markup, Page, Picture
from tb_perfcompare.render.intervals import intervals, shift_column
from tb_perfcompare.render.printable import printable
from tb_perfcompare.render.roofline import roofline
from tb_perfcompare.render.step_strip import step_strip
from tb_perfcompare.render.waterfall import waterfall_table

TITLE = "Performance comparison"
_TONES = {
    Verdict.SLOWER: "more", Verdict.PROBABLY_SLOWER: "more", Verdict.FASTER: "less", Verdict.PROBABLY_FASTER: "less",
    Verdict.INCONCLUSIVE: "unsure", Verdict.WITHHELD: "unsure",
}  # fmt: skip
_INTERVAL_ENDS = ("low", "high")


def report_page(comparison: Comparison, *, top: int) -> str:
    """Renders the report of a comparison, with `top` rows per table."""
    page = Page()
    lead, *sections = _sections(document.report(comparison, top=top, is_page=True))
    why = [section for section in sections if _title(section) == document.WHY]
    evidence: list[Sequence[Block | Markup]] = []
    for section in sections:
        if _title(section).startswith(document.WHERE):
            evidence.append((section[0], Markup(waterfall_table(comparison.ledger)), *_notes(section)))
    steps = comparison.tables.get("steps")
    noun = "cycle" if comparison.headline.metric == CYCLE_TIME else "step"
    if steps is not None and (strip := step_strip(steps, noun)):
        evidence.append((Heading(f"{noun.capitalize()} times"), Markup(strip)))
    shapes = comparison.tables.get("operators_by_shape")
    if shapes is not None and (drawing := roofline(shapes, comparison.peaks)):
        evidence.append((Heading("Roofline"), Markup(drawing)))
    decided = [section for section in sections if _title(section) == document.DECIDED]
    below = [
        section for section in sections
        if _title(section) not in (document.WHY, document.DECIDED) and not _title(section).startswith(document.WHERE)
    ]  # fmt: skip
    body = (
        f"<header>\n{page.draw(lead, _TONES.get(comparison.headline.verdict, ''))}\n{_contents(below)}</header>",
        f'<div class="summary">\n<div>{_drawn(page, why)}</div>\n'
        f'<div class="right">{_drawn(page, evidence)}</div>\n'
        f"<div>{_drawn(page, decided)}</div>\n</div>",
        _drawn(page, below, is_linked=True),
    )
    runs = " → ".join(map(printable, run_names(comparison.baseline, comparison.candidate)))
    return page.document("\n".join(body), f"{TITLE}: {runs}")


def table_page(blocks: Sequence[Block], table: Table, *, top: int | None) -> str:
    """Renders a single table; in a table of candidates the confidence intervals are drawn."""
    page = Page()
    if (at := shift_column(table)) is None:
        return page.document(page.draw(blocks), TITLE)
    head, cells = intervals(table)
    columns = tuple(
        replace(column, shown=column.shown and column.name not in _INTERVAL_ENDS) for column in table.columns
    )
    grid = grid_of(replace(table, columns=columns, rows=_in_words(table)), top=top, brief=False)
    picture = Picture(sum(column.shown for column in columns[:at]), tuple(map(Markup, cells[:top])), Markup(head))
    names = _without_common_folder([cells[0] for cells in grid.rows])
    drawn = page.grid(grid, picture, names)
    return page.document(page.draw((Heading(printable(table.title)), Markup(drawn))), TITLE)


def _in_words(table: Table) -> tuple[Row, ...]:
    """Returns the rows with the names of checks as words, without underscores."""
    checks = [column.name for column in table.columns].index("caveats")
    return tuple(
        (*row[:checks], None if row[checks] is None else str(row[checks]).replace("_", " "), *row[checks + 1 :])
        for row in table.rows
    )


def _without_common_folder(paths: Sequence[str]) -> list[str]:
    """Returns the paths without their common leading folders."""
    folders = [path.split("/")[:-1] for path in paths]
    shared = 0
    while len(paths) > 1 and all(
        len(parents) > shared and parents[shared] == folders[0][shared] for parents in folders
    ):
        shared += 1
    return ["/".join(path.split("/")[shared:]) for path in paths]


def _notes(section: Sequence[Block]) -> Iterator[Block]:
    """Yields the notes of a section's tables, which are replaced by a chart."""
    for block in section:
        if isinstance(block, Grid):
            yield from map(Paragraph, block.notes)


def _sections(blocks: Iterable[Block]) -> list[tuple[Block, ...]]:
    """Splits blocks into those before the first section, then one group per section, beginning with its heading."""
    sections: list[list[Block]] = [[]]
    for block in blocks:
        if isinstance(block, Heading) and block.level > 1:
            sections.append([])
        sections[-1].append(block)
    return [tuple(section) for section in sections]


def _title(section: Sequence[Block]) -> str:
    return section[0].text if isinstance(section[0], Heading) else ""


def _contents(sections: Sequence[Sequence[Block]]) -> str:
    links = "".join(f'<a href="#s{at}">{escape(_title(section))}</a>' for at, section in enumerate(sections, start=1))
    return f'<nav aria-label="Sections">{links}</nav>' if links else ""


def _drawn(page: Page, sections: Iterable[Sequence[Block | Markup]], *, is_linked: bool = False) -> str:
    drawn = []
    for at, section in enumerate(sections, start=1):
        id_attribute = f' id="s{at}"' if is_linked else ""
        drawn.append(f"<section{id_attribute}>\n{page.draw(section)}\n</section>")
    return "\n".join(drawn)
