"""The three tables of the strict report, and its CSV, with every cell formatted as in the published reports."""

from __future__ import annotations

import math

from tb_perfcompare.comparison.strict.report import StrictReport
from tb_perfcompare.comparison.strict.tables import figures, rank_rows, table_labels
from tb_perfcompare.render.csv import guarded, lines
from tb_perfcompare.render.strict.grid import Cell, pipe_table

NOTHING = "-"
_RANK_FORMAT = ",.2f"


def summary_table(report: StrictReport) -> str:
    """Renders the number of cycles and the mean cycle time of both sides."""
    a, b = report.labels
    first, second = report.durations
    cycles_a, cycles_b = len(first.longest_first_us), len(second.longest_first_us)
    delta = second.mean_us - first.mean_us
    return pipe_table(
        ["Metric", a, b, f"Δ ({b} - {a})", "Change (%)"],
        [
            ["Total Cycles", str(cycles_a), str(cycles_b), str(cycles_b - cycles_a), NOTHING],
            ["Avg Cycle Time (us)", f"{first.mean_us:,.2f}", f"{second.mean_us:,.2f}", f"{delta:,.2f}",
             _change(first.mean_us, delta)],
        ],
    )  # fmt: skip


def rank_table(report: StrictReport) -> str:
    """Renders the i-th longest cycle of one side next to the i-th longest of the other."""
    a, b = report.labels
    rows: list[list[Cell]] = []
    for rank, first, second, delta in rank_rows(report):
        change = [NOTHING] * 2 if first is None or delta is None else [f"{delta:,.2f}", _change(first, delta)]
        rows.append([rank, NOTHING if first is None else first, NOTHING if second is None else second, *change])
    return pipe_table(["Time Rank", f"{a} Time (us)", f"{b} Time (us)", "Δ (us)", "Δ (%)"], rows, _RANK_FORMAT)


def detailed_table(report: StrictReport) -> str:
    """Renders all (function, metric, device) triplets as a Markdown table."""
    columns: list[list[str]] = [[triplet[part] for triplet in report.triplets] for part in range(3)]
    formats = (
        ".4f", ".2f", ".2f", "+.2f", "+.2f", ".3f", ".3f", ",.2f", ",.2f", "+.2f", "+.2f", "+.2f", ".3f", ".3f"
    )  # fmt: skip
    columns += [
        [format(value, form) for value in values.tolist()]
        for values, form in zip(figures(report), formats, strict=True)
    ]
    return pipe_table(table_labels(report.labels), list(zip(*columns, strict=True)))


def strict_csv(report: StrictReport) -> str:
    """Renders all triplets as CSV with six decimals; NaN is an empty cell."""
    formatted = [[_six(value) for value in values.tolist()] for values in figures(report)]
    rows = (
        [*map(guarded, triplet), *(column[index] for column in formatted)]
        for index, triplet in enumerate(report.triplets)
    )
    return lines([[*map(guarded, table_labels(report.labels))]], rows)


def _six(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6f}"


def _change(base: float, delta: float) -> str:
    return f"{delta / base * 100 if base > 0 else math.inf:+.2f}%"
