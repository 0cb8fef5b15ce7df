"""Renders blocks as one self-contained HTML file: no scripts, no requests, all text from traces escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from tb_perfcompare._version import __version__
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.names.short_names import short_names
from tb_perfcompare.number_text import MINUS, many
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.blocks import Block, Facts, Heading, Listing, Paragraph
from tb_perfcompare.render.grid import Grid, Head, without_blank
from tb_perfcompare.render.html_style import STYLE, cards, is_wide
from tb_perfcompare.render.widths import elide_names

_NAME_WIDTH = 120
_BADGES = {"baseline": '<b class="badge a">A</b> baseline', "candidate": '<b class="badge b">B</b> candidate'}
_PAGE_OF_DOCS = regex(r"\s*\(docs/[^)]*\)")
_READING = "Corrected reading."


@dataclass(frozen=True, slots=True)
class Markup:
    """HTML that needs no escaping."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Drawings that replace the cells of a table's column, in the order of its rows, and its heading."""

    column: int
    cells: tuple[Markup, ...]
    head: Markup


class Page:
    """Renders blocks and collects the tables' labels, for style rules that show rows as cards on narrow screens."""

    def __init__(self) -> None:
        self._labels: list[list[str]] = []
        self._has_title = False

    def document(self, body: str, title: str) -> str:
        """Wraps rendered blocks into a complete document."""
        policy = "default-src 'none'; style-src 'unsafe-inline'"
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
            f"<style>{STYLE}{cards(self._labels)}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
            f"<footer>tb_perfcompare {__version__}</footer>\n</body>\n</html>\n"
        )

    def draw(self, blocks: Iterable[Block | Markup], tone: str = "") -> str:
        """Renders blocks one below the other. `tone` is the title's style: "more", "less", "unsure" or ""."""
        return "\n".join(self._block(block, tone) for block in blocks)

    def grid(self, grid: Grid, picture: Picture | None = None, names: Sequence[str] | None = None) -> str:
        """Renders a table with its notes below. `names` are shown in place of the first column's cells, which become
        tooltips."""
        labels = ["" if head.code else head.label for head in grid.heads]
        if picture:
            labels[picture.column] = ""
        self._labels.append(labels)
        columns = [list(column) for column in zip(*grid.rows, strict=True)] or [[] for _ in grid.heads]
        drawn = [_column(cells, head) for cells, head in zip(columns, grid.heads, strict=True)]
        heads = [
            f'<th scope="col"{_classes("n" if head.numeric else "")} title="{escape(head.description)}">'
            f"{escape(head.label)}</th>"
            for head in grid.heads
        ]
        if names is not None:
            drawn[0] = [_name(cell, short) for cell, short in zip(columns[0], names, strict=True)]
        if picture:
            drawn[picture.column] = [f'<td class="interval">{cell.text}</td>' for cell in picture.cells]
            heads[picture.column] = f'<th scope="col" class="interval">{picture.head.text}</th>'
        rows = "".join(f"<tr>{''.join(cells)}</tr>\n" for cells in zip(*drawn, strict=True))
        table = (
            f'<table id="t{len(self._labels)}">\n<thead><tr>{"".join(heads)}</tr></thead>\n'
            f"<tbody>\n{rows}</tbody></table>"
        )
        if is_wide(labels):
            table = f'<div class="wide" role="region" aria-label="{escape(grid.title)}" tabindex="0">{table}</div>'
        left_out = (f"{many(grid.left_out, 'more row')} not shown.",) if grid.left_out else ()
        notes = " ".join(filter(None, map(_note, (*left_out, *grid.notes))))
        return table + (f'\n<p class="notes">{escape(notes)}</p>' if notes else "")

    def _block(self, block: Block | Markup, tone: str) -> str:
        match block:
            case Markup():
                return block.text
            case Heading():
                level, self._has_title = 2 if self._has_title else 1, True
                return f"<h{level}{_classes(tone if level == 1 else '')}>{escape(block.text)}</h{level}>"
            case Paragraph():
                return f"<p>{escape(block.text)}</p>"
            case Facts():
                return f"<dl>{''.join(_fact(name, value) for name, value in block.rows)}</dl>"
            case Listing():
                return _listing(block)
            case Grid():
                return self.grid(without_blank(block) if block.brief else block)


def _fact(name: str, value: str) -> str:
    """Renders a fact; one without a name continues the fact before."""
    label = f"<dt>{_BADGES.get(name, escape(name))}</dt>" if name else ""
    return f"{label}<dd>{escape(re.sub('   +', ' · ', value))}</dd>"


def _listing(block: Listing) -> str:
    tag = "ol" if block.numbered else "ul"
    shown, more = block.items[: block.open], block.items[len(block.items) if block.open is None else block.open :]
    drawn = f"<{tag}>{''.join(_item(*item) for item in shown)}</{tag}>"
    if not more:
        return drawn
    start = f' start="{len(shown) + 1}"' if block.numbered else ""
    rest = "".join(_item(*item) for item in more)
    return f"{drawn}\n<details><summary>{len(more)} more</summary><{tag}{start}>{rest}</{tag}></details>"


def _item(sentence: str, detail: str) -> str:
    return f"<li>{escape(sentence)}" + (f"<br><small>{escape(detail)}</small>" if detail else "") + "</li>"


def _note(note: str) -> str:
    """Turns a note into a sentence without its references to documentation files; "" if nothing is left."""
    text = _PAGE_OF_DOCS.sub("", note).strip()
    if not text or text == _READING:
        return ""
    text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _column(cells: list[str], head: Head) -> list[str]:
    if head.code:
        shown = elide_names(short_names(cells), _NAME_WIDTH)
        return [_name(cell, short) for cell, short in zip(cells, shown, strict=True)]
    return [f"<td{_classes('n' if head.numeric else '', _tone(cell, head))}>{escape(cell)}</td>" for cell in cells]


def _name(cell: str, short: str) -> str:
    """Renders a short name, with the full name as tooltip."""
    if not cell:
        return "<td></td>"
    title = f' title="{escape(cell)}"' if short != cell else ""
    return f'<td class="key"><code{title}>{escape(short)}</code></td>'


def _tone(cell: str, head: Head) -> str:
    """Style of a difference, "more" or "less"; "" for other cells."""
    if not head.is_delta:
        return ""
    return "more" if cell.startswith(("+", "<")) else "less" if cell.startswith((MINUS, ">")) else ""


def _classes(*names: str) -> str:
    given = " ".join(filter(None, names))
    return f' class="{given}"' if given else ""
