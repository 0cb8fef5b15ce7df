"""Tables of the strict report: the published columns, and additional ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.comparison.result.wording import times_text
from tb_perfcompare.comparison.strict.corrected import Corrected
from tb_perfcompare.comparison.strict.report import StrictReport
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.number_text import listed
from tb_perfcompare.units import COUNT, NUMBER, PERCENT, US

_MAX_LOST_NAMED = 5

_PUBLISHED: tuple[tuple[str, str, str, str], ...] = (
    ("score", NUMBER.symbol, "plain", "|Δβ| × (|Z of β| + |Z of log μ|); above 10 counts as significant"),
    ("beta_a", PERCENT.symbol, "baseline", "share of the cycle, mean over the cycles in which the triplet has a row"),
    ("beta_b", PERCENT.symbol, "candidate", "share of the cycle, mean over the cycles in which the triplet has a row"),
    ("beta_delta", PERCENT.symbol, "delta", "β of B minus β of A, in pp"),
    ("z_beta", NUMBER.symbol, "plain", "Δβ over the sample deviation of A's β; 0 where A does not vary"),
    ("p_beta", NUMBER.symbol, "plain", "Welch's p of β; 1 with fewer than two cycles on a side, empty for two equal "
     "constants"),
    ("u_beta", NUMBER.symbol, "plain", "two-sided Mann-Whitney p of β; 1 with fewer than two rows on a side"),
    ("mu_a", NUMBER.symbol, "baseline", "counter while the function ran, mean over its rows; unit in its own column"),
    ("mu_b", NUMBER.symbol, "candidate", "counter while the function ran, mean over its rows; unit in its own column"),
    ("mu_delta", NUMBER.symbol, "delta", "μ of B minus μ of A"),
    ("z_mu", NUMBER.symbol, "plain", "Δμ over the sample deviation of A's μ; 0 where A does not vary"),
    ("z_log_mu", NUMBER.symbol, "plain", "the same of ln(1 + μ), which the score uses"),
    ("p_mu", NUMBER.symbol, "plain", "Welch's p of μ; 1 with fewer than two cycles on a side, empty for two equal "
     "constants"),
    ("u_mu", NUMBER.symbol, "plain", "two-sided Mann-Whitney p of μ; 1 with fewer than two rows on a side"),
)  # fmt: skip
"""Name, unit, role and definition of the published figures, in their order."""

_KEYS = (
    ("function", "kernel, copy, system call or state of a thread"),
    ("metric", "counter whose mean is μ"),
    ("device", "device the function ran on"),
)


SUMMARY = "summary"
"""Name of the table whose notes list what was lost in reading."""


def strict_tables(
    report: StrictReport, beside: Corrected, units: Mapping[str, str], notes: tuple[str, ...] = ()
) -> dict[str, Table]:
    """Builds the summary with `notes`, the cycles paired by length, and all triplets. `units`: counter -> unit of μ."""
    tables = (replace(_summary(report), notes=notes), _cycles(report), _triplets(report, beside, units))
    return {table.name: table for table in tables}


def table_labels(labels: tuple[str, str]) -> list[str]:
    """Labels of the published columns, as in Markdown and CSV."""
    a, b = labels
    return [
        "Function Name", "Metric Name", "Device", "Suspicion Score", f"β_{a}(%)", f"β_{b}(%)", "Δβ(%)", "Z-Score(β)",
        "p-value(β)", "U-test p(β)", f"μ_{a}", f"μ_{b}", "Δμ", "Z-Score(μ)", "Z-Score(log_μ)", "p-value(μ)",
        "U-test p(μ)",
    ]  # fmt: skip


def figures(report: StrictReport) -> tuple[Floats, ...]:
    """The numeric columns of the published table in order, (triplets,) each."""
    beta, mu = report.beta, report.mu
    return (
        report.score, beta.normal.mean, beta.abnormal.mean, beta.delta, beta.z, report.welch_beta, report.rank_beta,
        mu.normal.mean, mu.abnormal.mean, mu.delta, mu.z, report.log_mu.z, report.welch_mu, report.rank_mu,
    )  # fmt: skip


def _summary(report: StrictReport) -> Table:
    a, b = report.labels
    first, second = report.durations
    sizes = len(first.longest_first_us), len(second.longest_first_us)
    delta_us = second.mean_us - first.mean_us
    return Table(
        SUMMARY,
        "High-level performance summary",
        (
            columns.key("metric", "Metric", "quantity compared"),
            columns.number("normal", a, NUMBER.symbol, f"figure of {a}, in the row's unit", role="baseline"),
            columns.number("abnormal", b, NUMBER.symbol, f"figure of {b}, in the row's unit", role="candidate"),
            columns.number("delta", "Δ", NUMBER.symbol, f"{b} minus {a}", role="delta"),
            columns.number("change", "Change (%)", PERCENT.symbol, f"delta in percent of {a}", role="percent"),
            columns.text("unit", "Unit", "unit of the row's figures"),
        ),
        (
            ("Total cycles", *sizes, sizes[1] - sizes[0], None, COUNT.symbol),
            ("Average cycle time", *(side.mean_us if len(side.longest_first_us) else None for side in report.durations),
             delta_us, _change(first.mean_us, delta_us), US.symbol),
        ),
    )  # fmt: skip


def rank_rows(report: StrictReport) -> Iterator[tuple[int, float | None, float | None, float | None]]:
    """Yields (rank, length of normal's cycle, of abnormal's, difference), longest first."""
    first, second = (side.longest_first_us.tolist() for side in report.durations)
    for rank, (own, other) in enumerate(zip_longest(first, second), 1):
        yield rank, own, other, None if own is None or other is None else other - own


def _cycles(report: StrictReport) -> Table:
    a, b = report.labels
    sizes = [len(side.longest_first_us) for side in report.durations]
    notes: tuple[str, ...] = ()
    if sizes[0] != sizes[1]:
        notes = (f"{sizes[0]} cycles against {sizes[1]}: equal ranks are different quantiles",)
    return Table(
        "cycles",
        "Cycle lengths, longest first",
        (
            columns.count("rank", "Time rank", "rank by length: 1 is the longest cycle of its side", role="key"),
            columns.time("normal_us", a, f"length of the cycle of {a} with this rank", role="baseline"),
            columns.time("abnormal_us", b, f"length of the cycle of {b} with this rank", role="candidate"),
            columns.time("delta_us", "Δ", f"{b} minus {a}", role="delta"),
            columns.number("change", "Δ (%)", PERCENT.symbol, f"delta in percent of {a}", role="percent"),
        ),
        tuple(
            (rank, own, other, delta, None if own is None or delta is None else _change(own, delta))
            for rank, own, other, delta in rank_rows(report)
        ),
        notes,
    )


def _triplets(report: StrictReport, beside: Corrected, units: Mapping[str, str]) -> Table:
    labels = table_labels(report.labels)
    cells: list[tuple[Column, Iterable[Cell]]] = []
    for index, (name, what) in enumerate(_KEYS):
        cells.append((columns.key(name, labels[index], what), [triplet[index] for triplet in report.triplets]))
    published = zip(_PUBLISHED, labels[len(_KEYS) :], figures(report), strict=True)
    for (name, unit, role, what), label, values in published:
        cells.append((columns.number(name, label, unit, what, role=role), _cells(values)))
    cells.append((
        columns.text("mu_unit", "Unit of μ", "unit of μ; × 100 is a factor on it, not a percentage"),
        [units.get(metric, "") for _, metric, _ in report.triplets],
    ))  # fmt: skip
    cells += _corrected(beside)
    rows = tuple(zip(*(values for _, values in cells), strict=True))
    return Table("triplets", "Functions, counters and devices by Suspicion Score", tuple(c for c, _ in cells), rows,
                 _lost(beside))  # fmt: skip


def _corrected(beside: Corrected) -> list[tuple[Column, Iterable[Cell]]]:
    per_cycle = "mean time per cycle over all cycles of the side, zero in cycles without the function"
    first, second = beside.time_us
    shown: list[tuple[Column, Iterable[Cell]]] = [
        (columns.time("normal_us", "Time A", f"{per_cycle}: A", role="baseline"), _present(first, beside, "added")),
        (columns.time("abnormal_us", "Time B", f"{per_cycle}: B", role="candidate"),
         _present(second, beside, "removed")),
        (columns.time("delta_us", "Δ time", "time per cycle of B minus A", role="delta"), _cells(second - first)),
        (columns.STATUS, list(beside.status)),
    ]  # fmt: skip
    for letter, cycles, sampled in zip("AB", beside.cycles, beside.sampled, strict=True):
        what = f"number of cycles of {letter} in which the function ran and the counter has a value"
        shown.append((columns.count(f"cycles_{letter.lower()}", f"Cycles {letter}", what), cycles.tolist()))
        if sampled is not None:
            what = f"fraction of the triplet's rows of {letter} with a sample of the counter; others are interpolated"
            shown.append((columns.fraction(f"sampled_{letter.lower()}", f"Sampled {letter}", what), _cells(sampled)))
    return shown


def _present(values: Floats, beside: Corrected, missing: str) -> list[Cell]:
    """Cells of one side; empty rather than zero if the side does not have the function."""
    return [None if status == missing else cell for status, cell in zip(beside.status, _cells(values), strict=True)]


def _lost(beside: Corrected) -> tuple[str, ...]:
    if not beside.lost:
        return ()
    named = (
        f"{lost.function} on {lost.device} {times_text(lost.normal_us, lost.abnormal_us)} per cycle"
        for lost in beside.lost
    )
    return (f"functions without a counter have no row here: {listed(named, _MAX_LOST_NAMED, '; ')}",)


def _cells(values: Floats) -> list[Cell]:
    return [value + 0.0 if math.isfinite(value) else None for value in values.tolist()]


def _change(base: float, delta: float) -> float | None:
    return delta / base * 100 if base > 0 else None
