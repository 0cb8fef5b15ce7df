"""Content and order of a report as a list of blocks, which text, Markdown and HTML render."""

from __future__ import annotations

import re
from dataclasses import replace

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.caveats import caveats_of, not_recorded
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.controls import for_page
from tb_perfcompare.comparison.result.headline import COUNTED, Headline, Verdict
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.side_facts import SideFacts
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.result.table_catalogue import LEDGER
from tb_perfcompare.comparison.result.wording import short, short_apart, verdict_word
from tb_perfcompare.model.files import DEFAULT_SPAN
from tb_perfcompare.model.formats import CYCLES
from tb_perfcompare.model.input_shapes import tensor_shapes
from tb_perfcompare.model.note import ALWAYS_SHOWN
from tb_perfcompare.model.summary.summary import CYCLE_TIME, STEP_TIME
from tb_perfcompare.render.blocks import Block, Facts, Heading, Listing, Paragraph, notes_section, table_blocks
from tb_perfcompare.render.brief_tables import brief, telling_rows
from tb_perfcompare.render.findings import REPORT_TABLES, listed_alternatives, listed_findings, unexplained
from tb_perfcompare.render.grid import MARKS, grid_of
from tb_perfcompare.render.ledger_tables import (
    category_table,
    entity_table,
    largest_category,
    ledger_table,
    parts_table,
)
from tb_perfcompare.render.printable import printable

_ENTRIES = 3
_PARTS = 3
_LEAST_PART = 0.05
"""Change of an entry, as a fraction of the largest category's, below which its parts are not worth reading."""



def largest_parts(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """Returns (entry, its largest parts and the remainder) as texts, for the entries with the largest change that have
    parts, if they make a part of the largest category's change."""
    ledger = comparison.ledger
    unit, least = ledger.denominator * 1000, _LEAST_PART * largest_category(ledger)
    entries = sorted(ledger.with_parts(), key=lambda entry: (-abs(entry[0].delta), entry[0].path))
    entries = [entry for entry in entries[:_ENTRIES] if abs(entry[0].delta) >= least]
    items = []
    for name, (entry, parts) in zip(short_apart(*(entry.path[-1] for entry, _ in entries)), entries, strict=True):
        listed = [row for row in parts if row.delta][:_PARTS]
        texts = [_part(row, unit) for row in listed]
        remainder = entry.delta - sum(row.delta for row in listed)
        if remainder or len(parts) > len(listed) + 1:
            texts.append(f"{number_text.time(remainder / unit, signed=True)} all others")
        items.append((f"{entry.path[0]}: {name} {number_text.time(entry.delta / unit, signed=True)}",
                      "; ".join(texts)))  # fmt: skip
    return tuple(items)


def _part(row: LedgerRow, unit: int) -> str:
    mark = MARKS[row.status]
    name = short(tensor_shapes(row.name))
    return f"{number_text.time(row.delta / unit, signed=True)} {name}" + (f", {mark}" if mark else "")


DECIDED, WHY, WHERE, CAVEATS = "How this was decided", "Why", "Where the time went", "Caveats"
"""Headings of sections."""
_UNCLEAR = "~"  # marks an estimate whose verdict is inconclusive
_PARTS_LISTED = 40


def report(comparison: Comparison, *, top: int, is_page: bool = False) -> tuple[Block, ...]:
    """Builds the report: verdict, findings, ledger, first `top` rows of the main tables, how it was decided, caveats. A
    page (`is_page`) names tables by their titles and does not mention command-line options."""
    headline = comparison.headline
    blocks = _top(comparison, is_page=is_page)
    if comparison.findings:
        titles = {name: table.title for name, table in comparison.tables.items()} | {"categories": WHERE}
        listed = listed_findings(comparison.findings, titles if is_page else None)
        blocks += [Heading(WHY), listed, *unexplained(comparison)]
    elif comparison.no_finding:
        blocks += [Heading(WHY), Paragraph(printable(comparison.no_finding))]
    alternatives = listed_alternatives(headline.alternatives, is_page)
    if alternatives.items:
        blocks += [Heading("What could settle it"), alternatives]
    blocks += _where(comparison)
    for name in REPORT_TABLES:
        table = comparison.tables.get(name)
        if table is not None and (rows := telling_rows(table, top, comparison.ledger)):
            blocks += [Heading(printable(table.title)), grid_of(brief(table, rows), top=rows)]
    blocks += [Heading(DECIDED), Facts((*_shift(headline), *_evidence(headline)))]
    caveats = _caveats(comparison)
    if caveats.items:
        blocks += [Heading(CAVEATS), caveats]
    return tuple(map(_without_options, blocks)) if is_page else tuple(blocks)


def _top(comparison: Comparison, *, is_page: bool) -> list[Block]:
    """The verdict and the sides: with the facts of program and machine, or with the reason and the change."""
    headline, reason = comparison.headline, printable(comparison.headline.reason)
    line, _, more = reason.partition("; ")
    title = printable(headline.sentence) or f"{verdict_word(headline.verdict)}: {line}"
    if headline.sentence and line.partition("), ")[0] not in printable(headline.sentence):
        more = reason
    if is_page and headline.verdict is Verdict.WITHHELD:  # the reason is too long for the top of a page
        title, more = verdict_word(headline.verdict), reason
    sides = Facts(_sides(comparison.baseline, comparison.candidate))
    if headline.program is not None:
        facts = tuple((fact.label.lower(), printable(fact.text)) for fact in headline.facts)
        return [Heading(title, level=1), Facts(facts), sides]
    why: list[Block] = [Paragraph(f"{more[0].upper()}{more[1:]}.")] if more else []
    return [Heading(title, level=1), *why, sides, Facts((*_mean(headline), *_unsplit(headline)))]


def _where(comparison: Comparison) -> list[Block]:
    """The change by category, and its largest parts; empty for cycles, which are not split."""
    metric = comparison.headline.metric
    if not comparison.ledger.rows or metric == CYCLE_TIME:
        return []
    parts = largest_parts(comparison)
    by_caller: list[Block] = [Heading("The largest by caller and input shape"), _listing(parts)] if parts else []
    title = f"{WHERE}, per step" if metric == STEP_TIME else WHERE
    return [Heading(title), grid_of(category_table(comparison)), *by_caller]


def _without_options(block: Block) -> Block:
    """Rewords a block's command-line options for a page."""
    match block:
        case Paragraph(text):
            return Paragraph(for_page(text))
        case Facts(rows):
            return Facts(tuple((name, for_page(text)) for name, text in rows))
        case Listing(items):
            return replace(block, items=tuple((for_page(sentence), for_page(detail)) for sentence, detail in items))
    return block


def table_report(comparison: Comparison, name: str, *, top: int | None) -> tuple[Block, ...]:
    """Builds the blocks of a single table; the ledger is followed by a table of its parts."""
    if name == LEDGER:
        parts = parts_table(comparison)
        below = () if parts is None else table_blocks(parts, top=_PARTS_LISTED if top is None else top)
        tables = (*table_blocks(entity_table(comparison), top=top), *below)
    else:
        tables = table_blocks(table_named(comparison, name), top=top)
    return (*tables, *notes_section(note for note in comparison.notes if note.code in ALWAYS_SHOWN))


def table_named(comparison: Comparison, name: str) -> Table:
    """Returns a table of the comparison, or its ledger. Raises SelectionError, with the existing tables or the reason
    why this one is missing."""
    if name == LEDGER:
        return ledger_table(comparison)
    return comparison.table(name)


def _sides(baseline: SideFacts, candidate: SideFacts) -> tuple[tuple[str, str], ...]:
    names = run_names(baseline, candidate)
    return ("baseline", _side(baseline, names[0])), ("candidate", _side(candidate, names[1]))


def run_names(baseline: SideFacts, candidate: SideFacts) -> tuple[str, str]:
    """Returns the runs' names; for different runs of the same name, the part of their paths from the first
    difference."""
    names = baseline.run or baseline.source, candidate.run or candidate.source
    paths = [re.split(r"[/\\]", side.source.rstrip("/\\")) for side in (baseline, candidate)]
    if names[0] != names[1] or paths[0] == paths[1]:
        return names
    shared = next((index for index, (a, b) in enumerate(zip(*paths, strict=False)) if a != b), min(map(len, paths)) - 1)
    return "/".join(paths[0][shared:]), "/".join(paths[1][shared:])


def _side(side: SideFacts, run: str) -> str:
    names = [run]
    if side.worker and not re.split(r"[/\\]", run)[-1].startswith(f"{side.worker}."):  # not a single file
        names.append(f"worker {side.worker}")
    if side.span not in ("", DEFAULT_SPAN):
        names.append(f"span {side.span}")
    device = side.device.name or side.device.word
    names.append(f"{device} ×{side.device.count}" if side.device.count else device)
    noun = "cycle" if side.format == CYCLES else "step"
    total = number_text.many(side.steps_total, noun)
    names.append(total if side.steps_admitted == side.steps_total else f"{side.steps_admitted:,} of {total}")
    return printable(" · ".join(names))


def _mean(headline: Headline) -> tuple[tuple[str, str], ...]:
    """Row for the mean."""
    if headline.baseline is None or headline.candidate is None:
        return ()
    text = f"{number_text.time(headline.baseline)} → {number_text.time(headline.candidate)}"
    if headline.delta is not None:
        text += f"   Δ {number_text.time(headline.delta, signed=True)}"
    if headline.ratio is not None:
        text += f"   ratio {number_text.number(headline.ratio)}"
    return ((f"{headline.metric.replace('_', ' ')}, mean", text),)


def _unsplit(headline: Headline) -> tuple[tuple[str, str], ...]:
    """Rows for counted work, and for why the machine's part is unknown."""
    rows = [(fact.label.lower(), printable(fact.text)) for fact in headline.facts if fact.label == COUNTED]
    if headline.metric == STEP_TIME and headline.unsplit and headline.unsplit != headline.reason:
        rows.append(("machine", f"not separated from the program: {printable(headline.unsplit)}"))
    return tuple(rows)


def _evidence(headline: Headline) -> tuple[tuple[str, str], ...]:
    """Rows for the test, its robustness, and what step times say alone."""
    rows: list[tuple[str, str]] = []
    p = "" if headline.p is None else f"{number_text.p_text(headline.p)}   "
    n = f"n {headline.n[0]} and {headline.n[1]}   threshold {number_text.setting(headline.margin)}"
    rows.append(("evidence", f"{p}{n}   {printable(headline.method)}"))
    if headline.sensitivity:
        rows.append(("robustness", printable(headline.sensitivity)))
    if headline.program is not None and (alone := _recorded_alone(headline)) != verdict_word(headline.verdict):
        rows.append(("step time alone", alone))
    return tuple(rows)


def _recorded_alone(headline: Headline) -> str:
    """The verdict on step times as recorded, and its reason but for the typical step's interval, which is told above;
    at equal work, the whole reason alone."""
    reason, recorded = printable(headline.reason), headline if headline.recorded is None else headline.recorded
    if headline.amount is not None:
        return reason
    interval, _, more = reason.partition("; ")
    return ": ".join(filter(None, (verdict_word(recorded.verdict), more if interval.endswith(")") else reason)))


def _shift(headline: Headline) -> list[tuple[str, str]]:
    """Rows for the typical shift, as a time and, if the reason does not say it, as a fraction, with its confidence
    interval or range."""
    if (shift := headline.shift) is None:
        return []
    label = "typical shift" if headline.amount is None else "at equal work"
    mark = f" {_UNCLEAR}" if headline.verdict is Verdict.INCONCLUSIVE else ""
    change, low, high = number_text.change_and_ends(shift.estimate, shift.low, shift.high)
    change_us = number_text.time(shift.estimate_us, signed=True)
    interval_us = f"[{number_text.time(shift.low_us, signed=True)}, {number_text.time(shift.high_us, signed=True)}]"
    if shift.level is not None:
        level = f"{number_text.whole_percent(shift.level)} CI"
    elif shift.low == shift.high:
        return [(label, f"{change}{mark}   {change_us}   no interval: too few samples")]
    else:
        level = "whole range; too few samples for an interval"
    if f"{low.removesuffix(' %')} to {high}" in headline.reason:
        return [(label, f"{change_us}{mark}   {interval_us} {level}")]
    return [(label, f"{change}{mark}   [{low}, {high}] {level}"), ("", f"{change_us}   {interval_us}")]


def _listing(items: tuple[tuple[str, str], ...]) -> Listing:
    return Listing(tuple((printable(sentence), printable(detail)) for sentence, detail in items))


def _caveats(comparison: Comparison) -> Listing:
    """Lists the caveats, each with what it makes less certain, and what was not recorded."""
    items = []
    for caveat in caveats_of(comparison.comparability, comparison.notes, comparison.findings):
        weakens = f"less certain: {caveat.weakens}" if caveat.weakens else ""
        failed = "failed: " if caveat.status == "fail" else ""
        about = caveat.where if caveat.status == "note" else caveat.name
        items.append((f"{failed}{about}: {caveat.message}" if about else caveat.message, weakens))
    return _listing((*items, *((sentence, "") for sentence in not_recorded(comparison.notes))))
