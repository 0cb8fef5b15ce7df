"""Rules of the general findings, one per category, and words and figures that other rules share with them."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.causes.evidence.cause import Recorded, Rule
from tb_perfcompare.model.names.python_frames import python_frame
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, StepCategory, Summary

_PYTHON_NEEDED = "`with_stack` names Python functions"


def _general(name: str, subject: str, look_at: str, needs: str = "", tables: tuple[str, ...] = ()) -> Rule:
    return Rule((name,), subject, needs=needs, tables=tables, look_at=look_at, recorded=Recorded.TIMES)


_OF_DEVICE = ("kernels",)
"""Table without which device work was not recorded."""


GENERAL = {
    StepCategory.KERNEL: _general(
        "kernel_time", "kernel time", "these kernels and the operators that launch them", tables=_OF_DEVICE
    ),
    StepCategory.MEMCPY: _general(
        "memcpy_time", "memory copies", "copy sizes, pinned memory, .to(device) and .cpu() inside the step",
        tables=_OF_DEVICE,
    ),
    StepCategory.MEMSET: _general("memset_time", "memory sets", "buffers cleared in every step", tables=_OF_DEVICE),
    StepCategory.COMMUNICATION: _general(
        "communication_time", "exposed communication", "which collectives, and what overlaps with them"
    ),
    StepCategory.RUNTIME: _general(
        "runtime_time", "device runtime calls", "these calls and the operators that issue them", tables=_OF_DEVICE
    ),
    StepCategory.DATALOADER: _general(
        "data_loader", "data loader wait", "num_workers, prefetch_factor, pin_memory, decoding and storage"
    ),
    StepCategory.CPU_EXEC: _general("host_time", "CPU time", "these operators and the Python code around them"),
    StepCategory.OTHER: _general(
        "unrecorded_time",
        "untraced host time (no events recorded)",
        "Python code between operators, other threads of the program (GIL), other load on the machine",
        _PYTHON_NEEDED,
    ),
}
"""Category -> rule for its remaining time; the rule's meaning is the subject of the sentence."""


def category_words(label: str) -> str:
    """Words for a category in a sentence: "untraced host time" for Other."""
    return GENERAL[StepCategory(CATEGORY_LABELS.index(label))].meaning.partition(" (")[0]


PYTHON = "Python code outside operators"
"""Subject for Other if Python functions were recorded."""

TABLES = {
    StepCategory.KERNEL: "kernels",
    StepCategory.MEMCPY: "memcpy",
    StepCategory.MEMSET: "memcpy",
    StepCategory.COMMUNICATION: "communication",
    StepCategory.CPU_EXEC: "operators",
}
"""Table that holds the rows of a category's entities."""

MAIN_SHARE = 0.25
"""Share of its category's change from which an entity is named in a sentence."""

UTILISATION_CHANGE = 0.05
"""Change of a kernel's tensor-pipe or DRAM utilisation, as a fraction of the peak, from which it is mentioned."""


def has_stacks(side: Summary) -> bool:
    """Whether Python functions were recorded, or requested."""
    return ("profiler.with_stack", "true") in side.environment or any(
        category == StepCategory.OTHER and python_frame(key) is not None
        for category, key in zip(side.owned.category.tolist(), side.owned.key, strict=True)
    )


def kernel_fact(summary: Summary, kernel: str, fact: str) -> float | None:
    """Figure of the kernel in the table "kernels", None if not recorded."""
    table = summary.groups.get("kernels")
    if table is None or fact not in table.facts or (kernel,) not in table.keys:
        return None
    value = float(table.facts[fact][table.keys.index((kernel,))])
    return value if np.isfinite(value) else None
