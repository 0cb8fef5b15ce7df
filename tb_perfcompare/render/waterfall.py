"""Draws a waterfall from A to B as a table: a bar per category, each starting where the one before ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import fsum

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.columns import AT_EQUAL_SPEED
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.printable import printable
from tb_perfcompare.render.svg_axis import Axis

_HEIGHT = 16
_MIN_WIDTH = 0.4
"""Minimum width in percent of a bar that is not zero, so that it is visible."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The change of one category; times are in nanoseconds times the ledger's denominator. `start` and `end` are the
    sum before and after this change."""

    label: str
    baseline: int
    candidate: int
    start: int
    end: int


def bars(ledger: Ledger) -> list[Bar]:
    """Returns the bars of categories with time on either side, largest change first; the last one ends at the
    candidate's time."""
    heads = [row for row in ledger.heads if row.baseline or row.candidate]
    chart: list[Bar] = []
    end = ledger.baseline
    for row in sorted(heads, key=lambda row: -abs(row.delta)):
        chart.append(Bar(row.path[0], row.baseline, row.candidate, end, end + row.delta))
        end += row.delta
    return chart


def waterfall_table(ledger: Ledger, at_equal_speed_us: Mapping[str, float]) -> str:
    """Returns the waterfall as an HTML table, with notes below it. `at_equal_speed_us`: change of each category at
    equal machine speed, empty if not known."""
    shown_bars = bars(ledger)
    unit = ledger.denominator * 1000
    ends = [ledger.baseline, ledger.candidate, *(bar.end for bar in shown_bars)]
    times = number_text.table_scale(max(ends) / unit)
    axis, is_cut = _axis([end / unit * times.factor for end in ends])

    def scaled(value: int) -> float:
        return value / unit * times.factor

    def cells(delta: int | None, *sides: int | None, recorded: tuple[bool, bool] = (True, True)) -> str:
        tone = "" if not delta else " more" if delta > 0 else " less"
        texts = ["" if delta is None else number_text.number(scaled(delta), signed=True)]
        texts += [
            "" if value is None else number_text.number(scaled(value)) if is_recorded else "–"
            for value, is_recorded in zip(sides, recorded, strict=True)
        ]
        return f'<td class="n{tone}">{texts[0]}</td>' + "".join(f'<td class="n">{text}</td>' for text in texts[1:])

    def paced(us: float | None) -> str:
        if not at_equal_speed_us:
            return ""
        return f'<td class="n">{"" if us is None else number_text.number(us * times.factor, signed=True)}</td>'

    def total(letter: str, name: str, value: int, figures: str) -> str:
        label = f'<b class="badge {letter}">{letter.upper()}</b> {name}'
        return f'<tr class="total"><td>{label}</td><td>{_total(letter, scaled(value), axis, is_cut)}</td>{figures}</tr>'

    lines = [total("a", "baseline", ledger.baseline, cells(None, ledger.baseline, None) + paced(None))]
    lines += [
        f"<tr><td>{escape(printable(bar.label))}</td><td>{_bar(scaled(bar.start), scaled(bar.end), axis)}</td>"
        f"{cells(bar.end - bar.start, bar.baseline, bar.candidate, recorded=ledger.recorded(bar.label))}"
        f"{paced(at_equal_speed_us.get(bar.label))}</tr>"
        for bar in shown_bars
    ]
    figures = cells(ledger.delta, None, ledger.candidate) + paced(fsum(at_equal_speed_us.values()))
    lines.append(total("b", "candidate", ledger.candidate, figures))
    labels = [*"ΔAB", *([AT_EQUAL_SPEED[0].label] if at_equal_speed_us else [])]
    heads = "".join(f'<th scope="col" class="n">{label} ({times.symbol})</th>' for label in labels)
    look, most = ("falls paced", 2.5) if at_equal_speed_us else ("falls", 4)  # more labels overlap
    table = (
        f'<table class="{look}"><thead><tr><th scope="col">Part</th><th scope="col"><svg width="100%" height="14" '
        f'role="img" aria-label="axis in {times.symbol}">{_ticks(axis, most)}</svg></th>{heads}</tr></thead>\n'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )
    return f'{table}\n<p class="notes">{" ".join(_notes(ledger, len(shown_bars), is_cut))}</p>'


def _notes(ledger: Ledger, shown: int, is_cut: bool) -> Iterable[str]:
    if is_cut:
        yield "The axis does not start at zero."
    if empty := sum(any(ledger.recorded(row.path[0])) for row in ledger.heads) - shown:
        yield f"Not shown: {number_text.many(empty, 'part')} without time on either side."
    if sum(row.delta for row in ledger.heads) == ledger.delta:
        difference = number_text.time(ledger.delta / ledger.denominator / 1000, signed=True)
        yield f"The parts add up to the difference exactly: {difference}."


def _axis(ends: Sequence[float]) -> tuple[Axis, bool]:
    """Returns (the axis, whether it does not start at zero): it is cut if changes would be tiny on a full axis."""
    low, high = min(ends), max(ends)
    span = high - low
    is_cut = low > 0 and span < 0.5 * high
    pad = 0.12 * span or 0.05 * high or 1.0
    return Axis(max(0.0, low - 2 * pad) if is_cut else min(0.0, low), high + 0.5 * pad), is_cut


def _ticks(axis: Axis, most: float) -> str:
    def anchor(share: float) -> str:
        return "start" if share < 3 else "end" if share > 97 else "middle"  # keeps labels inside the drawing

    return "".join(
        f'<text x="{axis.at(tick)}" y="11" text-anchor="{anchor(axis.share(tick))}">{label}</text>'
        for tick, label in axis.ticks(most)
    )


def _bar(start: float, end: float, axis: Axis) -> str:
    tone = "more" if end > start else "less"
    left, right = sorted((axis.share(start), axis.share(end)))
    width = max(_MIN_WIDTH, right - left)
    body = "" if start == end else (
        f'<rect class="bar-{tone}" x="{left:.2f}%" width="{width:.2f}%" y="3" height="10" rx="2"/>'
    )  # fmt: skip
    return _drawing(f'{body}<line class="join" x1="{axis.at(end)}" x2="{axis.at(end)}" y1="10" y2="22"/>')


def _total(letter: str, value: float, axis: Axis, is_cut: bool) -> str:
    mark = '<path class="break" d="M14 16l4 -16h4l-4 16z"/>' if is_cut else ""
    join = f'<line class="join" x1="{axis.at(value)}" x2="{axis.at(value)}" y1="10" y2="22"/>' if letter == "a" else ""
    return _drawing(f'<rect class="bar-{letter}" x="0" width="{axis.at(value)}" y="3" height="10" rx="2"/>{mark}{join}')


def _drawing(inside: str) -> str:
    return f'<svg width="100%" height="{_HEIGHT}" aria-hidden="true">{inside}</svg>'
