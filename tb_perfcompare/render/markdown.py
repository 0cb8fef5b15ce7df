"""Renders blocks as Markdown for a GitHub issue or pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.number_text import many
from tb_perfcompare.render.blocks import Block, Facts, Heading, Listing, Paragraph
from tb_perfcompare.render.grid import Grid, with_short_names
from tb_perfcompare.render.widths import elide_names

_NAME_WIDTH = 120
_SPECIAL = regex(r"([\\`*_\[\]<>|~#$])")


def markdown(blocks: Iterable[Block]) -> str:
    """Renders blocks as GitHub-flavoured Markdown."""
    return "\n".join(line for block in blocks for line in _draw(block)) + "\n"


def escape(text: str) -> str:
    """Escapes the characters of a plain text that are Markdown syntax."""
    return _SPECIAL.sub(r"\\\1", text)


def code(name: str) -> str:
    """Renders a name as a code span for a table cell: nothing in it acts as markup or mention, and `|` does not end the
    cell.

    The fence is longer than any run of backticks in the name."""
    if not name:
        return ""
    longest = max((len(run) for run in re.findall(r"`+", name)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return fence + pad + name.replace("|", r"\|") + pad + fence


def _draw(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield from ("#" * (block.level + 1) + " " + escape(block.text), "")
        case Paragraph():
            yield from (escape(block.text), "")
        case Facts():
            for name, value in block.rows:
                yield f"- **{escape(name)}** {escape(value)}" if name else f"  {escape(value)}"
            yield ""
        case Listing():
            for sentence, detail in block.items:
                mark = "1." if block.numbered else "-"
                yield f"{mark} {escape(sentence)}" + (f"<br>{escape(detail)}" if detail else "")
            yield ""
        case Grid():
            yield from _grid(block)


def _grid(grid: Grid) -> Iterator[str]:
    grid = with_short_names(grid, [_NAME_WIDTH] * len(grid.heads))
    yield _line(escape(head.label) for head in grid.heads)
    yield _line("---:" if head.numeric else "---" for head in grid.heads)
    columns = [
        elide_names(column, _NAME_WIDTH) if head.code else column
        for column, head in zip(zip(*grid.rows, strict=True), grid.heads, strict=False)
    ]
    for row in zip(*columns, strict=True):
        yield _line((code if head.code else escape)(cell) for cell, head in zip(row, grid.heads, strict=True))
    yield ""
    if grid.left_out:
        yield from (f"{many(grid.left_out, 'more row')} not shown.", "")
    for note in grid.notes:
        yield from (escape(note), "")


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
