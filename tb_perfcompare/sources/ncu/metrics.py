"""Maps metrics of an ncu export to figures, in order of preference.

Shares of a launch's whole time ("elapsed") are preferred to shares of the cycles in which a multiprocessor had work
("active"): only the former can be weighted by the launch's time, and kernel listings contain them too.
"""

from __future__ import annotations

from collections.abc import Mapping

from tb_perfcompare.lazy_regex import regex

DURATION = "duration"

_ELAPSED = "avg.pct_of_peak_sustained_elapsed"
_ACTIVE = "avg.pct_of_peak_sustained_active"

CANDIDATES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    DURATION: (
        ("gpu__time_duration.sum",),  # ncu's label: Duration
        ("gpu__time_duration.avg",),  # the device has only one such counter: equal
        ("gpu__time_duration.max",),  # likewise
        ("gpu__time_duration.min",),  # likewise
    ),
    "tensor_active": (
        (f"sm__pipe_tensor_cycles_active.{_ELAPSED}",),  # busy cycles of all tensor pipes / launch time
        (f"sm__pipe_tensor_cycles_active.{_ACTIVE}",),  # / cycles with work: high on a half-empty device
        (f"sm__pipe_tc_cycles_active.{_ELAPSED}",),  # only the fifth generation's pipe
        (f"sm__pipe_tc_cycles_active.{_ACTIVE}",),  # / cycles with work
        (f"sm__pipe_tensor_op_hmma_cycles_active.{_ELAPSED}",),  # only half precision: 0 for integers and doubles
        (f"sm__pipe_tensor_op_hmma_cycles_active.{_ACTIVE}",),  # / cycles with work
        (f"sm__inst_executed_pipe_tensor.{_ELAPSED}",),  # instructions, not cycles: low for long-running ones
        (f"sm__inst_executed_pipe_tensor.{_ACTIVE}",),  # / cycles with work
        (f"sm__inst_executed_pipe_tensor_op_hmma.{_ELAPSED}",),  # only half-precision instructions
        (f"sm__inst_executed_pipe_tensor_op_hmma.{_ACTIVE}",),  # / cycles with work
    ),
    "dram_active": (
        (f"gpu__dram_throughput.{_ELAPSED}",),  # ncu's label: DRAM Throughput
        (f"dram__throughput.{_ELAPSED}",),  # the same counters, of the memory only
        ("dram__bytes.sum.pct_of_peak_sustained_elapsed",),  # bytes moved; ignores commands that move none
        # both directions; a single one is only half the traffic and not used
        ("dram__bytes_read.sum.pct_of_peak_sustained_elapsed", "dram__bytes_write.sum.pct_of_peak_sustained_elapsed"),
        (f"dram__cycles_active.{_ELAPSED}",),  # cycles with any request, whatever its size
    ),
    "achieved_occupancy": ((f"sm__warps_active.{_ACTIVE}",),),  # ncu's label: Achieved Occupancy
    "sm_throughput": ((f"sm__throughput.{_ELAPSED}",),),  # ncu's label: Compute (SM) Throughput
}  # fmt: skip
"""Figure -> candidates in order of preference, each a sum of metrics. The first candidate present in any launch is used
for the whole file."""

_LABELS: Mapping[str, str] = {
    "Duration": "gpu__time_duration.sum",
    "DRAM Throughput": f"gpu__dram_throughput.{_ELAPSED}",
    "SOL DRAM": f"gpu__dram_throughput.{_ELAPSED}",
    "Compute (SM) Throughput": f"sm__throughput.{_ELAPSED}",
    "SM [%]": f"sm__throughput.{_ELAPSED}",
    "SOL SM": f"sm__throughput.{_ELAPSED}",
    "Achieved Occupancy": f"sm__warps_active.{_ACTIVE}",
}
"""Labels of the details page, from 2019 to today. "Memory Throughput" is left out: it is the busiest part of the whole
memory system, caches included (or bytes per second, in another section)."""

WANTED = frozenset(metric for candidates in CANDIDATES.values() for candidate in candidates for metric in candidate)
"""Every metric that is read."""

TIMES = frozenset(metric for candidate in CANDIDATES[DURATION] for metric in candidate)
"""Metrics in WANTED that are times; the others are percentages."""

NANOSECONDS: Mapping[str, float] = {
    **dict.fromkeys(("ns", "nsecond", "nanosecond"), 1.0),
    **dict.fromkeys(("us", "usecond", "microsecond", "µs", "μs"), 1e3),
    **dict.fromkeys(("ms", "msecond", "millisecond"), 1e6),
    **dict.fromkeys(("s", "sec", "second"), 1e9),
}
"""Unit in old and new versions of ncu -> nanoseconds."""

_METRIC = regex(r"\w+__\w+(?:\.\w+)*")
_LONGEST_CELL = 500
"""Maximum length of a name or label; searching takes time quadratic in the length."""


def metric_of(cell: str) -> str:
    """The metric in a column name or a `Metric Name` cell, "" if it is not read.

    The cell is a name, a label, or both (--print-metric-name label-name).
    """
    if cell in WANTED:
        return cell
    if len(cell) > _LONGEST_CELL:
        return ""
    match = _METRIC.search(cell)
    if match is not None:
        return match[0] if match[0] in WANTED else ""
    return _LABELS.get(cell.strip(), "")


COMMAND = (
    "ncu --csv --page raw --print-units base --log-file launches.csv --metrics "
    + ",".join(CANDIDATES[figure][0][0] for figure in CANDIDATES)
    + " PROGRAM"
)
"""Command that records every metric that is read."""
