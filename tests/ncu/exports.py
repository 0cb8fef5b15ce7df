"""Small ncu --csv exports in the layouts of both pages, drawn from launches."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

TENSOR = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"
DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
SM = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
DURATION = "gpu__time_duration.sum"

WHO = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
       "Device", "CC")  # fmt: skip
RULES = ("Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup")
PROGRESS = (
    '==PROF== Connected to process 4711 (/usr/bin/python3.11)\nloss 0.25\n==PROF== Profiling "gemm" - 0: 3 passes\n'
)


@dataclass(frozen=True)
class Launch:
    """A launch: `cells` are metric -> text as ncu prints it."""

    name: str
    cells: Mapping[str, str] = field(default_factory=dict)
    process: str = "4711"
    device: str = "0"
    cc: str = "8.0"

    def who(self, number: int) -> list[str]:
        return [str(number), self.process, "python3.11", "127.0.0.1", self.name, "1", "7", "(256, 1, 1)",
                "(64, 1, 1)", self.device, self.cc]  # fmt: skip


def launch(name: str, ns: int | str, tensor: float | str | None = None, dram: float | str | None = None,
           **who: str) -> Launch:  # fmt: skip
    """A launch with a duration as ncu prints it in nanoseconds, and percentages."""
    cells = {DURATION: f"{ns:,}" if isinstance(ns, int) else ns}
    for metric, value in ((TENSOR, tensor), (DRAM, dram)):
        if value is not None:
            cells[metric] = value if isinstance(value, str) else f"{value:.2f}"
    return Launch(name, cells, **who)


UNITS = {DURATION: "ns"}
"""Units of the drawn metrics; the others are percentages."""


def raw_page(launches: Sequence[Launch], units: Mapping[str, str] = UNITS, before: str = PROGRESS) -> str:
    """`--page raw`: a row per launch, metrics by name, units in the second row."""
    metrics = sorted({metric for one in launches for metric in one.cells})
    rows = [[*WHO, *metrics], [*("" for _ in WHO), *(units.get(metric, "%") for metric in metrics)]]
    rows += [[*one.who(n), *(one.cells.get(metric, "n/a") for metric in metrics)] for n, one in enumerate(launches)]
    return before + _csv(rows)


LABELS = {
    DURATION: ("GPU Speed Of Light Throughput", "Duration"),
    DRAM: ("GPU Speed Of Light Throughput", "DRAM Throughput"),
    SM: ("GPU Speed Of Light Throughput", "Compute (SM) Throughput"),
    OCCUPANCY: ("Occupancy", "Achieved Occupancy"),
}
"""Section and label of the metrics that a set has."""

RULE = 'This kernel exhibits "low" throughput.\nSee the guide, section 3'


def details_page(launches: Sequence[Launch], units: Mapping[str, str] = UNITS, *, labels: bool = True,
                 rules: bool = False, before: str = PROGRESS) -> str:  # fmt: skip
    """`--page details`, the default: a row per figure. With `rules` their rows and columns, and figures end one comma
    early."""
    columns = (*WHO, "Section Name", "Metric Name", "Metric Unit", "Metric Value")
    text = before + _csv([[*columns, *(RULES if rules else ())]])
    for number, one in enumerate(launches):
        for metric, value in one.cells.items():
            section, label = LABELS.get(metric, ("", "")) if labels else ("", "")
            where = [section or "Command line profiler metrics", label or metric]
            row = [*one.who(number), *where, "" if value == "n/a" else units.get(metric, "%"), value]
            text += _csv([row]).removesuffix("\n") + (",\n" if rules else "\n")
        if rules:
            text += _csv([[*one.who(number), "SpeedOfLight", "", "", "", "SOLBottleneck", "OPT", RULE, "", ""]])
    return text


def _csv(rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return out.getvalue()


def write(folder: Path, content: str | bytes, name: str = "launches.csv") -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)
