"""The launches of listing.py as Nsight Compute exports them: `ncu --csv --page raw` with three metrics."""

from __future__ import annotations

import csv
import io

from listing import Launch, launches

COLUMNS = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
           "Grid Size", "Device", "CC")  # fmt: skip
METRICS = (
    ("gpu__time_duration.sum", "ns"),
    ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "%"),
    ("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%"),
)
"""Name and unit."""
PROCESS_ID, COMPUTE = 4711, 7


def export(layer: tuple[Launch, ...], seed: int) -> str:
    """What ncu prints: its own lines, names, units, then a row per launch."""
    text = io.StringIO()
    text.write(f"==PROF== Connected to process {PROCESS_ID} (infer)\n")
    text.write(f"==PROF== Disconnected from process {PROCESS_ID}\n")
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow((*COLUMNS, *(name for name, _ in METRICS)))
    writer.writerow((*("" for _ in COLUMNS), *(unit for _, unit in METRICS)))
    for number, (launch, latency_ns) in enumerate(launches(layer, seed)):
        grid, block = ("(2048, 1, 1)", "(128, 1, 1)") if not launch.tensor else ("(64, 8, 1)", "(256, 1, 1)")
        writer.writerow((
            number, PROCESS_ID, "infer", "127.0.0.1", launch.name, 1, COMPUTE, block, grid, 0, "8.0",
            f"{latency_ns:,}", f"{100 * launch.tensor:.2f}", f"{100 * launch.dram:.2f}",
        ))  # fmt: skip
    return text.getvalue()
