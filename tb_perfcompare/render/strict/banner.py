"""The banner of a strict report: the method's weaknesses that apply to this pair, and the units of the counters."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare.comparison.strict.answer import Weakness
from tb_perfcompare.model.recordings.counter_units import UnitNote
from tb_perfcompare.number_text import many, quantity

_HEAD = "Known weaknesses of this method that touch this pair (docs/method/strict.md):"


def banner_lines(weaknesses: Sequence[Weakness], units: Sequence[str]) -> list[str]:
    """Returns plain lines: a heading, one line per weakness, one line with all units."""
    lines = [_HEAD, *(f"#{weakness.number}: {weakness.sentence}." for weakness in weaknesses)]
    if units:
        lines.append(f"Units of μ: {'; '.join(units)}.")
    return lines


def banner_markdown(lines: Sequence[str]) -> str:
    """Renders the banner's lines as a Markdown quotation, to precede a report."""
    head, *rest = lines
    return "\n".join([f"> **{head}**", ">", *(f"> - {line}" for line in rest), "", ""])


def unit_text(note: UnitNote) -> str:
    """Describes one counter's unit, with the range of its samples if known."""
    text = f"{note.metric} {note.unit.mu_text}"
    if note.low is None or note.high is None:
        return text
    low, high = (quantity(value, note.unit.sample) for value in (note.low, note.high))
    ends = f"{low.removesuffix(f' {note.unit.sample}')} to {high}"
    return f"{text} ({many(note.samples, 'sample')} of all devices, {ends})"
