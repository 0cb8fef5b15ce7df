"""What a report says and in which order, without any syntax: a list of blocks that text, Markdown and HTML draw."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.caveats import caveats_of
from tb_perfcompare.comparison.result.column_meaning import DELTA, VALUE
from tb_perfcompare.comparison.result.comparison import Comparison, View
from tb_perfcompare.comparison.result.controls import for_page
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.comparison.result.headline import Alternative, Headline, Shift, Verdict
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.side_facts import SideFacts
from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.comparison.result.wording import short, verdict_word
from tb_perfcompare.model.formats import CYCLES
from tb_perfcompare.model.note import ALWAYS_SAID, Note, NoteCode
from tb_perfcompare.model.summary.summary import CYCLE_TIME, STEP_TIME
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.grid import MARKS, Grid, grid_of, sums_line
from tb_perfcompare.render.ledger_tables import LEDGER, category_table, entity_table, ledger_table, parts_table
from tb_perfcompare.render.printable import printable

_ENTRIES = 3
_PARTS = 3
_SCALAR = re.compile(r"(?<=\[)\[\], |, \[\](?=[\],])")
"""An argument that is not a tensor, inside the shapes of a call."""


def largest_parts(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """(entry, its largest parts and the rest), for the entries with the largest change among those that have parts."""
    ledger = comparison.ledger
    unit = ledger.denominator * 1000
    entries = sorted(ledger.with_parts(), key=lambda entry: (-abs(entry[0].delta), entry[0].path))
    items = []
    for entry, parts in entries[:_ENTRIES]:
        listed = [row for row in parts if row.delta][:_PARTS]
        texts = [_part(row, unit) for row in listed]
        rest = entry.delta - sum(row.delta for row in listed)
        if rest or len(parts) > len(listed) + 1:
            texts.append(f"{number_text.time(rest / unit, signed=True)} all others")
        items.append((f"{entry.path[0]}: {short(entry.name)} {number_text.time(entry.delta / unit, signed=True)}",
                      "; ".join(texts)))  # fmt: skip
    return tuple(items)


def _part(row: LedgerRow, unit: int) -> str:
    mark = MARKS[row.status]
    name = short(shape_in_brief(row.name))
    return f"{number_text.time(row.delta / unit, signed=True)} {name}" + (f", {mark}" if mark else "")


def shape_in_brief(text: str) -> str:
    """Without the arguments that are not tensors: `aten::mm [[2, 3], [3, 4]]` for `aten::mm [[2, 3], [3, 4], []]`."""
    return _SCALAR.sub("", text)


DECIDED, WHY, WHERE, CAVEATS = "How this was decided", "Why", "Where the time went", "Caveats"
"""Headings of sections."""
_REPORT_TABLES = ("ranks", "operators", "kernels", "functions", "counters")
_FINDINGS_SHOWN = 8
_FINDINGS_OPEN = 5
"""On a page, as in the tab; the others are folded."""
_UNCLEAR = "~"  # measured, but the data cannot tell
_PARTS_LISTED = 40
_MAIN_ROLES = frozenset({"baseline", "candidate", "delta", "percent"})
_MAIN_TEXTS = frozenset({"verdict", "stands_out"})


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` 1 is the verdict, 2 a section."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One or more sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Short lines of a name and a value."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Items of a sentence and a smaller line about it ("" for none); numbered when their order means something. A page
    folds those after the first `open` ones."""

    items: tuple[tuple[str, str], ...]
    numbered: bool = False
    open: int | None = None


Block = Heading | Paragraph | Facts | Listing | Grid


def report(comparison: Comparison, *, top: int, is_page: bool = False) -> tuple[Block, ...]:
    """The whole report: verdict, headline, causes, ledger, the first `top` rows of the main tables, caveats. A page
    names tables by their titles, as no command is typed there."""
    headline = comparison.headline
    split = headline.program is not None
    reason = printable(headline.reason)
    line, _, more = reason.partition("; ")
    title = printable(headline.sentence) or f"{verdict_word(headline.verdict)}: {line}"
    if headline.sentence and line not in printable(headline.sentence):
        more = reason
    if is_page and headline.verdict is Verdict.WITHHELD:  # the reason is too long for the top of a page
        title, more = verdict_word(headline.verdict), reason
    blocks: list[Block] = [
        Heading(title, level=1),
        *([Paragraph(f"{more[0].upper()}{more[1:]}.")] if more and not split else []),
        *([Facts(tuple((fact.label.lower(), printable(fact.text)) for fact in headline.facts))] if split else []),
        Facts(_sides(comparison.baseline, comparison.candidate)),
        *([Heading(DECIDED)] if split or is_page else []),
        Facts(_headline(headline)),
    ]
    if headline.alternatives:
        blocks += [Heading("What could settle it"), _alternatives(headline.alternatives, is_page)]
    if comparison.findings:
        titles = {name: table.title for name, table in comparison.tables.items()} | {"categories": WHERE}
        blocks += [Heading(WHY), _findings(comparison.findings, titles if is_page else None)]
    if comparison.ledger.rows and comparison.headline.metric != CYCLE_TIME:  # a cycle is not split
        per = ", per step" if comparison.headline.metric == STEP_TIME else ""
        blocks += [Heading(f"{WHERE}{per}"), grid_of(category_table(comparison))]
        parts = largest_parts(comparison)
        if parts:
            blocks += [Heading("The largest by caller and input shape"), _listing(parts)]
    for name in _REPORT_TABLES:
        table = comparison.tables.get(name)
        if table is not None and table.rows:
            blocks += [Heading(printable(table.title)), grid_of(_brief(table, top), top=top)]
    caveats = _caveats(comparison, is_page)
    if caveats.items:
        blocks += [Heading(CAVEATS), caveats]
    return tuple(map(_without_options, blocks)) if is_page else tuple(blocks)


def _without_options(block: Block) -> Block:
    """For readers who type no command."""
    match block:
        case Paragraph(text):
            return Paragraph(for_page(text))
        case Facts(rows):
            return Facts(tuple((name, for_page(text)) for name, text in rows))
        case Listing(items):
            return replace(block, items=tuple((for_page(sentence), for_page(detail)) for sentence, detail in items))
    return block


def one_table(comparison: Comparison, name: str, *, top: int | None) -> tuple[Block, ...]:
    """A single table; the ledger's parts are a table of their own."""
    if name == LEDGER:
        parts = parts_table(comparison)
        below = () if parts is None else table_blocks(parts, top=_PARTS_LISTED if top is None else top)
        tables = (*table_blocks(entity_table(comparison), top=top), *below)
    else:
        tables = table_blocks(table_named(comparison, name), top=top)
    return (*tables, *_noted(note for note in comparison.notes if note.code in ALWAYS_SAID))


def view_blocks(view: View, *, top: int | None) -> tuple[Block, ...]:
    """One table of one run, its sums, and what weakens the run."""
    return (*table_blocks(view.table, top=top, sums=view.sums), *_noted(view.notes))


def table_blocks(table: Table, *, top: int | None, sums: Mapping[str, float | None] | None = None) -> tuple[Block, ...]:
    """A heading and the table; `sums` over all rows by column."""
    grid = grid_of(table, top=top, brief=False)
    total = sums_line(table, sums or {})
    return (Heading(printable(table.title)), replace(grid, notes=(*total, *grid.notes)))


def table_named(comparison: Comparison, name: str) -> Table:
    """A table of the comparison, or its ledger; SelectionError says which there are and why one is missing."""
    if name == LEDGER:
        return ledger_table(comparison)
    return comparison.table(name)


def _brief(table: Table, top: int) -> Table:
    """The table with its main measure only: keys, one baseline, candidate and delta, share, calls, status. Deltas of
    other times stay if one of the first rows has any, because they decide the order as well, then instead of the share
    that the main one is of the change."""
    deltas = [
        index for index, column in enumerate(table.columns) if column.role == "delta" and column.kind == "time_us"
    ]
    others = [
        table.columns[index]
        for index in deltas[1:]
        if table.columns[index].shown and any(row[index] for row in table.rows[:top])
    ]
    seen: set[str] = {"percent"} if others else set()
    chosen = []
    for column in table.columns:
        main = (column.role in _MAIN_ROLES and column.role not in seen) or column in others
        seen.add(column.role)
        always = column.role in ("key", "status") or column.kind == "count" or column.name in _MAIN_TEXTS
        chosen.append(column if main or always else replace(column, shown=False))
    return replace(table, columns=tuple(map(_narrow, chosen)), notes=(*table.notes, *_what_is_measured(table)))


_LETTERS = {"baseline": "A", "candidate": "B", "delta": "Δ"}
"""Role of a column of a table's main measure -> its label."""


def _is_main(column: Column) -> bool:
    return column.measure == "" and column.kind == "time_us" and column.statistic in (VALUE, DELTA)


def _narrow(column: Column) -> Column:
    return replace(column, label=_LETTERS.get(column.role, column.label)) if _is_main(column) else column


def _what_is_measured(table: Table) -> tuple[str, ...]:
    """What the letters mean, where the table's own headings say it."""
    firsts = [column for column in table.columns if _is_main(column) and column.role == "baseline"]
    labels = [column.label.removesuffix(" A") for column in firsts]
    return tuple(f"A, B and Δ are {label.lower()} time." for label in labels if label != "A")


def _sides(baseline: SideFacts, candidate: SideFacts) -> tuple[tuple[str, str], ...]:
    names = run_names(baseline, candidate)
    return ("baseline", _side(baseline, names[0])), ("candidate", _side(candidate, names[1]))


def run_names(baseline: SideFacts, candidate: SideFacts) -> tuple[str, str]:
    """What the runs are called; different ones of one name by their paths, from where these differ."""
    names = baseline.run or baseline.source, candidate.run or candidate.source
    paths = [re.split(r"[/\\]", side.source.rstrip("/\\")) for side in (baseline, candidate)]
    if names[0] != names[1] or paths[0] == paths[1]:
        return names
    alike = next((at for at, (a, b) in enumerate(zip(*paths, strict=False)) if a != b), min(map(len, paths)) - 1)
    return "/".join(paths[0][alike:]), "/".join(paths[1][alike:])


def _side(side: SideFacts, run: str) -> str:
    names = [run]
    if side.worker:
        names.append(f"worker {side.worker}")
    if side.span:
        names.append(f"span {side.span}")
    device = side.device.name or side.device.word
    names.append(f"{device} ×{side.device.count}" if side.device.count else device)
    noun = "cycle" if side.format == CYCLES else "step"
    names.append(f"{side.steps_admitted:,} of {number_text.many(side.steps_total, noun)}")
    return printable(" · ".join(names))


def _headline(headline: Headline) -> tuple[tuple[str, str], ...]:
    rows: list[tuple[str, str]] = []
    metric = headline.metric.replace("_", " ")
    if headline.baseline is not None and headline.candidate is not None:
        text = f"{number_text.time(headline.baseline)} → {number_text.time(headline.candidate)}"
        if headline.delta is not None:
            text += f"   Δ {number_text.time(headline.delta, signed=True)}"
        if headline.ratio is not None:
            text += f"   ratio {number_text.number(headline.ratio)}"
        rows.append((f"{metric}, mean", text))
    if headline.shift is not None:
        rows += _shift(headline.shift, headline.verdict)
    p = "" if headline.p is None else f"{number_text.p_text(headline.p)}   "
    n = f"n {headline.n[0]} and {headline.n[1]}   threshold {number_text.setting(headline.margin)}"
    rows.append(("evidence", f"{p}{n}   {printable(headline.method)}"))
    if headline.sensitivity:
        rows.append(("robustness", printable(headline.sensitivity)))
    if headline.program is not None:
        rows.append(("step time alone", f"{verdict_word(_recorded(headline))}: {printable(headline.reason)}"))
    elif headline.unsplit and headline.metric == STEP_TIME and headline.unsplit != headline.reason:
        rows.append(("machine", f"not separated from the program: {printable(headline.unsplit)}"))
    return tuple(rows)


def _alternatives(found: tuple[Alternative, ...], is_page: bool) -> Listing:
    """ "--steps 3-9: Slower: ..." and what that leaves out, which comes first on a page, where no command is typed;
    recordings to make have no result yet."""
    items = []
    for one in found:
        what = f"{one.what[0].upper()}{one.what[1:]}"
        if one.verdict is None:
            items.append((f"{what}.", ""))
            continue
        delta = "" if one.delta is None else f" · mean {number_text.time(one.delta, signed=True)}"
        n = "" if one.n is None else f" · n {one.n[0]} and {one.n[1]}"
        lead, rest = (what, f"{delta}{n}".removeprefix(" · ")) if is_page else (one.arguments, f"{one.what}{delta}{n}")
        items.append((f"{lead}: {printable(one.sentence)}", rest))
    return Listing(tuple(items))


def _recorded(headline: Headline) -> Verdict:
    return headline.verdict if headline.recorded is None else headline.recorded.verdict


def _shift(shift: Shift, verdict: Verdict) -> list[tuple[str, str]]:
    """The typical shift as a fraction and as a time, with what is known about its precision."""
    mark = f" {_UNCLEAR}" if verdict is Verdict.INCONCLUSIVE else ""
    estimate = f"{number_text.percent(shift.estimate, signed=True)}{mark}"
    estimate_us = number_text.time(shift.estimate_us, signed=True)
    interval = "[{}, {}]".format(*number_text.change_ends(shift.low, shift.high))
    interval_us = f"[{number_text.time(shift.low_us, signed=True)}, {number_text.time(shift.high_us, signed=True)}]"
    if shift.level is not None:
        level = f"{number_text.setting(round(shift.level, 3))} interval"
    elif shift.low == shift.high:
        return [("typical shift", f"{estimate}   {estimate_us}   no interval: too few samples")]
    else:
        level = "whole range; too few samples for an interval"
    return [("typical shift", f"{estimate}   {interval} {level}"), ("", f"{estimate_us}   {interval_us}")]


def _findings(findings: tuple[Finding, ...], titles: Mapping[str, str] | None) -> Listing:
    """`titles` of tables by name, on a page, which has all findings."""
    items = []
    for finding in findings[:_FINDINGS_SHOWN] if titles is None else findings:
        parts = [] if finding.delta_us is None else [number_text.time(finding.delta_us, signed=True)]
        if finding.share is not None:
            share = f"{number_text.percent(abs(finding.share))} of the change"
            parts.append(f"offsets {share}" if finding.share < 0 else share)
        parts.append(finding.confidence)
        if finding.evidence:
            table = finding.evidence[0].table
            parts.append(f"see {(titles or {}).get(table, table)}")
        if finding.look_at:
            parts.append(f"look at: {finding.look_at}")
        items.append((printable(finding.sentence), printable(" · ".join(parts))))
    return Listing(tuple(items), numbered=True, open=None if titles is None else _FINDINGS_OPEN)


def _listing(items: tuple[tuple[str, str], ...]) -> Listing:
    return Listing(tuple((printable(sentence), printable(detail)) for sentence, detail in items))


def _caveats(comparison: Comparison, is_page: bool) -> Listing:
    """Sentences, and below each what it weakens. On a page an absent table goes by its words."""
    items = []
    for caveat in caveats_of(comparison.comparability, comparison.notes):
        weakens = f"less certain: {caveat.weakens}" if caveat.weakens else ""
        if caveat.code == NoteCode.TABLE_ABSENT:
            note = comparison.notes[caveat.notes[0]]
            items.append((f"not recorded: {caveat.where} ({caveat.message})" if is_page else note.sentence, ""))
            continue
        failed = "failed: " if caveat.status == "fail" else ""
        about = caveat.where if caveat.status == "note" else caveat.name
        items.append((f"{failed}{about}: {caveat.message}" if about else caveat.message, weakens))
    return _listing(tuple(items))


def _noted(notes: Iterable[Note]) -> tuple[Block, ...]:
    """What weakens a table shown without the report."""
    items = tuple((printable(note.sentence), "") for note in notes)
    return (Heading("Notes"), Listing(items)) if items else ()
