"""Groups of a summary that comparison looks up by name, and the names of their rows and facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tb_perfcompare.model.arrays import Ints, Nanoseconds

CALL_ARGUMENTS = "call_arguments"
"""Calls and time by operator, input shapes, input strides and concrete inputs: what operators are called with besides
shapes and types."""

GIL_WAITS = "gil_waits"
"""Waits for Python's global interpreter lock (GIL)."""

PYTHON_TIME = "python_time"
"""Calls by Python function, the program's function around it and the innermost annotated range around it ("" without).
Measure "total": the time of the function and those that it calls, not of operators in it. Outside ranges that is the
time that they own; in ranges, which own it, all time of the functions in a range. In the step in which a call starts.
"""

PYTHON_DEPTH = "depth"
"""Fact: number of functions, operators and ranges around a function where it is called from the fewest."""

PYTHON_OPERATORS = "operators"
"""Fact: operator calls in a function and in those that it calls, per call of the function."""

CRITICAL_PATH = "critical_path"

LAUNCH_EDGE = ("(launch call to start)", "Launch edge")
STREAM_EDGE = ("(gap on one stream)", "Stream edge")
EVENT_EDGE = ("(gap after another stream)", "Event edge")
WAIT_EDGE = ("(end of device work to return)", "Wait edge")
"""(name, category) of the time spent on each kind of edge; all other parts of the path are named as in the ledger."""

PER_OCTAVE = 32
"""Classes of launch durations per doubling: each is 2.2 % wide, and the same for every recording."""

DURATION_TABLES = {table: f"{table}_durations" for table in ("kernels", "memcpy", "communication")}
"""Table -> its group by name and duration class; only in summaries with call paths."""


def duration_class(duration_ns: Nanoseconds) -> Ints:
    """(n,) class of each duration; class 0 is below 1 ns."""
    number: Ints = np.floor(PER_OCTAVE * np.log2(np.maximum(duration_ns, 1))).astype(np.int64) + 1
    return np.where(duration_ns < 1, 0, number)


def class_start_ns(number: int) -> float:
    """Lower bound of a class in nanoseconds."""
    return 0.0 if number <= 0 else 2.0 ** ((number - 1) / PER_OCTAVE)


KERNEL_METRICS: Final = "kernel_metrics"
"""Hardware counters by (kernel or range, metric); its measure is the sum of the values times `unit_of` the metric."""

OPERATOR_METRICS: Final = "operator_metrics"
"""The metrics that measure work, by (operator, metric); only if the launch of each range is known."""

MODELED_WORK: Final = "modelled_work"
"""Replaces the group "operator_work" if kernels were serialized for measurement: their usual times are not recorded, so
their work has no rate."""

FLOP_METRICS: Final[Mapping[str, int]] = {
    f"smsp__sass_thread_inst_executed_op_{kind}{operation}_pred_on.sum": flops
    for kind in "dfh"
    for operation, flops in (("add", 1), ("mul", 1), ("fma", 2))
}
"""CUDA core instructions in double, single and half precision -> FLOPs per instruction, as in HolisticTraceAnalysis."""

TENSOR_METRIC: Final = "sm__inst_executed_pipe_tensor.sum"
BYTE_METRICS: Final[Mapping[str, int]] = {"dram__bytes_read.sum": 1, "dram__bytes_write.sum": 1}
WORK_METRICS: Final = frozenset({*FLOP_METRICS, *BYTE_METRICS, TENSOR_METRIC})


def is_additive(metric: str) -> bool:
    """Whether values of several launches can be added; other metrics are shares, ratios and rates."""
    return metric.endswith(".sum")


def unit_of(metric: str) -> int:
    """Scale at which values are stored as integers: 1 for counters, 1000 for others."""
    return 1 if is_additive(metric) else 1000


DEVICE_TIMELINE = "device_timeline"

SHORT_NS = 10_000
"""Launching a kernel shorter than this takes about as long as running it."""

BUSY = "Busy"
EXPOSED_COMMUNICATION = "Busy: exposed communication"
EXPOSED_COPIES = "Busy: exposed copies"
IDLE = "Idle"
HOST_WAIT = "Idle: waiting for the host"
LAUNCH_LATENCY = "Idle: launch latency"
LAUNCH_UNKNOWN = "Idle: launch not recorded"
STEP_END = "Idle: end of step"
SHORT_KERNELS = f"Kernels below {SHORT_NS // 1000} µs"

DEVICE_TIMELINE_MEANINGS: Mapping[str, str] = {
    BUSY: "a kernel, copy or set runs on any stream; kernels of collectives that wait for other ranks included",
    EXPOSED_COPIES: "part of Busy: copies and sets while no kernel computes",
    EXPOSED_COMMUNICATION: "part of Busy: only collectives run, no other kernel, copy or set",
    IDLE: "nothing runs; the parts below and Busy sum to the step",
    HOST_WAIT: "until the host starts the call that launches the next device event",
    LAUNCH_LATENCY: "from that call, or from the start of the idle time if later, until the event starts",
    LAUNCH_UNKNOWN: "before an event whose launch was not recorded",
    STEP_END: "after the last device event of the step; the entire step if it has none",
    SHORT_KERNELS: f"kernels that start in the step and take less than {SHORT_NS // 1000} µs, summed durations",
}
"""Figure -> definition. Its calls are the device events of the kind that start in the step; for idle time, the gaps."""

IDLE_PARTS = (HOST_WAIT, LAUNCH_LATENCY, LAUNCH_UNKNOWN, STEP_END)
"""Parts of IDLE. Together with BUSY they sum exactly to the step."""
