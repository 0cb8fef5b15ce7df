"""Table of the alignment: what each row of work was matched with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from tb_perfcompare.comparison.alignment.alignment import Alignment, row_kind
from tb_perfcompare.comparison.alignment.kernel_matches import ALONE, CERTAIN, ONE_BY_ONE, KernelMatch, Run, weakest
from tb_perfcompare.comparison.alignment.operator_matches import NO_OPERATOR, OperatorMatch
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.comparison.result.wording import number_text, short_apart
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.units import Better

MAX_NAMED = 3
_DISTINCT_NAMES = 200
"""Number of a row's kernels, those with the most time, among which shortened names have to be distinct."""

_WHAT = "Device time: summed durations of kernels, copies, sets and collectives launched by the operator"
_NOTES = (
    columns.CORRECTED,
    "Rows are operators that do the same on both sides; every device event is in one row, so that times add up. "
    "Rules and confidence: docs/method/alignment.md.",
)
_COLUMNS: tuple[Column, ...] = (
    columns.key("operator", "Operator", f"operator that both sides have; {NO_OPERATOR}: unknown launcher"),
    columns.key("input_shape", "Input shape", "shapes of its input tensors; of both sides if they differ"),
    columns.key("matched_by", "Matched by", "rule that matched the row (docs/method/alignment.md)"),
    *columns.triple("", "", _WHAT),
    columns.fraction("change", "Δ %", "delta as a fraction of the baseline's device time; empty if that is zero",
                     role="percent", better=Better.LOWER),
    *columns.calls("Calls that launched device work"),
    *columns.sides(columns.text, "kernels", "Kernels", "{side} kernels by time, with launches per step"),
    *columns.sides(columns.text, "kernel_names", "Kernel names", "full names of all {side} kernels, by time",
                   shown=False),
    columns.text("kind", "Kernels are", "most common match of the row's kernels: same name; renamed: one to one; "
                 "fused: several of A became one of B; split: one of A became several of B; same operator, other "
                 "kernels: several to several, or different in number; no counterpart: on one side only"),
    columns.text("confidence", "Confidence", "confidence of the operator match: certain, likely or weak"),
    columns.text("kernel_confidence", "Kernel confidence", "lowest confidence of its kernel matches", shown=False),
    *columns.sides(columns.fraction, "kernel_share", "Kernel to kernel",
                   "fraction of the row's {side} time in kernels matched one to one", shown=False),
    columns.STATUS,
)  # fmt: skip


_Key = tuple[str, str, str]
"""Operator, input shape, rule."""


@dataclass(slots=True)
class _Row:
    """Matches of the same operator and shape by the same rule; its confidence is the lowest of them."""

    confidence: str = CERTAIN
    time_ns: list[int] = field(default_factory=lambda: [0, 0])
    calls: list[int] = field(default_factory=lambda: [0, 0])
    kernels: list[KernelMatch] = field(default_factory=list)

    def add(self, match: OperatorMatch) -> None:
        self.confidence = weakest(self.confidence, match.confidence)
        for side in (0, 1):
            self.time_ns[side] += match.time_ns[side]
            self.calls[side] += match.calls[side]
        self.kernels += match.kernels

    def change(self, steps: tuple[int, int]) -> int:
        """Absolute change of the mean per step, times the steps of both sides."""
        return abs(self.time_ns[1] * steps[0] - self.time_ns[0] * steps[1])


def alignment_table(alignment: Alignment) -> Table:
    """One row per operator, input shape and rule, the largest change first; the times of a side add up to all its
    device time. Work without a counterpart has one row per operator and shape, whichever side it is on."""
    rows: dict[_Key, _Row] = {}
    for match in alignment.matches:
        rows.setdefault((match.operator, match.input_shape, match.rule), _Row()).add(match)
    order = sorted(rows, key=lambda key: (-rows[key].change(alignment.steps), key))
    cells = tuple(_cells(key, rows[key], alignment.steps) for key in order)
    return Table("alignment", "How the work was matched", _COLUMNS, cells, _NOTES)


def _cells(key: tuple[str, str, str], row: _Row, steps: tuple[int, int]) -> tuple[Cell, ...]:
    shown = [any(kernel.runs(side) for kernel in row.kernels) for side in (0, 1)]
    us = [time / n / 1000 for time, n in zip(row.time_ns, steps, strict=True)]
    delta = us[1] - us[0]
    called = row.calls != [0, 0]
    sure = [kernel.confidence for kernel in row.kernels if kernel.kind != ALONE]
    runs = [_by_name(row.kernels, side) for side in (0, 1)]
    return (
        *key,
        *(time if present else None for time, present in zip(us, shown, strict=True)),
        delta,
        delta / us[0] if us[0] else None,
        *(count / n if present and called else None for count, n, present in zip(row.calls, steps, shown, strict=True)),
        *_listed(runs, steps),
        *("; ".join(run.name for run in side) for side in runs),
        row_kind(tuple(row.kernels)),
        "" if key[2] == ALONE else row.confidence,
        weakest(*sure) if sure else "",
        *(_one_by_one(row, side) for side in (0, 1)),
        columns.status(*shown),
    )


def _by_name(kernels: Iterable[KernelMatch], side: int) -> list[Run]:
    """Kernels of a side, those with the most time first."""
    runs: dict[str, Run] = {}
    for kernel in kernels:
        for run in kernel.runs(side):
            total = runs.setdefault(run.name, Run(run.name, 0, 0))
            total.time_ns += run.time_ns
            total.launches += run.launches
    return sorted(runs.values(), key=lambda run: (-run.time_ns, run.name))


def _listed(runs: Sequence[Sequence[Run]], steps: Sequence[int]) -> list[str]:
    """Cell texts with the first kernels of both sides, each with its launches per step."""
    names = list(dict.fromkeys(run.name for side in runs for run in side[:_DISTINCT_NAMES]))
    shown = dict(zip(names, short_apart(*names), strict=True))
    texts = []
    for side, number in zip(runs, steps, strict=True):
        listed = [f"{shown[run.name]} ×{number_text(run.launches / number)}" for run in side[:MAX_NAMED]]
        texts.append(with_more(listed, len(side)))
    return texts


def with_more(listed: list[str], count: int) -> str:
    return "; ".join([*listed, *([f"{count - MAX_NAMED} more"] if count > MAX_NAMED else [])])


def _one_by_one(row: _Row, side: int) -> float | None:
    total_ns = row.time_ns[side]
    one_by_one_ns = sum(kernel.time_ns(side) for kernel in row.kernels if kernel.kind in ONE_BY_ONE)
    return one_by_one_ns / total_ns if total_ns else None
