"""A comparison as an HTML page: findings next to charts, then tables and caveats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Row, Table
from tb_perfcompare.comparison.result.wording import noun_of
from tb_perfcompare.render import document
from tb_perfcompare.render.blocks import Block, Heading, Paragraph
from tb_perfcompare.render.document import run_names
from tb_perfcompare.render.grid import Grid, grid_of
from tb_perfcompare.render.html import Markup, Page, Picture
from tb_perfcompare.render.ledger_tables import at_equal_speed
from tb_perfcompare.render.printable import printable
from tb_perfcompare.render.roofline import roofline
from tb_perfcompare.render.step_strip import step_strip
from tb_perfcompare.render.svg_axis import Axis
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
    placed: dict[str, list[tuple[Block, ...]]] = {document.WHY: [], document.WHERE: [], document.DECIDED: [], "": []}
    for section in sections:
        placed[next(place for place in placed if _title(section).startswith(place))].append(section)
    why, where, decided, below = placed.values()
    evidence: list[Sequence[Block | Markup]] = []
    for section in where:
        paced = {name: us for name, (us, _) in at_equal_speed(comparison).items() if isinstance(us, float)}
        evidence.append((section[0], Markup(waterfall_table(comparison.ledger, paced)), *_notes(section)))
    steps = comparison.tables.get("steps")
    noun = noun_of(comparison.headline.metric)
    if steps is not None and (strip := step_strip(steps, noun)):
        evidence.append((Heading(f"{noun.capitalize()} times"), Markup(strip)))
    shapes = comparison.tables.get("operators_by_shape")
    if shapes is not None and (drawing := roofline(shapes, comparison.peaks)):
        evidence.append((Heading("Roofline"), Markup(drawing)))
    body = (
        f"<header>\n{page.draw(lead, _TONES.get(comparison.headline.verdict, ''))}\n{_contents(below)}</header>",
        f'<div class="summary">\n<div>{_drawn(page, why)}</div>\n'
        f'<div class="right">{_drawn(page, evidence)}</div>\n'
        f"<div>{_drawn(page, decided)}</div>\n</div>",
        _drawn(page, below, is_linked=True),
    )
    runs = " → ".join(map(printable, run_names(comparison.baseline, comparison.candidate)))
    return page.document("\n".join(body), f"{TITLE}: {runs}")


def block_page(blocks: Iterable[Block | Markup]) -> str:
    """Renders blocks; the first heading becomes the page's h1."""
    page = Page()
    return page.document(page.draw(blocks), TITLE)


def table_page(blocks: Sequence[Block], table: Table) -> str:
    """Renders a single table; in a table of candidates the confidence intervals are drawn."""
    if (shift_index := _shift_column(table)) is None:
        return block_page(blocks)
    page = Page()
    head, cells = _intervals(table)
    columns = tuple(
        replace(column, shown=column.shown and column.name not in _INTERVAL_ENDS) for column in table.columns
    )
    grid = grid_of(replace(table, columns=columns, rows=_in_words(table)), brief=False)
    picture = Picture(sum(column.shown for column in columns[:shift_index]), tuple(map(Markup, cells)), Markup(head))
    names = _without_common_folder([cells[0] for cells in grid.rows])
    drawn = page.grid(grid, picture, names)
    return page.document(page.draw((Heading(printable(table.title)), Markup(drawn))), TITLE)


def _in_words(table: Table) -> tuple[Row, ...]:
    """Returns the rows with the names of checks as words, without underscores."""
    checks = table.places["caveats"]
    return tuple(
        (*row[:checks], None if row[checks] is None else str(row[checks]).replace("_", " "), *row[checks + 1 :])
        for row in table.rows
    )


def _without_common_folder(paths: Sequence[str]) -> list[str]:
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
    links = "".join(
        f'<a href="#s{number}">{escape(_title(section))}</a>' for number, section in enumerate(sections, start=1)
    )
    return f'<nav aria-label="Sections">{links}</nav>' if links else ""


def _drawn(page: Page, sections: Iterable[Sequence[Block | Markup]], *, is_linked: bool = False) -> str:
    drawn = []
    for number, section in enumerate(sections, start=1):
        id_attribute = f' id="s{number}"' if is_linked else ""
        drawn.append(f"<section{id_attribute}>\n{page.draw(section)}\n</section>")
    return "\n".join(drawn)


_AXIS_END_RATIO = 30
"""The axis ends at this many times the median candidate's shift, so that an outlier does not flatten the others."""
_COLUMNS = ("shift", "low", "high", "verdict", "margin")


def _shift_column(table: Table) -> int | None:
    """Index of the column with the shift in a table of candidates; None for other tables."""
    return table.places["shift"] if table.places.keys() >= set(_COLUMNS) else None


def _intervals(table: Table) -> tuple[str, tuple[str, ...]]:
    """Returns (heading with the axis, a drawing per row with its figures as text); "–" for rows without a shift."""
    places = [table.places[name] for name in _COLUMNS]
    picked = [tuple(row[place] for place in places) for row in table.rows]
    axis = _axis(picked)
    zero = f'<line class="zero" x1="{axis.at(0)}" x2="{axis.at(0)}" y1="0" y2="18"/>'
    ends = f'<text x="{axis.at(0)}" y="11" text-anchor="middle">0</text>'
    for end, anchor in ((axis.low, "start"), (axis.high, "end")):
        if abs(axis.share(end) - axis.share(0)) > 22:
            label = number_text.percent(end, signed=True)
            ends += f'<text x="{axis.at(end)}" y="11" text-anchor="{anchor}">{label}</text>'
    head = f'Change<svg width="100%" height="14" aria-hidden="true">{ends}</svg>'
    return head, tuple(_interval(cells, axis, zero) for cells in picked)


def _axis(rows: Sequence[tuple[Cell, ...]]) -> Axis:
    """Returns an axis with zero, the threshold on both sides and all intervals, cut off at _AXIS_END_RATIO."""
    reaches = [(low, high) for _, low, high, *_ in rows if isinstance(low, float) and isinstance(high, float)]
    margin = max((m for *_, m in rows if isinstance(m, float)), default=0.01)
    sizes = sorted(max(abs(low), abs(high)) for low, high in reaches)
    most = _AXIS_END_RATIO * max(margin, sizes[(len(sizes) - 1) // 2]) if len(sizes) > 2 else float("inf")
    low = max(-most, min(-1.5 * margin, *(low for low, _ in reaches), 0.0))
    high = min(most, max(1.5 * margin, *(high for _, high in reaches), 0.0))
    pad = 0.06 * (high - low)
    return Axis(low - pad, high + pad)


def _interval(cells: tuple[Cell, ...], axis: Axis, zero: str) -> str:
    shift, low, high, verdict, margin = cells
    if not (isinstance(shift, float) and isinstance(low, float) and isinstance(high, float)):
        return number_text.ABSENT
    tone = str(verdict).rpartition(" ")[2]
    name = {"slower": "more", "faster": "less"}.get(tone, "")
    band = ""
    if isinstance(margin, float):
        start = axis.share(1 / (1 + margin) - 1)
        band = f'<rect class="band" x="{start:.2f}%" width="{axis.share(margin) - start:.2f}%" y="0" height="18"/>'
    ends = "".join(
        f'<line class="whisker" x1="{axis.at(end)}" x2="{axis.at(end)}" y1="5" y2="13"/>'
        for end in (low, high)
        if axis.low <= end <= axis.high
    )
    beyond = "" if axis.low <= shift <= axis.high else "▸ " if shift > 0 else "◂ "
    text = "{}{} [{}, {}]".format(beyond, *number_text.change_and_ends(shift, low, high))
    return (
        f'<svg class="{name}" width="100%" height="18" aria-hidden="true">{band}{zero}'
        f'<line class="whisker" x1="{axis.at(low)}" x2="{axis.at(high)}" y1="9" y2="9"/>{ends}'
        f'<circle cx="{axis.at(shift)}" cy="9" r="4"/></svg>{text}'
    )
