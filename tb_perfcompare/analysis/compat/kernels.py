"""Kernels by name: table, pie and tensor-core share."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.compat.events import texts
from tb_perfcompare.analysis.compat.events.kinds import Kind
from tb_perfcompare.analysis.compat.events.rounding import whole
from tb_perfcompare.analysis.compat.events.stream import EventStream
from tb_perfcompare.analysis.compat.events.tensor_cores import uses_tensor_cores
from tb_perfcompare.model.arrays import Floats, Ints

BLOCKS, OCCUPANCY = "blocks_per_sm", "occupancy"


@dataclass(frozen=True, slots=True)
class KernelRow:
    """All launches of one kernel name, microseconds. `blocks` and `occupancy` are means weighted by duration."""

    name: str
    tensor_cores: bool
    calls: int
    total: Any
    mean: Any
    longest: Any
    shortest: Any
    blocks: float
    occupancy: float


@dataclass(frozen=True, slots=True)
class KernelTable:
    """Rows by total (then name), descending; whether any launch states its blocks per SM and its occupancy."""

    rows: tuple[KernelRow, ...]
    has_blocks: bool
    has_occupancy: bool

    @property
    def weightless(self) -> bool:
        """No launch took any time: weighted means are then integer zeros."""
        return not any(row.longest for row in self.rows)

    @property
    def tensor_core_share(self) -> float:
        """Part of all kernels' time spent in kernels on tensor cores; 0.0 without kernel time."""
        totals = np.array([row.total for row in self.rows])
        used = np.array([row.tensor_cores for row in self.rows], dtype=np.bool_)
        time = np.sum(totals).item()
        return float(np.sum(totals[used]).item() / time) if time else 0.0


def kernel_table(stream: EventStream) -> KernelTable:
    """Kernels of the trace by name, launched by a recorded call or not."""
    at = stream.of(Kind.KERNEL)
    blocks, occupancy = stated(stream, at, BLOCKS), stated(stream, at, OCCUPANCY)
    durations = stream.dur[at]
    if durations.dtype == object:  # pandas has one type for a column
        durations = np.array(durations.tolist())
    order = np.argsort(stream.name[at], kind="stable")
    bounds = np.flatnonzero(np.diff(stream.name[at][order], prepend=-1, append=-1)).tolist()
    marks = stream.variant.tensor_core_marks
    rows = []
    for low, high in pairwise(bounds):
        group = order[low:high]
        name = stream.texts[stream.name[at[group[0]]]]
        dur = durations[group]
        total = compensated_total(dur)
        rows.append(
            KernelRow(
                name=name,
                tensor_cores=uses_tensor_cores(name, marks),
                calls=len(group),
                total=total,
                mean=total / len(group),
                longest=dur.max().item(),
                shortest=dur.min().item(),
                blocks=_weighted(blocks[group], dur),
                occupancy=_weighted(occupancy[group], dur),
            )
        )
    rows.sort(key=lambda row: (row.total, row.name), reverse=True)
    return KernelTable(tuple(rows), bool((blocks > 0).any()), bool((occupancy >= 0).any()))


def stated(stream: EventStream, at: Ints, column: str) -> Floats:
    """(len(at),) a device argument; NaN where the event does not state it or states no finite number."""
    values = np.asarray(stream.argument(column, at, np.nan), dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def _weighted(values: Floats, dur: NDArray[Any]) -> float:
    """Mean of `values` (missing = 0) weighted by duration; 0.0 of nothing."""
    weight = np.sum(dur).item()
    return float(np.sum(np.where(np.isnan(values), 0.0, values) * dur)) / weight if weight else 0.0


def compensated_total(values: NDArray[Any]) -> int | float:
    """Sum: exact for integers; Kahan's compensated one in the given order for doubles, as pandas adds up groups."""
    if values.dtype.kind == "i":
        return int(values.sum())
    total, lost = 0.0, 0.0
    for value in values.tolist():
        step = value - lost
        new = total + step
        lost = new - total - step
        total = new
    return total


def kernel_answer(table: KernelTable, word: str) -> dict[str, Any]:
    """The `kernel/table` answer grouped by kernel name."""
    columns: list[dict[str, str]] = [
        {"type": "string", "name": "Name"},
        {"type": "string", "name": "Tensor Cores Used", "tooltip": texts.kernel_uses_tensor_cores(word)},
        *duration_columns(),
        *detail_columns(table.has_blocks, table.has_occupancy),
    ]
    rows = []
    for row in table.rows:
        cells: list[Any] = [row.name, "Yes" if row.tensor_cores else "No", row.calls]
        cells += [whole(row.total), whole(row.mean), whole(row.longest), whole(row.shortest)]
        means = (0, 0) if table.weightless else (row.blocks, row.occupancy)
        cells += detail_cells(means, table.has_blocks, table.has_occupancy)
        rows.append(cells)
    return {"metadata": {"sort": "Total Duration (us)"}, "data": {"columns": columns, "rows": rows}}


def duration_columns() -> list[dict[str, str]]:
    """Columns every kernel table has."""
    titles = ("Calls", "Total Duration (us)", "Mean Duration (us)", "Max Duration (us)", "Min Duration (us)")
    return [{"type": "number", "name": title} for title in titles]


def detail_columns(has_blocks: bool, has_occupancy: bool) -> list[dict[str, str]]:
    """Columns a kernel table has if any launch states the value."""
    columns = []
    if has_blocks:
        columns.append({"type": "number", "name": "Mean Blocks Per SM", "tooltip": texts.BLOCKS_PER_SM})
    if has_occupancy:
        title = "Mean Est. Achieved Occupancy (%)"
        columns.append({"type": "number", "name": title, "tooltip": texts.MEAN_OCCUPANCY})
    return columns


def detail_cells(means: tuple[float, float], has_blocks: bool, has_occupancy: bool) -> list[float]:
    """Cells under detail_columns(): mean blocks per SM and mean occupancy."""
    return [round(mean, 2) for mean, shown in zip(means, (has_blocks, has_occupancy), strict=True) if shown]


def kernel_pie(table: KernelTable) -> dict[str, Any]:
    """The `kernel` answer."""
    columns = [{"type": "string", "name": "name"}, {"type": "number", "name": "value"}]
    return {"total": {"columns": columns, "rows": [[row.name, row.total] for row in table.rows]}}


def tensor_core_pie(table: KernelTable) -> dict[str, Any]:
    """The `kernel/tc_pie` answer."""
    share = table.tensor_core_share
    columns = [{"type": "string", "name": "name"}, {"type": "number", "name": "value"}]
    rows = [["Using Tensor Cores", share], ["Not Using Tensor Cores", 1.0 - share]]
    return {"total": {"columns": columns, "rows": rows}}
