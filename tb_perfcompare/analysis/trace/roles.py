"""The role of each event: host work, API calls, kernels, copies, collectives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.analysis.columns.event_masks import used_codes
from tb_perfcompare.analysis.columns.numbering import gather, rows_where
from tb_perfcompare.model.arrays import Flags, Ints32, is_of
from tb_perfcompare.model.events import Category, EventTable
from tb_perfcompare.model.names.collective_names import is_collective_kernel
from tb_perfcompare.model.summary.categories import StepCategory

NO_ROLE = -1


def roles(
    events: EventTable, host: Flags, loader: Flags, annotated: Flags, api: Flags, operator: Ints32
) -> NDArray[np.int8]:
    """(n,) StepCategory of each event, or NO_ROLE."""
    category = events.category
    role = np.full(len(events), NO_ROLE, dtype=np.int8)
    role[host] = StepCategory.CPU_EXEC
    role[host & loader & ~is_of(category, Category.PYTHON)] = StepCategory.DATALOADER
    role[host & annotated] = StepCategory.COMMUNICATION
    role[api] = StepCategory.RUNTIME
    kernel = is_of(category, Category.KERNEL)
    role[kernel] = StepCategory.KERNEL
    role[_collective_kernels(events, kernel)] = StepCategory.COMMUNICATION
    named = events.args.get("collective_name")
    if named is not None:
        carried = np.zeros(len(events), dtype=bool)
        carried[named.rows] = True
        role[kernel & carried] = StepCategory.COMMUNICATION
    role[is_of(category, Category.MEMCPY)] = StepCategory.MEMCPY
    role[is_of(category, Category.MEMSET)] = StepCategory.MEMSET
    # Kernels that a collective operator launched are communication, whatever their name.
    rows = np.flatnonzero(kernel & (operator >= 0))
    is_record = events.name[operator[rows]] == events.strings.find("record_param_comms")
    under = is_record | annotated[operator[rows]]
    role[rows[under]] = StepCategory.COMMUNICATION
    return role


def _collective_kernels(events: EventTable, kernel: Flags) -> Ints32:
    """Returns the rows of collective libraries' kernels."""
    rows = rows_where(kernel)
    names = gather(events.name, rows)
    used = used_codes(names, len(events.strings))
    is_collective = np.zeros(len(events.strings), dtype=bool)
    is_collective[[code for code in used.tolist() if is_collective_kernel(events.strings[code])]] = True
    return rows[is_collective[names]]
