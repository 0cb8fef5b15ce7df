"""Renders blocks as plain text for a terminal or a log: aligned columns, shortened names, wrapped sentences. Lines of a
report have at most WIDTH columns, and no line is wider than the terminal. Without a terminal, a single table has one
line per row, as wide as needed."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.number_text import many
from tb_perfcompare.render.blocks import Block, Facts, Heading, Listing, Paragraph
from tb_perfcompare.render.grid import Grid, Head, with_short_names, without_blank
from tb_perfcompare.render.widths import Terminal, display_width, elide, elide_names

WIDTH = 110
_INDENT = "  "
_GAP = "  "
_NARROWEST_NAME = 20
_WIDEST_BESIDE = 30
"""On a terminal, names may take this many columns before numbers are moved to a further band below."""
_WIDEST_NAME = 72
_INSIDE_FIGURE = regex(
    r"(?<=\d) (?=(?:%|ns|µs|ms|s|B|KiB|MiB|GiB)(?!\w)|[\w.]+(?:::|#))|(?<=\bp) (?=[=<])|(?<=\bp [=<]) (?=\d)"
)
_UNBROKEN = "\N{NO-BREAK SPACE}"


def text(blocks: Iterable[Block], terminal: Terminal | None = None) -> str:
    """Renders blocks as lines, ending with one line feed; no line is wider than the terminal, if any."""
    drawer = _Drawer(terminal)
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Heading) and lines and lines[-1]:
            lines.append("")
        lines.extend(drawer.draw(block))
    return "\n".join(line.rstrip() for line in lines) + "\n"


_BOLD, _RED, _GREEN, _PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[0m"
_TONES = {"Slower": _RED, "Probably slower": _RED, "Faster": _GREEN, "Probably faster": _GREEN}
_NARROWEST = 40
"""Lines are laid out for at least this many columns; a narrower terminal breaks them."""


class _Drawer:
    """Renders blocks as lines for a terminal; None: single tables are as wide as needed."""

    def __init__(self, terminal: Terminal | None) -> None:
        self._terminal = max(_NARROWEST, terminal.width) if terminal is not None else None
        self._width = WIDTH if self._terminal is None else min(WIDTH, self._terminal)
        self._colors = terminal is not None and terminal.colors

    def draw(self, block: Block) -> Iterator[str]:
        match block:
            case Heading(level=1):
                wrapped = _wrap(block.text, self._width)
                tone = next((tone for word, tone in _TONES.items() if block.text.startswith(word)), "")
                yield from (self._marked(line, tone) for line in wrapped)
                yield ""
            case Heading():
                yield from map(self._marked, self._wrapped(block.text, "") if self._terminal else [block.text])
            case Paragraph():
                yield from self._wrapped(block.text, _INDENT)
            case Facts():
                widest = max((display_width(name) for name, _ in block.rows), default=0)
                for name, value in block.rows:
                    yield from self._wrapped(value, f"{_INDENT}{_pad(name, widest, False)}  ")
            case Listing():
                yield from self._listing(block)
            case Grid():
                yield from self._grid(block)

    def _marked(self, line: str, tone: str = "") -> str:
        return f"{_BOLD}{tone}{line}{_PLAIN}" if self._colors else line

    def _listing(self, block: Listing) -> Iterator[str]:
        for number, (sentence, detail) in enumerate(block.items, start=1):
            lead = f"{_INDENT}{number}. " if block.numbered else f"{_INDENT}- "
            yield from self._wrapped(sentence, lead)
            if detail:
                yield from self._wrapped(detail, " " * len(lead))

    def _wrapped(self, line: str, lead: str) -> list[str]:
        return _wrap(line, self._width, lead, break_words=self._terminal is not None) or [lead]

    def _grid(self, grid: Grid) -> Iterator[str]:
        if grid.name == "recommendations" or (len(grid.heads) == 1 and not grid.heads[0].numeric):  # sentences
            for sentence, *side in grid.rows:
                yield from self._wrapped(": ".join([*side, sentence]), f"{_INDENT}- ")
        else:
            yield from self._table(grid)
        if not grid.rows:
            yield f"{_INDENT}(no rows)"
        if grid.left_out:
            how = f": --table {grid.name}" if grid.brief else ""
            yield f"{_INDENT}… {many(grid.left_out, 'more row')}{how}"
        for note in grid.notes:
            yield from self._wrapped(note, f"{_INDENT}* ")

    def _table(self, grid: Grid) -> Iterator[str]:
        """Renders a table. Columns that do not fit the terminal follow below in further bands, each beginning with the
        names again; empty text columns are left out."""
        if grid.brief or self._terminal is not None:
            grid = without_blank(grid)
        grid = with_short_names(grid, self._widths(grid))
        widths = self._widths(grid)
        columns = [
            elide_names(column, width) if head.code else column
            for column, width, head in zip(zip(*grid.rows, strict=True), widths, grid.heads, strict=False)
        ]
        rows = list(zip(*columns, strict=True))
        for part, indices in enumerate(self._bands(grid.heads, widths)):
            if part:
                yield ""
            heads = tuple(grid.heads[index] for index in indices)
            wide = [widths[index] for index in indices]
            yield from map(self._marked, _row([head.label for head in heads], wide, heads))
            for row in rows:
                yield from _row([row[index] for index in indices], wide, heads)

    def _bands(self, heads: tuple[Head, ...], widths: list[int]) -> list[list[int]]:
        """Returns the columns' indices in bands that fit the terminal; all bands begin with the column of names."""
        keys = [index for index, head in enumerate(heads) if head.code][:1]
        bands: list[list[int]] = [[]]
        used = len(_INDENT) - len(_GAP)
        for index, width in enumerate(widths):
            needs = len(_GAP) + width
            if self._terminal is not None and used + needs > self._terminal and len(bands[-1]) > len(keys):
                bands.append([key for key in keys if key != index])
                used = len(_INDENT) - len(_GAP) + sum(len(_GAP) + widths[key] for key in bands[-1])
            bands[-1].append(index)
            used += needs
        return bands

    def _widths(self, grid: Grid) -> list[int]:
        """Returns the columns' widths: those of their content, but in a report and on a terminal, text columns share
        what numbers leave of the line. On a terminal, columns of sentences may get a band of their own after the
        name."""
        columns = [[head.label, *(row[index] for row in grid.rows)] for index, head in enumerate(grid.heads)]
        widths = [max(display_width(cell) for cell in column) for column in columns]
        texts = [index for index, head in enumerate(grid.heads) if not head.numeric]
        if not grid.brief and self._terminal is None:
            return [min(width, _WIDEST_NAME) if grid.heads[index].code else width for index, width in enumerate(widths)]
        available = self._width if grid.brief else self._terminal or self._width
        narrowest = _NARROWEST_NAME
        if self._terminal is not None:
            narrowest = max(narrowest, min(_WIDEST_BESIDE, available * 3 // 8))
            longest = available - len(_INDENT) - len(_GAP) - narrowest
            widths = [min(width, longest) if index in texts else width for index, width in enumerate(widths)]
            texts = [index for index in texts if grid.heads[index].code]
        free = available - len(_INDENT) - len(_GAP) * (len(widths) - 1)
        free -= sum(width for index, width in enumerate(widths) if index not in texts)
        for rank, index in enumerate(sorted(texts, key=lambda index: widths[index])):
            widths[index] = min(widths[index], max(narrowest, free // (len(texts) - rank)))
            free -= widths[index]
        return widths


def _row(cells: Sequence[str], widths: list[int], heads: tuple[Head, ...]) -> Iterator[str]:
    """Yields the lines of a table row: names are cut, sentences continue on the next line."""
    drawn = [
        [cell] if head.numeric else [elide(cell, width)] if head.code else _wrap(cell, width, break_words=True)
        for cell, width, head in zip(cells, widths, heads, strict=True)
    ]
    for line in zip_longest(*drawn, fillvalue=""):
        padded = (_pad(cell, width, head.numeric) for cell, width, head in zip(line, widths, heads, strict=True))
        yield _INDENT + _GAP.join(padded)


def _wrap(line: str, width: int, lead: str = "", *, break_words: bool = False) -> list[str]:
    """Wraps a line at `width` columns, with `lead` before the first line. Keeps a number and its unit together, or the
    operator that it counts."""
    lines = textwrap.wrap(
        _INSIDE_FIGURE.sub(_UNBROKEN, line), width, initial_indent=lead, subsequent_indent=" " * display_width(lead),
        break_long_words=break_words, break_on_hyphens=False,
    )  # fmt: skip
    return [text.replace(_UNBROKEN, " ") for text in lines]


def _pad(cell: str, width: int, right: bool) -> str:
    space = " " * (width - display_width(cell))
    return space + cell if right else cell + space
