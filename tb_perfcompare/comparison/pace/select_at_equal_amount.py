"""Selects rows of the same work where the amount of work varies from step to step: operators or kernels by name whose
calls and sizes are the same function of the amount on both sides, with the time that they take at equal amount."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.amount.amount_of_work import AmountOfWork
from tb_perfcompare.comparison.amount.rows_by_name import elements, of_both, rows_by_name, threads
from tb_perfcompare.comparison.pace.rows import WorkRows
from tb_perfcompare.comparison.pace.select import KERNELS, Selected, inputs_differ, sampled_groups
from tb_perfcompare.comparison.statistics.samples import Samples
from tb_perfcompare.model.names.names import channels_last
from tb_perfcompare.model.names.work_kinds import CONVOLUTION, work_kind
from tb_perfcompare.model.summary.summary import Summary

AT_EQUAL_AMOUNT = "at equal amount of work"


def select_at_equal_amount(
    table: str, measure: str, sides: tuple[Summary, Summary], samples: tuple[Samples, Samples], amount: AmountOfWork
) -> Selected | None:
    """Selects rows of `table`, timed by `measure`; None if a side has no such table or no times of single steps."""
    groups = sampled_groups(table, measure, sides)
    if groups is None:
        return None
    size_of = threads if table == KERNELS else elements
    every = [rows_by_name(group, measure, seen, size_of) for group, seen in zip(groups, samples, strict=True)]
    rows = of_both(every[0], every[1])
    names = rows[0].names
    same = amount.same_work((rows[0].calls, rows[1].calls)) & amount.same_work((rows[0].size, rows[1].size))
    types = inputs_differ(names, sides, samples) if table != KERNELS else {}
    layout = _other_layout(sides) if table != KERNELS else frozenset[str]()
    reasons = [
        "other calls or sizes at equal amount of work" if not is_same
        else "other input types" if types.get(name)
        else "other memory layout" if name in layout
        else ""
        for name, is_same in zip(names, same.tolist(), strict=True)
    ]  # fmt: skip
    used = np.array([not reason for reason in reasons], dtype=bool)
    recorded = rows[0].time_ns[used], rows[1].time_ns[used]
    keys = [(name, AT_EQUAL_AMOUNT) for name in names]
    return Selected(
        WorkRows(
            tuple(key for key, is_used in zip(keys, used.tolist(), strict=True) if is_used),
            amount.at_level((rows[0].calls[used], rows[1].calls[used])),
            amount.at_level(recorded),
            amount=amount,
            recorded_ns=recorded,
        ),
        {key: reason for key, reason in zip(keys, reasons, strict=True) if reason},
    )


def _other_layout(sides: tuple[Summary, Summary]) -> frozenset[str]:
    """Operators on images in channels_last layout on one side only, if convolutions are among them: these decide the
    layout of a network. None with a device, as launching takes as long in any layout."""
    if any(side.device.count for side in sides):
        return frozenset()
    names = channels_last(sides[0].environment) ^ channels_last(sides[1].environment)
    return names if any(work_kind(name) == CONVOLUTION for name in names) else frozenset()
