"""Where two answers differ: the first place, types and key order included."""

from __future__ import annotations

import json
import math
from typing import Any

from tb_perfcompare.analysis.compat import CompatProfile, answer
from tests.compat.oracle import plain

BY_SHAPE = "OperationAndInputShape"


def difference(mine: Any, theirs: Any, path: str = "") -> str | None:
    """`place: mine != theirs` of the first difference, None if there is none."""
    if type(mine) is not type(theirs):
        return f"{path}: {mine!r} != {theirs!r}"
    if isinstance(mine, dict):
        if list(mine) != list(theirs):
            return f"{path}: keys {list(mine)} != {list(theirs)}"
        return _first(difference(mine[key], theirs[key], f"{path}/{key}") for key in mine)
    if isinstance(mine, list):
        items = zip(mine, theirs, strict=False)
        found = _first(difference(a, b, f"{path}/{i}") for i, (a, b) in enumerate(items))
        return found or (None if len(mine) == len(theirs) else f"{path}: {len(mine)} items != {len(theirs)}")
    return None if mine == theirs else f"{path}: {mine!r} != {theirs!r}"


def _first(found: Any) -> str | None:
    return next((text for text in found if text is not None), None)


def differences(profile: CompatProfile, reference: Any) -> dict[str, str]:
    """View -> first difference from torch-tb-profiler's RunProfile, for overview, operator and kernel views."""
    overview = dict(plain(answer(profile, "overview")))
    overview.pop("environments")
    summary = overview.pop("gpu_metrics", {"data": None, "tooltip": None})
    found = {
        "overview": difference(overview, plain(reference.overview)),
        "gpu_metrics": difference(summary["data"], reference.gpu_summary),
        "gpu_metrics tooltip": difference(summary["tooltip"], reference.gpu_tooltip),
        "kernel/table": _same_kernels(answer(profile, "kernel/table"), reference.kernel_table, 3),
        "kernel": _same_kernels(answer(profile, "kernel"), reference.kernel_pie, 1),
        "kernel/table by launch": difference(
            answer(profile, "kernel/table", group_by="KernelNameAndOpName"), plain(reference.kernel_op_table)
        ),
        "kernel/tc_pie": difference(answer(profile, "kernel/tc_pie"), plain(reference.tc_pie)),
    }
    for by, pie, table, stacks in (
        (None, reference.operation_pie_by_name, reference.operation_table_by_name, reference.operation_stack_by_name),
        (BY_SHAPE, reference.operation_pie_by_name_input, reference.operation_table_by_name_input,
         reference.operation_stack_by_name_input),
    ):  # fmt: skip
        found[f"operation {by}"] = difference(answer(profile, "operation", group_by=by), plain(pie))
        found[f"operation/table {by}"] = difference(answer(profile, "operation/table", group_by=by), plain(table))
        for key, stack in stacks.items():
            name, _, shape = key.partition("###")
            mine = answer(profile, "operation/stack", group_by=by, op_name=name, input_shape=shape)
            found[f"operation/stack {by} {key}"] = difference(mine, plain(stack))
    return {view: text for view, text in found.items() if text is not None}


def _same_kernels(mine: Any, theirs: Any, total: int) -> str | None:
    """Kernel tables equal but for two things pandas leaves open.

    These are the order of rows with equal totals, and the last digits of sums of doubles, which it adds up differently
    if the kernels happen to be recorded in alphabetical order.
    """
    if mine is None or theirs is None:
        return difference(mine, theirs)
    mine, theirs = plain(mine), plain(theirs)
    if mine.get("metadata") != theirs.get("metadata"):
        return difference(mine.get("metadata"), theirs.get("metadata"), "/metadata")
    mine, theirs = (item.get("data") or item["total"] for item in (mine, theirs))
    if len(mine["rows"]) != len(theirs["rows"]):
        return f"/rows: {len(mine['rows'])} != {len(theirs['rows'])}"
    ordered = [row[total] for row in mine["rows"]]
    if ordered != sorted(ordered, reverse=True):
        return "/rows: not by total"
    by_name = {row[0]: row for row in theirs["rows"]}
    for row in mine["rows"]:
        other = by_name.get(row[0], [])
        same = len(row) == len(other) and all(map(_close, row, other))
        if not same:
            return f"/rows/{row[0]}: {json.dumps(row)} != {json.dumps(other)}"
    return difference(mine["columns"], theirs["columns"], "/columns")


def _close(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, float) and isinstance(theirs, float):
        return math.isclose(mine, theirs, rel_tol=1e-12)
    return type(mine) is type(theirs) and bool(mine == theirs)
