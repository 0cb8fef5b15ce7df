"""Table of the alignment: what each row of work was matched with."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Sequence
from dataclasses import field

import numpy as np

from tb_perfcompare.comparison.alignment.alignment import Alignment, row_kind
from tb_perfcompare.comparison.alignment.kernel_matches import (
    ALONE,
    CERTAIN,
    LIKELY,
    ONE_BY_ONE,
    SAME,
    KernelMatch,
    Run,
    weakest,
)
from tb_perfcompare.comparison.alignment.operator_matches import NO_OPERATOR, SAME_PLACE, OperatorMatch
from tb_perfcompare.comparison.alignment.plain_places import PlainKernels, PlainMatches
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import CellColumn, Column, ColumnRows, MadeTexts, Row, Table
from tb_perfcompare.comparison.result.wording import number_text, short_apart
from tb_perfcompare.model.arrays import Floats, Ints
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


_INDEX = {column.name: index for index, column in enumerate(_COLUMNS)}
_KERNELS, _NAMES = ([_INDEX[f"{side}_{what}"] for side in SIDES] for what in ("kernels", "kernel_names"))
_FIGURES = (
    "baseline_us", "candidate_us", "delta_us", "change", "baseline_calls", "candidate_calls", "baseline_kernel_share",
    "candidate_kernel_share",
)  # fmt: skip
_PLAIN_TEXTS = {"matched_by": SAME_PLACE, "kind": SAME, "kernel_confidence": CERTAIN, "status": "both"}
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
    if alignment.plain is not None:
        cells: Sequence[Row] = _with_plain_rows(alignment.plain, rows, alignment.steps)
    else:
        order = sorted(rows, key=lambda key: (-rows[key].change(alignment.steps), key))
        cells = tuple(_cells(key, rows[key], alignment.steps) for key in order)
    return Table("alignment", "How the work was matched", _COLUMNS, cells, _NOTES)


def _with_plain_rows(plain: PlainMatches, rows: dict[_Key, _Row], steps: tuple[int, int]) -> ColumnRows:
    """Rows of the table: the plain matches as columns, whose kernel cells are made on demand, and the other rows."""
    plain_rows, numbers = _apart_from(rows, plain), plain.numbers
    made = [_cells(key, row, steps) for key, row in rows.items()]
    cells = dict(zip(_INDEX, zip(*made, strict=True), strict=True)) if made else dict.fromkeys(_INDEX, ())
    figures = {
        name: np.concatenate((values, np.array(cells[name], dtype=np.float64)))
        for name, values in _plain_figures(plain, plain_rows, steps).items()
    }
    texts = {
        name: np.concatenate((words, numbers.of([str(cell) for cell in cells[name]])))
        for name, words in _plain_texts(plain, plain_rows).items()
    }
    kernels = _PlainKernels(plain.kernels, steps, plain_rows, made)
    makers = {
        f"{name}_{what}": functools.partial(make, side)
        for side, name in enumerate(SIDES)
        for what, make in (("kernels", kernels.listed), ("kernel_names", kernels.names))
    }
    before, after = (side[plain_rows] for side in plain.time)
    size = np.concatenate((
        np.abs(after * steps[0] - before * steps[1]),
        np.array([row.change(steps) for row in rows.values()], dtype=np.int64),
    ))  # fmt: skip
    order = np.lexsort((*(numbers.ranks(texts[name]) for name in ("matched_by", "input_shape", "operator")), -size))
    finished: list[CellColumn] = [
        figures[name][order] if name in figures
        else numbers.column(texts[name][order]) if name in texts
        else MadeTexts(order, makers[name])
        for name in _INDEX
    ]  # fmt: skip
    return ColumnRows(tuple(finished), len(order))


def _apart_from(rows: dict[_Key, _Row], plain: PlainMatches) -> Ints:
    """Numbers of the plain matches that have a row of their own; the others are added to those of the same place."""
    alone = np.ones(len(plain), dtype=bool)
    if any(rule == SAME_PLACE for _, _, rule in rows):
        texts = plain.numbers.texts()
        for number, (operator, shape) in enumerate(zip(plain.operator.tolist(), plain.shape.tolist(), strict=True)):
            if (row := rows.get((texts[operator], texts[shape], SAME_PLACE))) is not None:
                row.add(plain.match(number))
                alone[number] = False
    return np.flatnonzero(alone)


def _plain_figures(plain: PlainMatches, rows: Ints, steps: tuple[int, int]) -> dict[str, Floats]:
    """Column -> figures of these plain matches."""
    time, calls = ([side[rows] for side in both] for both in (plain.time, plain.calls))
    us = [ns / n / 1000 for ns, n in zip(time, steps, strict=True)]
    delta = us[1] - us[0]
    with np.errstate(all="ignore"):
        change = np.where(us[0] != 0, delta / us[0], np.nan)
    called = (calls[0] != 0) | (calls[1] != 0)
    often = (np.where(called, count / n, np.nan) for count, n in zip(calls, steps, strict=True))
    shares = (np.where(ns != 0, 1.0, np.nan) for ns in time)
    return dict(zip(_FIGURES, (*us, delta, change, *often, *shares), strict=True))


def _plain_texts(plain: PlainMatches, rows: Ints) -> dict[str, Ints]:
    """Column -> numbers of the texts of these plain matches."""
    numbers = plain.numbers
    return {
        "operator": plain.operator[rows], "input_shape": plain.shape[rows],
        "confidence": numbers.of((CERTAIN, LIKELY))[np.where(plain.is_certain[rows], 0, 1)],
        **{name: np.full(len(rows), numbers.of((text,))[0]) for name, text in _PLAIN_TEXTS.items()},
    }  # fmt: skip


class _PlainKernels:
    """Cells of the columns of kernels, each given the side and the row; those of plain rows are made on demand."""

    def __init__(
        self, plain: PlainKernels, steps: tuple[int, int], shown: Ints, made: list[tuple[Cell, ...]]
    ) -> None:
        self._plain, self._steps, self._shown, self._made = plain, steps, shown, made
        self._last: tuple[int, list[str]] = (-1, [])

    def names(self, side: int, row: int) -> str:
        if row >= len(self._shown):
            return str(self._made[row - len(self._shown)][_NAMES[side]])
        runs, _ = self._plain.largest(int(self._shown[row]), side, sys.maxsize)
        return "; ".join(run.name for run in runs)

    def listed(self, side: int, row: int) -> str:
        if row >= len(self._shown):
            return str(self._made[row - len(self._shown)][_KERNELS[side]])
        last = self._last
        if last[0] != row:
            match = int(self._shown[row])
            runs, counts = zip(*(self._plain.largest(match, side, _DISTINCT_NAMES) for side in (0, 1)), strict=True)
            last = self._last = row, _listed(runs, counts, self._steps)
        return last[1][side]


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
        *_listed(runs, list(map(len, runs)), steps),
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


def _listed(runs: Sequence[Sequence[Run]], counts: Sequence[int], steps: Sequence[int]) -> list[str]:
    """Cell texts with the first kernels of both sides, each with its launches per step; `counts` are the numbers of
    all."""
    names = list(dict.fromkeys(run.name for side in runs for run in side[:_DISTINCT_NAMES]))
    shown = dict(zip(names, short_apart(*names), strict=True))
    texts = []
    for side, count, number in zip(runs, counts, steps, strict=True):
        listed = [f"{shown[run.name]} ×{number_text(run.launches / number)}" for run in side[:MAX_NAMED]]
        texts.append(with_more(listed, count))
    return texts


def with_more(listed: list[str], count: int) -> str:
    return "; ".join([*listed, *([f"{count - MAX_NAMED} more"] if count > MAX_NAMED else [])])


def _one_by_one(row: _Row, side: int) -> float | None:
    total_ns = row.time_ns[side]
    one_by_one_ns = sum(kernel.time_ns(side) for kernel in row.kernels if kernel.kind in ONE_BY_ONE)
    return one_by_one_ns / total_ns if total_ns else None
