"""Hardware counter metrics of kernels: names of their groups, and the metrics that measure work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

KERNEL_METRICS: Final = "kernel_metrics"
"""Group and table by (kernel or range, metric); its measure is the sum of the values times `unit_of` the metric."""

OPERATOR_METRICS: Final = "operator_metrics"
"""Group of the metrics that measure work, by (operator, metric); only if the launch of each range is known."""

MODELLED_WORK: Final = "modelled_work"
"""Replaces the group "operator_work" if kernels were serialised for measurement: their usual times are not recorded, so
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
