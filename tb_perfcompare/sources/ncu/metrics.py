"""Which metric of an ncu export gives which figure: the one place with the order of preference.

Shares of a launch's whole time ("elapsed") come before shares of the cycles in which a multiprocessor had work
("active"): only the former can be weighted by the launch's time, and kernel listings hold them too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

DURATION = "duration"

_ELAPSED = "avg.pct_of_peak_sustained_elapsed"
_ACTIVE = "avg.pct_of_peak_sustained_active"

CANDIDATES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    DURATION: (
        ("gpu__time_duration.sum",),  # what ncu calls Duration
        ("gpu__time_duration.avg",),  # the device has one such counter: the same number
        ("gpu__time_duration.max",),  # likewise
        ("gpu__time_duration.min",),  # likewise
    ),
    "tensor_active": (
        (f"sm__pipe_tensor_cycles_active.{_ELAPSED}",),  # busy cycles of all tensor pipes over the launch's time
        (f"sm__pipe_tensor_cycles_active.{_ACTIVE}",),  # the same over cycles with work: high on a half-empty device
        (f"sm__pipe_tc_cycles_active.{_ELAPSED}",),  # the fifth generation's pipe alone, without the older one
        (f"sm__pipe_tc_cycles_active.{_ACTIVE}",),  # the same over cycles with work
        (f"sm__pipe_tensor_op_hmma_cycles_active.{_ELAPSED}",),  # half precision alone: 0 for integers and doubles
        (f"sm__pipe_tensor_op_hmma_cycles_active.{_ACTIVE}",),  # the same over cycles with work
        (f"sm__inst_executed_pipe_tensor.{_ELAPSED}",),  # instructions, not cycles: low where one runs for long
        (f"sm__inst_executed_pipe_tensor.{_ACTIVE}",),  # the same over cycles with work
        (f"sm__inst_executed_pipe_tensor_op_hmma.{_ELAPSED}",),  # instructions of half precision alone
        (f"sm__inst_executed_pipe_tensor_op_hmma.{_ACTIVE}",),  # the same over cycles with work
    ),
    "dram_active": (
        (f"gpu__dram_throughput.{_ELAPSED}",),  # what ncu calls DRAM Throughput
        (f"dram__throughput.{_ELAPSED}",),  # the same counters, looked at by the memory alone
        ("dram__bytes.sum.pct_of_peak_sustained_elapsed",),  # bytes moved, without commands that move none
        # both directions; one of them alone is half the traffic and is not used
        ("dram__bytes_read.sum.pct_of_peak_sustained_elapsed", "dram__bytes_write.sum.pct_of_peak_sustained_elapsed"),
        (f"dram__cycles_active.{_ELAPSED}",),  # cycles with any request: says nothing about their size
    ),
    "achieved_occupancy": ((f"sm__warps_active.{_ACTIVE}",),),  # what ncu calls Achieved Occupancy
    "sm_throughput": ((f"sm__throughput.{_ELAPSED}",),),  # what ncu calls Compute (SM) Throughput
}  # fmt: skip
"""Figure -> its candidates, the best first, each the sum of some metrics. One is chosen per file: the first that any
launch carries."""

_LABELS: Mapping[str, str] = {
    "Duration": "gpu__time_duration.sum",
    "DRAM Throughput": f"gpu__dram_throughput.{_ELAPSED}",
    "SOL DRAM": f"gpu__dram_throughput.{_ELAPSED}",
    "Compute (SM) Throughput": f"sm__throughput.{_ELAPSED}",
    "SM [%]": f"sm__throughput.{_ELAPSED}",
    "SOL SM": f"sm__throughput.{_ELAPSED}",
    "Achieved Occupancy": f"sm__warps_active.{_ACTIVE}",
}
"""Labels of the details page, of 2019 to today. "Memory Throughput" is not among them: it is the busiest part of the
whole memory system, caches included (or bytes per second, in another section)."""

WANTED = frozenset(metric for candidates in CANDIDATES.values() for candidate in candidates for metric in candidate)
"""Every metric that is read."""

TIMES = frozenset(metric for one in CANDIDATES[DURATION] for metric in one)
"""Those of them that are times; the others are percentages."""

NANOSECONDS: Mapping[str, float] = {
    **dict.fromkeys(("ns", "nsecond", "nanosecond"), 1.0),
    **dict.fromkeys(("us", "usecond", "microsecond", "µs", "μs"), 1e3),
    **dict.fromkeys(("ms", "msecond", "millisecond"), 1e6),
    **dict.fromkeys(("s", "sec", "second"), 1e9),
}
"""Unit as ncu writes it, old and new -> nanoseconds."""

_METRIC = re.compile(r"\w+__\w+(?:\.\w+)*")
_LONGEST_CELL = 500
"""No name or label has more; searching one takes time that grows with the square of its length."""


def metric_of(cell: str) -> str:
    """The metric that a column or a `Metric Name` cell is about, "" for one that is not read: a name, a label, or both
    (--print-metric-name label-name)."""
    if cell in WANTED:
        return cell
    if len(cell) > _LONGEST_CELL:
        return ""
    found = _METRIC.search(cell)
    if found is not None:
        return found[0] if found[0] in WANTED else ""
    return _LABELS.get(cell.strip(), "")


COMMAND = (
    "ncu --csv --page raw --print-units base --log-file launches.csv --metrics "
    + ",".join(CANDIDATES[figure][0][0] for figure in CANDIDATES)
    + " PROGRAM"
)
"""What writes everything that is read."""
