"""One HTML file that opens from disk: no script, no request, everything from the traces escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from tb_perfcompare.render.document import Block, Facts, Heading, Listing, Paragraph
from tb_perfcompare.render.grid import Grid, Head

_STYLE = """
:root { color-scheme: light dark }
body { font: 14px/1.45 system-ui, sans-serif; max-width: 1200px; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin: 1.6em 0 .4em }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1em 1em } dt { font-weight: 600 } dd { margin: 0 }
.wide { overflow-x: auto } table { border-collapse: collapse } th, td { padding: .15em .7em; text-align: left;
border-bottom: 1px solid #8884; white-space: nowrap } .n { text-align: right; font-variant-numeric: tabular-nums }
td code { display: inline-block; max-width: 60ch; overflow: hidden; text-overflow: ellipsis; vertical-align: bottom }
small { opacity: .75 }
"""


def html(blocks: Iterable[Block], title: str) -> str:
    """A complete document."""
    body = "\n".join(line for block in blocks for line in _draw(block))
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _draw(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield f"<h{block.level}>{escape(block.text)}</h{block.level}>"
        case Paragraph():
            yield f"<p>{escape(block.text)}</p>"
        case Facts():
            rows = (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in block.rows)
            yield f"<dl>{''.join(rows)}</dl>"
        case Listing():
            tag = "ol" if block.numbered else "ul"
            yield f"<{tag}>{''.join(_item(*item) for item in block.items)}</{tag}>"
        case Grid():
            yield from _grid(block)


def _item(sentence: str, detail: str) -> str:
    return f"<li>{escape(sentence)}" + (f"<br><small>{escape(detail)}</small>" if detail else "") + "</li>"


def _grid(grid: Grid) -> Iterator[str]:
    yield '<div class="wide"><table>'
    heads = (
        f'<th scope="col"{_class(head)} title="{escape(head.description)}">{escape(head.label)}</th>'
        for head in grid.heads
    )
    yield f"<thead><tr>{''.join(heads)}</tr></thead>"
    yield "<tbody>"
    for row in grid.rows:
        yield f"<tr>{''.join(_cell(cell, head) for cell, head in zip(row, grid.heads, strict=True))}</tr>"
    yield "</tbody></table></div>"
    if grid.left_out:
        yield f"<p><small>{grid.left_out:,} more rows are not shown.</small></p>"
    for note in grid.notes:
        yield f"<p><small>{escape(note)}</small></p>"


def _class(head: Head) -> str:
    return ' class="n"' if head.numeric else ""


def _cell(cell: str, head: Head) -> str:
    if head.code and cell:
        return f'<td><code title="{escape(cell)}">{escape(cell)}</code></td>'
    return f"<td{_class(head)}>{escape(cell)}</td>"
