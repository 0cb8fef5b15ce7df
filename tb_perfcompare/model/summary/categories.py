"""The eight parts of step time, and entities in them that are no event of the trace."""

from __future__ import annotations

from enum import IntEnum


class StepCategory(IntEnum):
    """The eight parts of step time, in order of priority: at every instant the first active one owns the time.

    The order is torch-tb-profiler's (profiler priority), so that the parts equal its Overview.
    """

    KERNEL = 0
    MEMCPY = 1
    MEMSET = 2
    COMMUNICATION = 3
    RUNTIME = 4
    DATALOADER = 5
    CPU_EXEC = 6
    OTHER = 7


KERNEL, MEMCPY, MEMSET, COMMUNICATION = "Kernel", "Memcpy", "Memset", "Communication"
RUNTIME, DATA_LOADER, CPU_EXEC, OTHER = "Runtime", "DataLoader", "CPU Exec", "Other"

CATEGORY_LABELS: tuple[str, ...] = (KERNEL, MEMCPY, MEMSET, COMMUNICATION, RUNTIME, DATA_LOADER, CPU_EXEC, OTHER)
"""Name by StepCategory, for users and rules. It is also the key in the JSON, in --budget and in saved baselines: with
another name, existing baselines are refused."""

OF_DEVICE = (StepCategory.KERNEL, StepCategory.MEMCPY, StepCategory.MEMSET, StepCategory.RUNTIME)
"""Categories that a CPU-only recording cannot have; collectives may run on the host."""

DEVICE_CATEGORIES = frozenset(
    {StepCategory.KERNEL, StepCategory.MEMCPY, StepCategory.MEMSET, StepCategory.COMMUNICATION}
)

PROFILER_WORK = "(profiler overhead)"
"""Entity of the category Other: the recorded work of the profiler itself."""

OUTSIDE_OPERATORS = "(outside operators)"
"""Caller of what no operator calls."""

NOTHING_RECORDED = "(nothing recorded)"
"""Entity of the category Other: time during which no event of the trace was active."""

NOT_SPLIT = "(not split: saved answers)"
"""The only entity of every category in a source that states the categories' times but not their owners."""

OVERLAPPING = "(not split: functions overlap)"
"""The only owner of a step in a source whose times overlap by an unrecorded amount."""
