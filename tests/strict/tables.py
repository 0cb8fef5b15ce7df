"""Tables to compare: drawn in a test, or the example folder."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tb_perfcompare.model.recordings.cycles import CycleTable
from tb_perfcompare.model.strings import StringTable
from tb_perfcompare.sources.perf_data.csv_tables import OPTIONAL, REQUIRED

SLOW_GPU = Path(__file__).parent / "tables" / "slow_gpu"
NORMAL = SLOW_GPU / "normal_perf_data" / "toy_perf_data.csv"
ABNORMAL = SLOW_GPU / "abnormal_perf_data" / "toy_perf_data.csv"

HEADER = (*REQUIRED, *OPTIONAL)

Cell = str | int | float


def row(**cells: Cell) -> dict[str, Cell]:
    """One line with ordinary values, except these cells."""
    usual: dict[str, Cell] = {
        "cycle": 1, "pid": 10, "beta_pct": 1.0, "function_name": "gemm", "metric_name": "gpu_usage", "device": "GPU 0",
        "mu_pct": 5.0, "anchor_dur_us": 1000.0, "anchor_name": "run_batch", "duration": 10.0, "instances_count": 1,
        "interpolation_status": "**",
    }  # fmt: skip
    return {**usual, **cells}


def write(path: Path, rows: Sequence[Mapping[str, Cell]], header: Sequence[str] = HEADER) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.DictWriter(file, header, extrasaction="ignore", lineterminator="\n")
        lines.writeheader()
        lines.writerows(rows)
    return path


def table(triplets: Mapping[tuple[str, str, str], tuple[Sequence[float], Sequence[float]]]) -> CycleTable:
    """Triplet -> shares and counter means, one pair per cycle from 1; every cycle lasts 1 ms."""
    strings = StringTable()
    rows = [
        (cycle, *(strings.intern(text) for text in triplet), beta, mu)
        for triplet, (betas, mus) in triplets.items()
        for cycle, (beta, mu) in enumerate(zip(betas, mus, strict=True), 1)
    ]
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    codes = [np.array(column, np.int32) for column in columns[1:4]]
    beta, mu = (np.array(column, np.float64) for column in columns[4:6])
    count = len(rows)
    return CycleTable(
        "drawn", strings, np.array(columns[0], np.int64), np.full(count, 10, np.int64), *codes, beta, mu,
        np.full(count, 1000.0),
    )  # fmt: skip
