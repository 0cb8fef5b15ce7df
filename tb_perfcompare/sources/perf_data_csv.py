"""`*_perf_data.csv` and `*_counters_data.csv` -> tables of cycles and counters. The formats: docs/perf_data.md."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.errors import InputError
from tb_perfcompare.model.cycles import CounterTable, CycleTable
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.csv_columns import CsvColumns, read_csv_columns

PERF_DATA = "_perf_data.csv"
COUNTERS = "_counters_data.csv"
"""Ends of the file names."""

REQUIRED = ("cycle", "pid", "beta_pct", "function_name", "metric_name", "device", "mu_pct", "anchor_dur_us")
OPTIONAL = ("anchor_name", "duration", "instances_count", "interpolation_status")

_NO_SAMPLE = "**"


def read_perf_data(path: str) -> CycleTable:
    """Reads one table. Raises InputError, UnrecognisedFormat or CorruptInput with file, line and column."""
    strings = StringTable()
    blocks = [_rows(columns, strings) for columns in read_csv_columns(path, REQUIRED, OPTIONAL)]
    return CycleTable(source=path, strings=strings, **_joined(blocks))


def _rows(columns: CsvColumns, strings: StringTable) -> dict[str, NDArray[Any]]:
    """Fields of a CycleTable."""
    found: dict[str, NDArray[Any]] = {
        "cycle": columns.integers("cycle"),
        "pid": columns.integers("pid"),
        "function": columns.texts("function_name", strings),
        "metric": columns.texts("metric_name", strings),
        "device": columns.texts("device", strings),
        "beta_pct": columns.numbers("beta_pct"),
        "mu_pct": columns.numbers("mu_pct", missing=math.nan),
        "cycle_us": columns.numbers("anchor_dur_us"),
    }
    if "anchor_name" in columns:
        found["anchor"] = columns.texts("anchor_name", strings)
    if "duration" in columns:
        found["duration_us"] = columns.numbers("duration", missing=math.nan)
    if "instances_count" in columns:
        found["instances"] = columns.numbers("instances_count", missing=math.nan)
    if "interpolation_status" in columns:
        marks = columns.raw("interpolation_status")
        found["interpolated"] = np.array([mark == _NO_SAMPLE for mark in marks], dtype=np.bool_)
    return found


def _joined(blocks: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


def read_counters(path: str) -> CounterTable:
    """Reads the samples of the counters. Raises as `read_perf_data` does."""
    strings = StringTable()
    blocks: list[dict[str, NDArray[Any]]] = [
        {
            "counter": columns.texts("counter_name", strings),
            "time_us": columns.numbers("timestamp"),
            "value": columns.numbers("value", missing=math.nan),
        }
        for columns in read_csv_columns(path, ("counter_name", "timestamp", "value"))
    ]
    found = _joined(blocks)
    usable = (found["counter"] >= 0) & np.isfinite(found["value"])
    return CounterTable(path, tuple(strings.texts), *(column[usable] for column in found.values()))


def counters_beside(path: str) -> CounterTable | None:
    """The counters file of the same recording, in the same directory; None when there is none or it is unusable."""
    if not path.endswith(PERF_DATA):
        return None
    beside = path.removesuffix(PERF_DATA) + COUNTERS
    try:
        return read_counters(beside)
    except InputError:
        return None  # it only explains units; the comparison does not need it
