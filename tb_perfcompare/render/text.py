"""Plain text for a terminal or a log: aligned columns, names shortened or cut so that a report's lines stay below
WIDTH. A table asked for by itself is as wide as its numbers need."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from tb_perfcompare.render.document import Block, Facts, Heading, Listing, Paragraph
from tb_perfcompare.render.grid import Grid, Head, with_short_names
from tb_perfcompare.render.widths import display_width, elide, elide_names

WIDTH = 110
_INDENT = "  "
_NARROWEST_NAME = 20
_WIDEST_NAME = 72


def text(blocks: Iterable[Block]) -> str:
    """The blocks as lines, ending with one line feed."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Heading) and lines:
            lines.append("")
        lines.extend(_draw(block))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _draw(block: Block) -> Iterator[str]:
    match block:
        case Heading(level=1):
            yield from textwrap.wrap(block.text, WIDTH, break_long_words=False, break_on_hyphens=False)
            yield ""
        case Heading():
            yield block.text
        case Paragraph():
            yield from _wrapped(block.text, _INDENT)
        case Facts():
            widest = max((display_width(name) for name, _ in block.rows), default=0)
            for name, value in block.rows:
                yield from _wrapped(value, f"{_INDENT}{_pad(name, widest, False)}  ")
        case Listing():
            yield from _listing(block)
        case Grid():
            yield from _grid(block)


def _listing(block: Listing) -> Iterator[str]:
    for number, (sentence, detail) in enumerate(block.items, start=1):
        lead = f"{_INDENT}{number}. " if block.numbered else f"{_INDENT}- "
        yield from _wrapped(sentence, lead)
        if detail:
            yield from _wrapped(detail, " " * len(lead))


def _wrapped(line: str, lead: str) -> list[str]:
    return textwrap.wrap(
        line, WIDTH, initial_indent=lead, subsequent_indent=" " * display_width(lead),
        break_long_words=False, break_on_hyphens=False, drop_whitespace=True,
    ) or [lead]  # fmt: skip


def _grid(grid: Grid) -> Iterator[str]:
    grid = with_short_names(grid, _widths(grid))
    widths = _widths(grid)
    yield _row([head.label for head in grid.heads], widths, grid.heads)
    columns = [
        elide_names(column, width) if head.code else column
        for column, width, head in zip(zip(*grid.rows, strict=True), widths, grid.heads, strict=False)
    ]
    for row in zip(*columns, strict=True):
        yield _row(row, widths, grid.heads)
    if not grid.rows:
        yield f"{_INDENT}(no rows)"
    if grid.left_out:
        how = f": --table {grid.name}" if grid.brief else ""
        yield f"{_INDENT}… {grid.left_out:,} more rows{how}"
    for note in grid.notes:
        yield from _wrapped(note, f"{_INDENT}* ")


def _widths(grid: Grid) -> list[int]:
    """Natural widths, but texts give way: in a report they share what the numbers leave of the line."""
    columns = [[head.label, *(row[index] for row in grid.rows)] for index, head in enumerate(grid.heads)]
    widths = [max(display_width(cell) for cell in column) for column in columns]
    texts = [index for index, head in enumerate(grid.heads) if not head.numeric]
    if not grid.brief:
        return [min(width, _WIDEST_NAME) if index in texts else width for index, width in enumerate(widths)]
    free = WIDTH - len(_INDENT) - 2 * (len(widths) - 1)
    free -= sum(width for index, width in enumerate(widths) if index not in texts)
    for rank, index in enumerate(sorted(texts, key=lambda index: widths[index])):
        widths[index] = min(widths[index], max(_NARROWEST_NAME, free // (len(texts) - rank)))
        free -= widths[index]
    return widths


def _row(cells: Iterable[str], widths: list[int], heads: tuple[Head, ...]) -> str:
    drawn = (
        _pad(cell if head.numeric else elide(cell, width), width, head.numeric)
        for cell, width, head in zip(cells, widths, heads, strict=True)
    )
    return _INDENT + "  ".join(drawn)


def _pad(cell: str, width: int, right: bool) -> str:
    space = " " * (width - display_width(cell))
    return space + cell if right else cell + space
