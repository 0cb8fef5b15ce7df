"""Kernel metrics that the profiler measured with hardware counters, and measured work of operators next to modeled
work."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.comparison.result.table import Column, Row, Table
from tb_perfcompare.model.summary.groups import (
    BYTE_METRICS,
    FLOP_METRICS,
    KERNEL_METRICS,
    MODELED_WORK,
    OPERATOR_METRICS,
    TENSOR_METRIC,
    is_additive,
    unit_of,
)
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.tables import GroupTable
from tb_perfcompare.number_text import ratio as ratio_text
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.units import Better

MEASURED_WORK: Final = "measured_work"
"""Name of the table of operators; that of kernels is KERNEL_METRICS."""

NO_METRICS = (
    "the profiler measured no kernels; record with "
    "experimental_config=_ExperimentalConfig(profiler_metrics=[...], profiler_measure_per_kernel=True)"
)
NO_OPERATORS = "the profiler measured no work of operators (see note measured_ranges)"
NO_TIMES = "kernels were measured one by one, without their times"

APART = 2.0
"""Factor between measured and modeled FLOPs above which they are flagged."""

FLOPS, BYTES = "FLOPs of CUDA cores", "DRAM bytes"
_SUMS: Mapping[str, Mapping[str, int]] = {FLOPS: FLOP_METRICS, BYTES: BYTE_METRICS}
"""Figure -> weights of the metrics that sum to it; it is not known if one of them is missing."""

_NOTES = (
    "Kernels ran one by one, some of them several times, while they were measured: shares and rates are those of a "
    "kernel that has the device to itself.",
    f"{FLOPS}: instructions of add, mul and fma, fma twice; tensor cores are not among them. Of its "
    "counters those that are 0 have no row.",
)
_Values = Mapping[tuple[str, str], tuple[float, float]]
"""(kernel or operator, metric or figure) -> (launches per step, sum of the values per step)."""


def kernel_metrics_table(*summaries: Summary) -> Table | None:
    """Table of one run or of two sides by kernel and metric; None if none was measured."""
    sides = [_values(summary, KERNEL_METRICS) for summary in summaries]
    if not any(sides):
        return None
    keys = (
        columns.key("name", "Kernel", "kernel, or range named by the program"),
        columns.key("metric", "Metric", "metric name in the profiler; derived figures come first"),
        columns.text("unit", "Unit", "unit of the row's values; empty if unknown"),
    )
    rows: list[Row] = []
    if len(sides) == 1:
        shown: tuple[Column, ...] = (
            columns.count("calls", "Launches", f"launches that have the metric, {columns.PER_STEP}"),
            columns.number("per_launch", "Per launch", "", "mean of one launch, in the metric's unit"),
            columns.number("per_step", "Per step", "", f"sum over launches, {columns.PER_STEP}; empty if not additive"),
        )
        rows += [(*key, _unit(key[1]), *_figures(sides[0], key)) for key in _ranked(sides)]
        return Table(KERNEL_METRICS, "Kernel metrics", (*keys, *shown), tuple(rows), _NOTES)
    shown = (
        *columns.calls("Launches that have the metric", "Launches"),
        *_triple("per_launch", "Per launch", "mean of one launch, in the metric's unit"),
        *_triple("per_step", "Per step", f"sum over launches, {columns.PER_STEP}; empty if the metric is not additive"),
        columns.STATUS,
    )
    for key in _ranked(sides):
        calls, each, sums = zip(*(_figures(side, key) for side in sides), strict=True)
        status = "both" if all(key in side for side in sides) else "added" if key in sides[1] else "removed"
        rows.append((*key, _unit(key[1]), *calls, *each, _minus(each), *sums, _minus(sums), status))
    return Table(KERNEL_METRICS, "Kernel metrics", (*keys, *shown), tuple(rows), _NOTES)


def measured_work(*summaries: Summary) -> Table | None:
    """Table of one run or of two sides by operator; None if no measured range belongs to an operator."""
    sides = [_operators(summary) for summary in summaries]
    if not any(sides):
        return None
    several = len(sides) > 1
    shown: list[Column] = [columns.key("name", "Operator", "operator that launched the measured kernels")]
    shown.append(columns.text("check", "Check", _CHECK))
    for figure, (label, unit, what) in _MEASURED.items():
        for side, letter in (("baseline", " A"), ("candidate", " B")) if several else (("", ""),):
            shown += _against(figure, letter, side)
        if several:
            definition = f"candidate minus baseline: {what} per step"
            shown.append(columns.number(f"measured_{figure}_delta", f"{label} Δ", unit, definition, role="delta"))
    rows: list[Row] = []
    for name in _by_bytes(sides):
        operators = [side.get(name, _NOTHING) for side in sides]
        letters = ("A: ", "B: ") if several else ("",)
        checks = zip(letters, (operator.check() for operator in operators), strict=True)
        cells: list[Cell] = [name, "; ".join(f"{letter}{check}" for letter, check in checks if check)]
        for figure in _MEASURED:
            figures = [operator.cells(figure) for operator in operators]
            cells += [cell for of_side in figures for cell in of_side]
            cells += [_minus([measured for measured, *_ in figures])] if several else []
        rows.append(tuple(cells))
    return Table(MEASURED_WORK, "Measured work", tuple(shown), tuple(rows), _WORK_NOTES)


_MEASURED = {
    "flops": ("Measured FLOPs", "FLOP", "FLOPs executed by CUDA cores"),
    "bytes": ("Measured DRAM bytes", "bytes", "bytes read from and written to the device's memory"),
}
_MODELED = {
    "flops": ("Modeled FLOPs", "from input shapes"),
    "bytes": ("Modeled bytes", "minimum bytes moved, from input shapes"),
}
_CHECK = (
    f"mismatch: measured FLOPs and those from input shapes differ by more than {APART:g} times; or why they cannot be "
    "compared"
)
_WORK_NOTES = (
    *_NOTES,
    "Modeled work follows from input shapes; its bytes are the least that must move (docs/method/work.md).",
)


@dataclass(frozen=True, slots=True)
class _Operator:
    """One operator on one side, per step; None if not known.

    tensor  instructions of tensor cores
    whole   whether all of its calls have a model
    """

    measured: Mapping[str, float | None]
    modeled: Mapping[str, float | None]
    tensor: float | None = None
    whole: bool = True

    def cells(self, figure: str) -> tuple[float | None, float | None, float | None]:
        """Measured, modeled, and measured over modeled."""
        measured, modeled = self.measured.get(figure), self.modeled.get(figure)
        return measured, modeled, measured / modeled if measured is not None and modeled else None

    def check(self) -> str:
        """Result of the check: "×3.00 of the model", why the two cannot be compared, "" if they agree or one is
        missing."""
        ratio = self.cells("flops")[2]
        if ratio is None:
            return ""
        if self.tensor:
            return "tensor cores, whose FLOPs are not measured"
        if not self.whole:
            return "some calls have no model"
        if 1 / APART <= ratio <= APART:
            return ""
        if ratio < 1 and self.tensor is None:
            return f"less than the model; tensor cores may do the rest, {TENSOR_METRIC} was not measured"
        return f"{ratio_text(ratio)} of the model"


_NOTHING = _Operator({}, {})


def _against(figure: str, letter: str, side: str) -> list[Column]:
    label, unit, what = _MEASURED[figure]
    of, prefix = (f" ({side})", f"{side}_") if side else ("", "")
    modeled, source = _MODELED[figure]
    return [
        columns.number(f"{prefix}measured_{figure}", f"{label}{letter}", unit, f"{what} per step{of}",
                       role=side or "plain"),
        columns.number(f"{prefix}modelled_{figure}", f"{modeled}{letter}", unit, f"{source}, per step{of}"),
        columns.fraction(f"{prefix}{figure}_ratio", f"Of model{letter}", f"measured over modeled{of}", shown=False),
    ]  # fmt: skip


def _operators(summary: Summary) -> dict[str, _Operator]:
    """Operator -> its work, for operators with measured launches."""
    values = _values(summary, OPERATOR_METRICS)
    figures_of: dict[str, dict[str, float]] = {}
    for (name, metric), (_, total) in values.items():
        figures_of.setdefault(name, {})[metric] = total
    work = summary.groups.get(MODELED_WORK, summary.groups.get("operator_work"))
    modeled = {} if work is None else _modeled(work, max(len(summary.steps), 1))
    out = {}
    for name, figures in figures_of.items():
        amounts, is_complete = modeled.get(name, ({}, True))
        measured = {"flops": figures.get(FLOPS), "bytes": figures.get(BYTES)}
        if any(value is not None for value in measured.values()):
            out[name] = _Operator(measured, amounts, figures.get(TENSOR_METRIC), is_complete)
    return out


def _modeled(work: GroupTable, steps: int) -> dict[str, tuple[dict[str, float | None], bool]]:
    """Operator -> (its work per step, whether all calls have a model)."""
    by_operator: dict[str, tuple[dict[str, float | None], bool]] = {}
    flops, moved = (work.measures_ns[name].sum(axis=1).tolist() for name in ("flops", "bytes"))
    for key, flop, byte in zip(work.keys, flops, moved, strict=True):
        amounts, is_complete = by_operator.get(key[0], ({}, True))
        if not key[4]:
            amounts = {
                "flops": (amounts.get("flops") or 0.0) + flop / steps,
                "bytes": (amounts.get("bytes") or 0.0) + byte / steps,
            }
        by_operator[key[0]] = amounts, is_complete and not key[4]
    return by_operator


def _unit(metric: str) -> str:
    if metric == FLOPS:
        return "FLOP"
    if metric == BYTES or (metric.startswith("dram__bytes") and is_additive(metric)):
        return "bytes"
    return "percent" if ".pct_of_peak" in metric else "count" if is_additive(metric) else ""


def _triple(name: str, label: str, what: str) -> list[Column]:
    return [columns.figure(name, (label, "", what, Better.NONE), side) for side in (*SIDES, "delta")]


def _values(summary: Summary, group: str) -> _Values:
    """Values of the metrics, and of figures that sum several metrics if all launches have all of them."""
    table = summary.groups.get(group)
    if table is None:
        return {}
    steps = max(len(summary.steps), 1)
    calls, total = table.calls.sum(axis=1).tolist(), table.measures_ns["total"].sum(axis=1).tolist()
    values = {
        (name, metric): (count / steps, amount / unit_of(metric) / steps)
        for (name, metric), count, amount in zip(table.keys, calls, total, strict=True)
    }
    for name in dict.fromkeys(name for name, _ in table.keys):
        for figure, weights in _SUMS.items():
            parts = [values.get((name, metric)) for metric in weights]
            recorded = [part for part in parts if part is not None]
            if len(recorded) == len(parts) and len({count for count, _ in recorded}) == 1:
                amount = math.fsum(by * part[1] for by, part in zip(weights.values(), recorded, strict=True))
                values[name, figure] = recorded[0][0], amount
    return values


def _figures(values: _Values, key: tuple[str, str]) -> tuple[float | None, float | None, float | None]:
    """Launches per step, mean of one launch, sum per step; None if not known."""
    if key not in values:
        return None, None, None
    calls, total = values[key]
    return calls, total / calls if calls else None, total if key[1] in _SUMS or is_additive(key[1]) else None


def _minus(pair: Sequence[Cell]) -> float | None:
    a, b = pair
    return float(b) - float(a) if isinstance(a, int | float) and isinstance(b, int | float) else None


def _ranked(sides: Sequence[_Values]) -> list[tuple[str, str]]:
    """Keys in order: kernels that move most first, then those that compute and are launched most; for each the
    figures first."""

    most: dict[str, float] = {}
    for side in sides:
        for (name, _), (calls, _) in side.items():
            most[name] = max(most.get(name, 0.0), calls)

    def weight(name: str) -> tuple[float, ...]:
        sums = (max(side.get((name, figure), (0.0, 0.0))[1] for side in sides) for figure in (BYTES, FLOPS))
        return (*(-amount for amount in sums), -most[name])

    def is_in_figure(name: str, metric: str) -> bool:
        """Whether the metric is zero and its figure, FLOPs, is known."""
        own = [side for side in sides if (name, metric) in side]
        return (
            metric in FLOP_METRICS
            and not any(side[name, metric][1] for side in own)
            and all((name, FLOPS) in side for side in own)
        )

    weights = {name: weight(name) for name in most}
    keys = dict.fromkeys(key for side in sides for key in side if not is_in_figure(*key))
    return sorted(keys, key=lambda key: (weights[key[0]], key[0], key[1] not in _SUMS, key[1]))


def _by_bytes(sides: Sequence[Mapping[str, _Operator]]) -> list[str]:
    """Names of operators, those that move or compute most first."""

    def most(name: str, figure: str) -> float:
        return max(side.get(name, _NOTHING).measured.get(figure) or 0.0 for side in sides)

    names = list(dict.fromkeys(name for side in sides for name in side))
    return sorted(names, key=lambda name: (-most(name, "bytes"), -most(name, "flops"), name))
