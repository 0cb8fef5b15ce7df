"""Draws per-cycle tables: a line per function of a cycle, repeated for its counters as recorders do."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tb_perfcompare.analysis.cycles.summarize_cycles import summarize_cycles
from tb_perfcompare.model.recordings.recording import Origin
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.sources.perf_data.csv_tables import read_cycles

HEADER = (
    "cycle", "pid", "hostname", "beta_pct", "function_name", "metric_name", "device", "func_type", "mu_pct",
    "sigma_pct", "duration", "interpolation_status", "anchor_name", "anchor_dur_us", "cycle_start_ts",
    "instances_count", "simple_name",
)  # fmt: skip
"""The columns as recorders write them, in their order."""

EPOCH_US = 1_700_000_000_000_000.0


@dataclass(frozen=True)
class Fn:
    """A function of a cycle: its time, calls and the mu of each counter."""

    name: str
    us: float
    calls: int = 1
    mu: Mapping[str, float] = field(default_factory=dict)
    device: str = "GPU 0"
    type: str = "gpu_compute"
    pid: int = 7
    status: str = "**"
    sigma: float = 0.0


def gemm(us: float, calls: int = 4, **mu: float) -> Fn:
    return Fn("gemm", us, calls, mu)


def host(us: float, name: str = "oncpu", **mu: float) -> Fn:
    return Fn(name, us, 10, mu, "Host", name, status="*")


def cycle(
    number: int, length_us: float, *functions: Fn, anchor: str = "run_batch", hostname: str = "", start: bool = True
) -> list[dict[str, Any]]:
    """The rows of one cycle: a row per function and counter, `N/A` for a function without counters."""
    rows = []
    for fn in functions:
        for metric, mu in fn.mu.items() or (("N/A", ""),):
            rows.append(
                {
                    "cycle": number, "pid": fn.pid, "hostname": hostname, "beta_pct": f"{100 * fn.us / length_us:.4f}",
                    "function_name": fn.name, "metric_name": metric, "device": fn.device, "func_type": fn.type,
                    "mu_pct": mu, "sigma_pct": fn.sigma if fn.mu else "", "duration": f"{fn.us:.4f}",
                    "interpolation_status": fn.status if fn.mu else " ", "anchor_name": anchor,
                    "anchor_dur_us": f"{length_us:.4f}",
                    "cycle_start_ts": f"{EPOCH_US + 1e6 * number:.4f}" if start else "",
                    "instances_count": fn.calls, "simple_name": fn.name,
                }
            )  # fmt: skip
    return rows


def write(path: Path, *cycles: list[dict[str, Any]], header: Sequence[str] = HEADER) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.DictWriter(file, header, extrasaction="ignore", lineterminator="\r\n")
        lines.writeheader()
        for rows in cycles:
            lines.writerows(rows)
    return path


def write_counters(path: Path, samples: Sequence[tuple[str, float, float]]) -> Path:
    """(counter, seconds since the epoch of the drawing, value)."""
    lines = [f"{name},{EPOCH_US + 1e6 * at:.6f},{value:.6f}," for name, at, value in samples]
    path.write_text("\r\n".join(("counter_name,timestamp,value,hostname", *lines)) + "\r\n")
    return path


def summary(path: Path, run: str = "run") -> Summary:
    return summarize_cycles(read_cycles(str(path)), Origin(run, run, path.stem, "default"))


def drawn(folder: Path, *cycles: list[dict[str, Any]], header: Sequence[str] = HEADER, name: str = "a") -> Summary:
    return summary(write(folder / f"{name}_perf_data.csv", *cycles, header=header), name)
