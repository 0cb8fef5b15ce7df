"""What the profiler measured of kernels with hardware counters: names of the groups, metrics that are work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

KERNEL_METRICS: Final = "kernel_metrics"
"""Group and table by (kernel or range, metric); its measure is the sum of the values, `unit_of` times each."""

OPERATOR_METRICS: Final = "operator_metrics"
"""Group of the metrics that are work, by (operator, metric); where it is known which launch each range is of."""

MODELLED_WORK: Final = "modelled_work"
"""The group "operator_work" where kernels ran one by one to be measured: their times are not recorded, so that work has
no rate."""

FLOP_METRICS: Final[Mapping[str, int]] = {
    f"smsp__sass_thread_inst_executed_op_{kind}{what}_pred_on.sum": flops
    for kind in "dfh"
    for what, flops in (("add", 1), ("mul", 1), ("fma", 2))
}
"""Instructions of CUDA cores in double, single and half precision -> FLOPs of one, as HolisticTraceAnalysis counts."""

TENSOR_METRIC: Final = "sm__inst_executed_pipe_tensor.sum"
BYTE_METRICS: Final[Mapping[str, int]] = {"dram__bytes_read.sum": 1, "dram__bytes_write.sum": 1}
WORK_METRICS: Final = frozenset({*FLOP_METRICS, *BYTE_METRICS, TENSOR_METRIC})


def adds_up(metric: str) -> bool:
    """Whether values of several launches can be added; the others are shares, ratios and rates."""
    return metric.endswith(".sum")


def unit_of(metric: str) -> int:
    """In how many parts values are counted as integers: counters are whole numbers."""
    return 1 if adds_up(metric) else 1000
