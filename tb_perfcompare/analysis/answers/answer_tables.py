"""Group tables from saved tables and pies.

A total over the recording is spread over the steps so that each row sums to it exactly. A pie's value, which is not
rounded, replaces the table's value if the two agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from tb_perfcompare.model.arrays import Floats, Ints, max_by_target, min_by_target, spread, weighted_means
from tb_perfcompare.model.names.join_keys import kernel_key, operator_key
from tb_perfcompare.model.recordings.answers import AnswersRecording, SavedKernel, SavedOperator
from tb_perfcompare.model.summary.tables import GroupTable

Pies = Mapping[str, Mapping[str, int]]

_MEASURES = ("host_self", "host_total", "device_self", "device_total")
HALF_US_NS = 501
"""Largest difference between a pie's value and a table's that agree.

Tables are rounded to microseconds (half to even), pies are not; rounding to nanoseconds adds one.
"""


def operator_table(rows: Sequence[SavedOperator], pies: Pies, steps: int, *, by_shape: bool) -> GroupTable:
    """Operators by name, or by name and input shape."""
    shapes = ["" if row.input_shape in (None, "None") else str(row.input_shape) for row in rows]  # as tables of traces
    key = [(operator_key(row.name), shape)[: 1 + by_shape] for row, shape in zip(rows, shapes, strict=True)]
    index, at, names = _grouped(key, [row.name for row in rows])
    measures = {}
    for measure in _MEASURES:
        values = [getattr(row, f"{measure}_ns") for row in rows]
        if any(value is not None for value in values):
            exact = _exact([row.name for row in rows], [value or 0 for value in values], pies.get(measure, {}))
            measures[measure] = spread(_sums(at, exact, len(index)), steps)
    return GroupTable(
        key_columns=("name", "input_shape") if by_shape else ("name",),
        keys=tuple(index),
        names=names,
        calls=spread(_sums(at, [row.calls for row in rows], len(index)), steps),
        measures_ns=measures,
        sampled=False,
    )


def kernel_table(rows: Sequence[SavedKernel], pies: Pies, steps: int, tensor_cores: bool) -> GroupTable:
    """Kernels by name; rows that differ only in operator or launch are summed.

    Without `tensor_cores` the device has no valid tensor core test, and the column is left out.
    """
    key = [(kernel_key(row.name),) for row in rows]
    index, row_of, names = _grouped(key, [row.name for row in rows])
    total = _exact([row.name for row in rows], [row.total_ns for row in rows], pies.get("kernel", {}))
    spans = [(row.min_ns, row.max_ns) for row in rows if row.min_ns is not None and row.max_ns is not None]
    low = high = None
    if len(spans) == len(rows):
        shortest, longest = np.array(spans, dtype=np.int64).reshape(-1, 2).T
        low, high = min_by_target(shortest, row_of, len(index)), max_by_target(longest, row_of, len(index))
    facts = {
        fact: _weighted(row_of, [getattr(row, fact) for row in rows], total, len(index))
        for fact in ("blocks_per_sm", "occupancy", *("tensor_cores",) * tensor_cores)
    }
    return GroupTable(
        key_columns=("name",),
        keys=tuple(index),
        names=names,
        calls=spread(_sums(row_of, [row.calls for row in rows], len(index)), steps),
        measures_ns={"total": spread(_sums(row_of, total, len(index)), steps)},
        min_ns=low,
        max_ns=high,
        facts={name: values for name, values in facts.items() if np.isfinite(values).any()},
    )


def table_disagreements(recording: AnswersRecording) -> list[str]:
    """Returns a sentence for every pie that differs from its table by more than the table's rounding."""
    out = []
    operators = recording.operators or recording.operators_by_shape or ()
    for measure in _MEASURES:
        values = [getattr(row, f"{measure}_ns") for row in operators]
        if operators and measure in recording.pies and any(value is not None for value in values):
            rows = [(row.name, value or 0) for row, value in zip(operators, values, strict=True)]
            out.append(_disagreement(f"{measure}_time", rows, recording.pies[measure]))
    if recording.kernels and "kernel" in recording.pies:
        rows = [(row.name, row.total_ns) for row in recording.kernels]
        out.append(_disagreement("kernel", rows, recording.pies["kernel"]))
    return [text for text in out if text]


def _disagreement(pie_name: str, rows: list[tuple[str, int]], pie: Mapping[str, int]) -> str:
    """Describes where a pie and its rows disagree, "" if nowhere. Pies omit values that are not positive."""
    table: dict[str, int] = {}
    for name, value in rows:
        table[name] = table.get(name, 0) + value
    count = Counter(name for name, _ in rows)
    wrong = [
        name
        for name in dict.fromkeys([*table, *pie])
        if abs(max(table.get(name, 0), 0) - pie.get(name, 0)) > HALF_US_NS * max(count[name], 1)
    ]
    if not wrong:
        return ""
    first = wrong[0]
    return (
        f"the pie {pie_name} and the table disagree about {len(wrong)} of {len({*table, *pie})} names, first {first}: "
        f"{pie.get(first, 0) / 1000:.15g} µs against {table.get(first, 0) / 1000:.15g} µs; the table is used"
    )


def _exact(names: list[str], rounded: list[int], pie: Mapping[str, int]) -> list[int]:
    """Replaces a rounded value by the pie's if the name has only one row and the values agree."""
    rows = Counter(names)
    return [
        pie[name] if rows[name] == 1 and name in pie and abs(pie[name] - value) <= HALF_US_NS else value
        for name, value in zip(names, rounded, strict=True)
    ]


def _grouped(
    keys: Sequence[tuple[str, ...]], names: Sequence[str]
) -> tuple[dict[tuple[str, ...], int], Ints, tuple[str, ...]]:
    """Returns (index of each key, index of each row's key, name of each key's first row)."""
    first: dict[tuple[str, ...], str] = {}
    for key, name in zip(keys, names, strict=True):
        first.setdefault(key, name)
    index = {key: place for place, key in enumerate(first)}
    return index, np.array([index[key] for key in keys], dtype=np.int64), tuple(first.values())


def _sums(at: Ints, values: Sequence[int], groups: int) -> Ints:
    out = np.zeros(groups, dtype=np.int64)
    np.add.at(out, at, np.array(values, dtype=np.int64))
    return out


def _weighted(at: Ints, values: Sequence[float | None], weights: Sequence[int], groups: int) -> Floats:
    """(g,) Means over rows with a value, weighted by time; NaN for groups without values."""
    value = np.array([np.nan if entry is None else float(entry) for entry in values], dtype=np.float64)
    weight = np.maximum(np.array(weights, dtype=np.float64), 1.0)  # a kernel of zero length still counts
    return weighted_means(value, weight, at, groups)
