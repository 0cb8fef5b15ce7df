"""The rules by name, what each needs as input, and how confident a finding is (docs/method/findings.md)."""

from __future__ import annotations

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding
from tb_perfcompare.model.summary.summary import CYCLE_TIME, KERNEL_TIME, NOT_SPLIT, OVERLAPPING, STEP_TIME

SPECIFIC = (
    "workload_changed", "data_type_changed", "more_calls", "fewer_calls", "operators_changed", "warm_up_inside",
    "slow_steps",
    "profiler_overhead", "compilation_lost", "compilation_gained", "more_graph_breaks", "fewer_graph_breaks",
    "fusion_lost", "fusion_gained",
    "tensor_cores_lost", "tensor_cores_gained", "kernel_replaced", "layout_copies", "more_copies", "fewer_copies",
    "late_rank", "collective_slower", "collective_faster", "overlap_lost", "overlap_gained", "memory_pressure",
    "memory_relieved", "allocator_calls", "graph_lost", "graph_gained", "synchronisation", "launch_bound",
    "device_pace", "host_interrupted", "host_pace", "occupancy_lost", "occupancy_gained", "utilisation_lost",
    "utilisation_gained", "kernel_slower", "kernel_faster", "operator_slower", "operator_faster",
)  # fmt: skip
"""Named causes of a longer or shorter step (told.py)."""

GENERAL = (
    "kernel_time", "memcpy_time", "memset_time", "communication_time", "runtime_time", "data_loader", "host_time",
    "unrecorded_time",
)  # fmt: skip
"""What is left of a category (findings.py)."""

OF_LAUNCHES = ("utilisation_lost", "utilisation_gained", "tensor_cores_lost", "tensor_cores_gained", "bound_shift")
"""Of listings of kernel launches (launches/findings.py)."""

OF_CYCLES = ("function_time",)
"""Of per-cycle tables (cycles.py)."""

OF_COUNTERS = ("counter_moved",)
"""Of sampled counters (counters.py)."""

RULE_NAMES = tuple(dict.fromkeys((*SPECIFIC, *GENERAL, *OF_LAUNCHES, *OF_CYCLES, *OF_COUNTERS)))

WITHIN_SPREAD = "within the spread of the"
REPEATABILITY_UNKNOWN = "repeatability unknown"
"""In the confidence of findings that may be chance."""


def is_sure(finding: Finding) -> bool:
    """Whether the steps say that it is more than chance."""
    return WITHIN_SPREAD not in finding.confidence and REPEATABILITY_UNKNOWN not in finding.confidence


def why_silent(rule: str, comparison: Comparison) -> str:
    """Why the rule can find nothing in such runs, "" if it can."""
    metric = comparison.headline.metric
    ledger = comparison.ledger
    names = {row.path[1] for head in ledger.heads for row in ledger.entities(head.path[0])}
    split = not names & {NOT_SPLIT, OVERLAPPING}
    speaks = (
        (metric == STEP_TIME and (rule in GENERAL or (rule in SPECIFIC and split)))
        or (metric == KERNEL_TIME and (rule in OF_LAUNCHES or rule in GENERAL))
        or (metric == CYCLE_TIME and rule in OF_CYCLES)
        or (rule in OF_COUNTERS and "counters" in comparison.tables)
    )
    return "" if speaks else "these recordings do not hold what the rule looks at"
