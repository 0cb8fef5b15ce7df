"""Draws the candidates' typical shifts with confidence intervals, all on the same axis, with a line at zero."""

from __future__ import annotations

from collections.abc import Sequence

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.render.svg_axis import Axis

_FAR = 30
"""The axis ends at this many times the median candidate's shift, so that an outlier does not flatten the others."""
_COLUMNS = ("shift", "low", "high", "verdict", "margin")


def shift_column(table: Table) -> int | None:
    """Index of the column with the shift in a table of candidates; None for other tables."""
    names = [column.name for column in table.columns]
    return names.index("shift") if all(name in names for name in _COLUMNS) else None


def intervals(table: Table) -> tuple[str, tuple[str, ...]]:
    """Returns (heading with the axis, a drawing per row with its figures as text); "–" for rows without a shift."""
    names = [column.name for column in table.columns]
    picked = [tuple(row[names.index(name)] for name in _COLUMNS) for row in table.rows]
    axis = _axis(picked)
    zero = f'<line class="zero" x1="{axis.at(0)}" x2="{axis.at(0)}" y1="0" y2="18"/>'
    ends = f'<text x="{axis.at(0)}" y="11" text-anchor="middle">0</text>'
    for end, anchor in ((axis.low, "start"), (axis.high, "end")):
        if abs(axis.share(end) - axis.share(0)) > 22:
            label = number_text.percent(end, signed=True)
            ends += f'<text x="{axis.at(end)}" y="11" text-anchor="{anchor}">{label}</text>'
    head = f'Typical shift<svg width="100%" height="14" aria-hidden="true">{ends}</svg>'
    return head, tuple(_drawn(cells, axis, zero) for cells in picked)


def _axis(rows: Sequence[tuple[Cell, ...]]) -> Axis:
    """Returns an axis with zero, the threshold on both sides and all intervals; far outliers are cut off at _FAR."""
    reaches = [(low, high) for _, low, high, *_ in rows if isinstance(low, float) and isinstance(high, float)]
    margin = max((m for *_, m in rows if isinstance(m, float)), default=0.01)
    sizes = sorted(max(abs(low), abs(high)) for low, high in reaches)
    most = _FAR * max(margin, sizes[(len(sizes) - 1) // 2]) if len(sizes) > 2 else float("inf")
    low = max(-most, min(-1.5 * margin, *(low for low, _ in reaches), 0.0))
    high = min(most, max(1.5 * margin, *(high for _, high in reaches), 0.0))
    pad = 0.06 * (high - low)
    return Axis(low - pad, high + pad)


def _drawn(cells: tuple[Cell, ...], axis: Axis, zero: str) -> str:
    shift, low, high, verdict, margin = cells
    if not (isinstance(shift, float) and isinstance(low, float) and isinstance(high, float)):
        return number_text.ABSENT
    tone = str(verdict).rpartition(" ")[2]
    name = {"slower": "more", "faster": "less"}.get(tone, "")
    band = ""
    if isinstance(margin, float):
        left = axis.share(1 / (1 + margin) - 1)
        band = f'<rect class="band" x="{left:.2f}%" width="{axis.share(margin) - left:.2f}%" y="0" height="18"/>'
    ends = "".join(
        f'<line class="whisker" x1="{axis.at(end)}" x2="{axis.at(end)}" y1="5" y2="13"/>'
        for end in (low, high)
        if axis.low <= end <= axis.high
    )
    beyond = "" if axis.low <= shift <= axis.high else "▸ " if shift > 0 else "◂ "
    low_text, high_text = number_text.change_ends(low, high)
    text = f"{beyond}{number_text.percent(shift, signed=True)} [{low_text}, {high_text}]"
    return (
        f'<svg class="{name}" width="100%" height="18" aria-hidden="true">{band}{zero}'
        f'<line class="whisker" x1="{axis.at(low)}" x2="{axis.at(high)}" y1="9" y2="9"/>{ends}'
        f'<circle cx="{axis.at(shift)}" cy="9" r="4"/></svg>{text}'
    )
