"""List of all rules; docs/method/findings.md is generated from it."""

from __future__ import annotations

from itertools import chain

from tb_perfcompare.comparison.causes.counters import COUNTER_MOVED
from tb_perfcompare.comparison.causes.cycles import FUNCTION_TIME
from tb_perfcompare.comparison.causes.detectors.allocator import ALLOCATOR_CALLS, MEMORY_PRESSURE
from tb_perfcompare.comparison.causes.detectors.changed_operators import OPERATORS_CHANGED, RECOMPUTATION
from tb_perfcompare.comparison.causes.detectors.kernels.compilation import COMPILATION_LOST
from tb_perfcompare.comparison.causes.detectors.kernels.compiled_regions import GRAPH_BREAKS, REGIONS_LOST
from tb_perfcompare.comparison.causes.detectors.kernels.kernel_speed import (
    KERNEL_SLOWER,
    OCCUPANCY_LOST,
    UTILIZATION_LOST,
)
from tb_perfcompare.comparison.causes.detectors.kernels.moving_data import COPIES_ON_CPU, LAYOUT_COPIES
from tb_perfcompare.comparison.causes.detectors.kernels.substituted import (
    FUSION_LOST,
    KERNEL_REPLACED,
    TENSOR_CORES_LOST,
)
from tb_perfcompare.comparison.causes.detectors.launching import (
    ALGORITHM_SEARCH,
    GRAPH_CAPTURES,
    GRAPH_LOST,
    LAUNCH_BOUND,
)
from tb_perfcompare.comparison.causes.detectors.machine.cpu_contention import CPU_CONTENTION, WAITING_THREADS
from tb_perfcompare.comparison.causes.detectors.machine.device_contention import DEVICE_CONTENTION
from tb_perfcompare.comparison.causes.detectors.machine.gil import GIL_WAITS
from tb_perfcompare.comparison.causes.detectors.machine.pace import MACHINE_PACE
from tb_perfcompare.comparison.causes.detectors.machine.recording import (
    AUTOGRAD_RECORDS,
    MORE_RECORDED,
    PROFILER_OVERHEAD,
)
from tb_perfcompare.comparison.causes.detectors.machine.uniform_slowdown import DEVICE_PACE, HOST_PACE
from tb_perfcompare.comparison.causes.detectors.more_calls import MORE_CALLS
from tb_perfcompare.comparison.causes.detectors.ranks.collectives import COLLECTIVE_SLOWER, OVERLAP_LOST
from tb_perfcompare.comparison.causes.detectors.ranks.late_rank import LATE_RANK
from tb_perfcompare.comparison.causes.detectors.ranks.uneven_work import UNEVEN_WORK
from tb_perfcompare.comparison.causes.detectors.replaced_calls import OPERATOR_REPLACED
from tb_perfcompare.comparison.causes.detectors.slower_operator import OPERATOR_SLOWER
from tb_perfcompare.comparison.causes.detectors.steps.slow_calls import SLOW_CALLS
from tb_perfcompare.comparison.causes.detectors.steps.slow_steps import SLOW_STEPS
from tb_perfcompare.comparison.causes.detectors.steps.warm_up import WARM_UP_INSIDE
from tb_perfcompare.comparison.causes.detectors.synchronization import SYNCHRONIZATION
from tb_perfcompare.comparison.causes.detectors.transfers import LOADER, MORE_COPIES, PAGEABLE_COPIES
from tb_perfcompare.comparison.causes.detectors.uninterrupted import UNINTERRUPTED, UNINTERRUPTED_REST
from tb_perfcompare.comparison.causes.detectors.without_device import WITHOUT_DEVICE
from tb_perfcompare.comparison.causes.detectors.workload.alignment import ALIGNMENT
from tb_perfcompare.comparison.causes.detectors.workload.other_work import DATA_TYPE_CHANGED, WORKLOAD_CHANGED
from tb_perfcompare.comparison.causes.evidence.general_rules import GENERAL
from tb_perfcompare.comparison.causes.evidence.rule import Recorded
from tb_perfcompare.comparison.causes.launch_findings import BOUND_SHIFT, TENSOR_CORES, UTILIZATION
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.model.note import ONE_SIDE, NoteCode
from tb_perfcompare.model.summary.categories import NOT_SPLIT, OVERLAPPING
from tb_perfcompare.model.summary.summary import CYCLE_TIME, KERNEL_TIME, STEP_TIME

RULES = (
    WORKLOAD_CHANGED, DATA_TYPE_CHANGED, ALIGNMENT, WITHOUT_DEVICE, MORE_CALLS, OPERATOR_REPLACED,
    OPERATORS_CHANGED, RECOMPUTATION, WARM_UP_INSIDE, SLOW_STEPS, SLOW_CALLS, PROFILER_OVERHEAD, MORE_RECORDED,
    AUTOGRAD_RECORDS, COMPILATION_LOST, REGIONS_LOST, GRAPH_BREAKS, FUSION_LOST, TENSOR_CORES_LOST, KERNEL_REPLACED,
    LAYOUT_COPIES, COPIES_ON_CPU, MORE_COPIES, PAGEABLE_COPIES, LOADER, LATE_RANK, UNEVEN_WORK, COLLECTIVE_SLOWER,
    OVERLAP_LOST, MEMORY_PRESSURE, ALLOCATOR_CALLS, GRAPH_CAPTURES, GRAPH_LOST, ALGORITHM_SEARCH, SYNCHRONIZATION,
    LAUNCH_BOUND, DEVICE_PACE, DEVICE_CONTENTION, GIL_WAITS, WAITING_THREADS, CPU_CONTENTION, HOST_PACE,
    MACHINE_PACE, KERNEL_SLOWER, OCCUPANCY_LOST, UTILIZATION_LOST, OPERATOR_SLOWER, UNINTERRUPTED,
    UNINTERRUPTED_REST,
    *GENERAL.values(), UTILIZATION, TENSOR_CORES, BOUND_SHIFT, FUNCTION_TIME, COUNTER_MOVED,
)  # fmt: skip
"""Rules in the order of the page; `Rule.order` gives the order in which they run."""

RULE_NAMES = tuple(dict.fromkeys(name for rule in RULES for name in rule.names))


def why_silent(name: str, comparison: Comparison) -> str:
    """Reason why no rule of this name can find anything in these runs, "" if one can."""
    metric = comparison.headline.metric
    ledger = comparison.ledger
    entities = {row.path[1] for head in ledger.heads for row in ledger.entities(head.path[0])}
    there = {
        Recorded.STEPS: metric == STEP_TIME and not entities & {NOT_SPLIT, OVERLAPPING},
        Recorded.TIMES: metric in (STEP_TIME, KERNEL_TIME),
        Recorded.LAUNCHES: metric == KERNEL_TIME,
        Recorded.CYCLES: metric == CYCLE_TIME,
        Recorded.COUNTERS: "counters" in comparison.tables,
    }
    rules = [rule for rule in RULES if name in rule.names and there[rule.recorded]]
    if not rules:
        return "these recordings do not hold what the rule looks at"
    absent = _absent_tables(comparison)
    needed = [rule.tables for rule in rules]
    if any(not tables or (comparison.tables.keys() - absent.keys()) & {*tables} for tables in needed):
        return ""
    reasons = (absent[table] for table in chain(*needed) if table in absent)
    return next(reasons, "neither side recorded what the rule looks at")


def _absent_tables(comparison: Comparison) -> dict[str, str]:
    """Table that a side or both lack -> why."""
    return {
        table.removesuffix(ONE_SIDE): note.message
        for note in comparison.notes
        if note.code is NoteCode.TABLE_ABSENT
        for table in note.where.split(", ")
    }
