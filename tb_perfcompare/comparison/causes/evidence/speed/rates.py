"""Clauses on whether an operator did more work, or the same work at a different rate; from its input shapes."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.wording import percent_text
from tb_perfcompare.comparison.work.row_work import KERNEL_WORK, OPERATOR_WORK, Key, RowWork, peaks_of, row_work
from tb_perfcompare.comparison.work.split import counts_in_flops
from tb_perfcompare.model.device_peaks import DevicePeaks
from tb_perfcompare.model.input_shapes import shown_shape
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.number_text import operation_rate, rate

SAME_WORK_TOLERANCE = 0.01
"""Largest relative change of work that counts as the same."""

SAME_RATE = 0.05
"""Largest relative change of a rate that counts as the same: kernels of one program vary as much."""

NO_ROW: Key = ("", "")
"""Key of rows that are not requested."""

COVERED = 0.5
"""Share of an operator's time that needs a work model, on both sides, for its rate to explain the time."""

_SAME_WORK = "the same work"

VECTOR_RATES = {"fp32": 1.0, "tf32": 1.0, "fp16": 4.0, "bf16": 4.0}
"""Data type -> peak rate of cores other than tensor cores, as a multiple of their fp32 rate (an A100's fp16: 78
against 19.5)."""


def rate_clause(context: RuleContext, operator: str, *, other_arguments: bool = False) -> str:
    """Clause on rate: "; on [8, 64] × [64, 8] the same work at 2.00 TB/s → 72.0 GB/s (60.1 % → 2.15 % of peak),
    memory-bound" for the shape whose time changed most, or "; 14 % more FLOPs at the same rate"; "" if no work model
    applies or nothing changed. With `other_arguments`, equal FLOPs and bytes are no same work."""
    works = _works(context, lambda key: key[:2] if key[0] == operator else None) if operator else None
    if works is None:
        return ""
    shapes, a, b = works
    change = b.per_step("time_ns") - a.per_step("time_ns")
    if not len(change) or not _is_covered(a, b):
        return ""
    at = int(np.argmax(np.abs(change)))
    rate = _rate_text(a, b, at)
    if other_arguments and rate.startswith(_SAME_WORK):
        return ""
    return f"; on {_inputs(shapes[at][1])} {rate}" if rate else ""


def total_clause(context: RuleContext) -> str:
    """Clause on all operators whose work is known: "; 50.0 % more FLOPs at the same rate (78.0 TFLOP/s)"; "" if
    those do not take most of the time."""
    works = _works(context, lambda key: ())
    if works is None:
        return ""
    _, a, b = works
    rate = _rate_text(a, b, 0) if _is_covered(a, b) else ""
    return f"; {rate}" if rate else ""


def _rate_text(a: RowWork, b: RowWork, row: int) -> str:
    """Change of rate: "the same work at 2.00 TB/s → 72.0 GB/s", "14.0 % more FLOPs at the same rate (12.0 TFLOP/s)";
    "" if nothing changed or nothing is known."""
    in_flops = bool(counts_in_flops(a, b)[row])
    changed = {of: _more(a, b, of, row) for of in ("flops", "bytes")}
    counted, other = ("flops", "bytes") if in_flops else ("bytes", "flops")
    unbound = abs(changed[counted]) <= SAME_WORK_TOLERANCE < abs(changed[other])
    in_flops ^= unbound  # the other figure changed, which does not bound the row
    figure, unit, write = ("flops", "FLOPs", operation_rate) if in_flops else ("bytes", "bytes", rate)
    work_a, work_b = (float(side.per_step(figure)[row]) for side in (a, b))
    time_a, time_b = (float(side.per_step("time_ns")[row]) for side in (a, b))
    if not (work_a and work_b and time_a and time_b):
        return ""
    before, after = work_a / time_a * 1e9, work_b / time_b * 1e9
    more, faster = changed[figure], after / before - 1
    same = abs(faster) <= SAME_RATE
    if abs(more) <= SAME_WORK_TOLERANCE:
        return "" if same else f"{_SAME_WORK} at {write(before)} → {write(after)}{_position(a, b, row)}"
    amount = f"{percent_text(abs(more))} {'more' if more > 0 else 'fewer'} {unit}"
    if same:
        return f"{amount} at the same rate ({write(after)}){'' if unbound else _bound(a, b, row)}"
    return f"{amount} at {write(before)} → {write(after)}{'' if unbound else _position(a, b, row)}"


def _more(a: RowWork, b: RowWork, figure: str, row: int) -> float:
    """Relative change of the work, 0 if a side has none."""
    work_a, work_b = (float(side.per_step(figure)[row]) for side in (a, b))
    return work_b / work_a - 1 if work_a and work_b else 0.0


def tensor_cores_by_rate(context: RuleContext) -> tuple[frozenset[str], frozenset[str]]:
    """Kernels of each side that compute faster than their device can without tensor cores."""
    peaks = peaks_of(*context.sides, context.options)
    one, two = (_beyond_vectors(side, own) for side, own in zip(context.sides, peaks, strict=True))
    return one, two


def _beyond_vectors(side: Summary, peaks: DevicePeaks | None) -> frozenset[str]:
    table = side.groups.get(KERNEL_WORK)
    if table is None or peaks is None:
        return frozenset()
    done, time = (table.measures_ns[name].sum(axis=1).tolist() for name in ("flops", "total"))
    return frozenset(
        key[0]
        for key, flops, ns in zip(table.keys, done, time, strict=True)
        if (most := VECTOR_RATES.get(key[2], 0) * peaks.tflops.get("fp32", 0.0)) and flops > 1000 * most * ns
    )


def _works(context: RuleContext, row_of: Callable[[Key], Key | None]) -> tuple[list[Key], RowWork, RowWork] | None:
    """(rows, their work on both sides); None if a side does not have it."""
    tables = [side.groups.get(OPERATOR_WORK) for side in context.sides]
    if any(table is None for table in tables):
        return None
    keys = [key for table in tables if table is not None for key in table.keys]
    rows = {key: row for key in keys if (row := row_of(key)) is not None}
    places = {row: at for at, row in enumerate(dict.fromkeys(rows.values()))}
    peaks = peaks_of(*context.sides, context.options)
    a, b = (
        row_work(side, lambda key: rows.get(key, NO_ROW), places, len(places), own)
        for side, own in zip(context.sides, peaks, strict=True)
    )
    return list(places), a, b


def _is_covered(a: RowWork, b: RowWork) -> bool:
    return all(side.time_ns.sum() >= COVERED * max(int(side.whole_ns.sum()), 1) for side in (a, b))


def _position(a: RowWork, b: RowWork, at: int) -> str:
    """Clause on the share of peak: " (60.1 % → 2.15 % of peak), memory-bound"; "" if a side has no peak."""
    shares = [float(side.roof_share()[at]) for side in (a, b)]
    if not all(np.isfinite(shares)):
        return ""
    return f" ({percent_text(shares[0])} → {percent_text(shares[1])} of peak){_bound(a, b, at)}"


def _bound(a: RowWork, b: RowWork, at: int) -> str:
    """Clause on the bound: ", memory-bound" or ", compute-bound → memory-bound"; ", no longer memory-bound" if a
    side moved far from its roof; "" if a side is near the ridge, or both are far."""
    before, after = (side.bound()[at] for side in (a, b))
    if before and after:
        return f", {before}" if before == after else f", {before} → {after}"
    if before and b.is_far()[at]:
        return f", no longer {before}"
    return f", now {after}" if after and a.is_far()[at] else ""


def _inputs(shape: str) -> str:
    """Inputs in words: "[512, 8, 64] × [512, 64, 8]" for two tensors, "[64], [32, 8], [8, 64]" otherwise."""
    try:
        tensors = [str(tensor) for tensor in json.loads(shape) if tensor]
    except ValueError:
        return shown_shape(shape)
    return shown_shape((" × " if len(tensors) == 2 else ", ").join(tensors))
