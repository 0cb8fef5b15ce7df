"""The style sheet of HTML reports: the tab's colors, light and dark; rows become cards where a table is too wide."""

from __future__ import annotations

from collections.abc import Sequence

NARROW = "(max-width: 640px)"
"""Media query of screens on which table rows become cards."""
_MANY_COLUMNS = 9
"""The rows of tables with more columns than this become cards also on paper and on screens up to 1100 px."""

STYLE = """
:root { color-scheme: light dark; --page: #fff; --panel: #f6f6f9; --line: #e0e0e9; --ink: #1d1d29; --dim: #5c5c6f;
--a: #4338ca; --a-soft: #e9e8fb; --a-fill: #6d66e0; --b: #a21caf; --b-soft: #f9e6fa; --b-fill: #c65ad0;
--more: #b93815; --more-fill: #e0603a; --less: #0b6e63; --less-fill: #23998b; --unsure: #7a5300; --axis: #b9b9c8 }
@media screen and (prefers-color-scheme: dark) { :root { --page: #1f2025; --panel: #292b31; --line: #3b3d46;
--ink: #eeeef4; --dim: #a6a8b8; --a: #aaa6ff; --a-soft: #34335c; --a-fill: #7f79ee; --b: #f09af3; --b-soft: #4d2b50;
--b-fill: #c964d2; --more: #ff9d7d; --more-fill: #d9623e; --less: #5fd3c3; --less-fill: #2e9c8e; --unsure: #f0cf84;
--axis: #5d6070 } }
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; print-color-adjust: exact; -webkit-print-color-adjust: exact }
body { font: 14px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif;
margin: 0 auto; max-width: 1240px; padding: 24px 20px 48px; background: var(--page); color: var(--ink);
overflow-wrap: break-word }
h1 { font-size: 22px; line-height: 1.25; margin: 0 0 10px; padding-left: 12px; border-left: 5px solid var(--axis) }
h2 { font-size: 15px; margin: 0 0 6px } section { margin-top: 26px } p { margin: 4px 0 }
h1.more { border-color: var(--more-fill) } h1.less { border-color: var(--less-fill) }
h1.unsure { border-color: var(--unsure) }
dl { display: grid; grid-template-columns: minmax(90px, max-content) 1fr; gap: 2px 14px; margin: 10px 0 }
dt { font-weight: 600 } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; grid-column: 2 }
ol, ul { margin: 0; padding-left: 22px } li { margin: 5px 0; overflow-wrap: anywhere }
summary { margin: 6px 0; color: var(--a); cursor: pointer; width: fit-content }
small, .notes { color: var(--dim); font-size: 12px } a { color: var(--a) }
nav { display: flex; flex-wrap: wrap; gap: 2px 16px; margin-top: 12px; font-size: 13px }
.badge { display: inline-block; min-width: 18px; padding: 0 4px; border-radius: 4px; font-size: 12px; font-weight: 700;
text-align: center } .badge.a { background: var(--a-soft); color: var(--a) }
.badge.b { background: var(--b-soft); color: var(--b) }
.summary { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 40px }
.summary > .right { grid-column: 2; grid-row: 1 / span 2 } .summary { grid-template-rows: auto 1fr }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px }
th, td { padding: 3px 12px 3px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
th { color: var(--dim); font-weight: 600; vertical-align: bottom } th:last-child, td:last-child { padding-right: 0 }
td.key { min-width: 26ch } .n { text-align: right; white-space: nowrap } th.n { white-space: normal }
code { font: 12px/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace; overflow-wrap: anywhere }
td.more, .fall .more { color: var(--more) } td.less, .fall .less { color: var(--less) }
.wide { overflow-x: auto }
svg { display: block; overflow: visible } svg text { font-size: 11px; fill: var(--dim) }
.grid-line { stroke: var(--line) } .join { stroke: var(--axis) } .break { fill: var(--page) }
.bar-more { fill: var(--more-fill) } .bar-less { fill: var(--less-fill) } .bar-a { fill: var(--a-fill) }
.bar-b { fill: var(--b-fill) }
.falls { width: 100%; table-layout: fixed } .falls th:nth-child(1) { width: 26% }
.falls th:nth-child(n + 3) { width: 14% } .falls.paced th:nth-child(n + 3) { width: 13% }
.falls td { vertical-align: middle; border: 0; padding-block: 2px }
.falls tr.total { font-weight: 600 } .falls td:nth-child(1) { overflow-wrap: anywhere }
.strip { display: grid; grid-template-columns: 40px 1fr 1fr; gap: 0 12px } .strip p { grid-row: 2; font-size: 12px }
.strip .lane { overflow: hidden } .strip .lane svg { overflow: hidden }
.lane path { fill: none; stroke-linecap: round; vector-effect: non-scaling-stroke }
.lane .line { stroke-width: 1; opacity: .5 } .lane .dots { stroke-width: 6 } .lane .hole { stroke-width: 3.4 }
.lane.a path { stroke: var(--a-fill) } .lane.b path { stroke: var(--b-fill) } .lane path.hole { stroke: var(--page) }
.roofline { padding: 24px 6px 34px 52px }
.roof-name { paint-order: stroke; stroke: var(--page); stroke-width: 3px }
.roof { stroke: var(--dim); stroke-width: 1.5 }
.roof.a { stroke: var(--a-fill) } .roof.b { stroke: var(--b-fill); stroke-dasharray: 6 3 }
.spot-a { fill: var(--a-fill); fill-opacity: .45; stroke: var(--a-fill) }
.spot-b { fill: none; stroke: var(--b-fill); stroke-width: 2 }
.interval { min-width: 190px } .interval .band { fill: var(--line) } .interval .zero { stroke: var(--dim) }
.interval .whisker { stroke: var(--dim); stroke-width: 2 } .interval circle { fill: var(--dim) }
.interval .more .whisker { stroke: var(--more-fill) } .interval .more circle { fill: var(--more-fill) }
.interval .less .whisker { stroke: var(--less-fill) } .interval .less circle { fill: var(--less-fill) }
footer { margin-top: 32px; color: var(--dim); font-size: 12px }
@media (max-width: 900px) { .summary { display: block } }
@media (max-width: 640px) { body { padding: 14px 14px 32px } h1 { font-size: 19px }
dl { grid-template-columns: minmax(0, 1fr); gap: 0 } dd { grid-column: 1; margin-bottom: 6px }
.falls, .falls tbody { display: block } .falls thead { display: none }
.falls tr { display: grid; grid-template-columns: 1fr auto auto auto; gap: 0 10px; padding: 4px 0 }
.falls td { padding: 0 } .falls td:nth-child(2) { grid-row: 2; grid-column: 1 / -1 }
.falls tbody td:nth-child(4)::before { content: 'A '; color: var(--dim) }
.falls tbody td:nth-child(5)::before { content: 'B '; color: var(--dim) } .falls td:empty { display: none }
.falls tbody td:nth-child(6) { grid-column: 1 / -1 } .falls tbody td:nth-child(6)::before {
  content: 'Δ at equal speed '; color: var(--dim) } }
@page { size: A4; margin: 14mm 12mm }
@media print { body { max-width: none; padding: 0; font-size: 9.5pt } table { font-size: 8pt; width: 100% }
code { font-size: 7.5pt } section { break-inside: auto } h2 { break-after: avoid }
tr, li, svg, .strip { break-inside: avoid }
thead { display: table-header-group } .summary { display: block } nav, summary { display: none }
details::details-content { content-visibility: visible; display: block } .notes { break-before: avoid } }
"""

_CARDS = """
{rows} {{ display: block; width: 100% }} {rows} tbody {{ display: block }}
{rows} thead {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }}
{rows} tr {{ display: flex; flex-wrap: wrap; gap: 0 14px; padding: 6px 0; border-bottom: 1px solid var(--line) }}
{rows} td {{ border: 0; padding: 0; min-width: 0; overflow-wrap: anywhere; text-align: left }}
{rows} td.key, {rows} td.interval {{ flex: 0 0 100%; min-width: 0 }}
{rows} td:empty {{ display: none }} {rows} td::before {{ color: var(--dim); font-size: 11px; margin-right: 4px }}
"""


def cards(tables: Sequence[Sequence[str]]) -> str:
    """CSS rules that show table rows as cards on narrow screens, with the column's label before each cell.

    tables  per table of the page, in order, the labels of its columns ("": no label)
    """
    rules = []
    for number, labels in enumerate(tables, start=1):
        media = f"print, (max-width: 1100px), {NARROW}" if len(labels) > _MANY_COLUMNS else NARROW
        labels_css = "".join(
            f"#t{number} td:nth-child({index})::before {{ content: {_quoted(label)} }}\n"
            for index, label in enumerate(labels, start=1)
            if label
        )
        rules.append(f"@media {media} {{{_CARDS.format(rows=f'#t{number}')}{labels_css}}}\n")
    return "".join(rules)


def is_wide(labels: Sequence[str]) -> bool:
    """Whether a table with these columns may be wider than a page."""
    return len(labels) > _MANY_COLUMNS


def _quoted(label: str) -> str:
    """Quotes a label as a CSS string; escapes all characters but letters, digits and spaces."""
    return '"' + "".join(char if char.isalnum() or char == " " else f"\\{ord(char):x} " for char in label) + '"'
