"""Kernels that only move data: copies, transposes, conversions between layouts."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.detectors.kernel_speed import launching_operator
from tb_perfcompare.comparison.causes.evidence.cause import Cause, Rule, cause
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import numbers_text, short, signed_time

KERNEL = "Kernel"

MOST = 0.5
"""Share of these kernels' change that their number must make."""

COPYING = ("directcopy", "nchwtonhwc", "nhwctonchw", "catarraybatchedcopy", "copykernel", "transpose", "permute")
"""Parts of names, without case and underscores, of kernels that only move data."""


def device_copy_rules(pair: RuleContext) -> Iterator[Cause]:
    """More of them than before."""
    kernels = pair.entities(KERNEL)
    if not _only_moves("\n".join(kernels.key)):
        return  # no name holds what all of them together do not
    rows = kernels.picked(np.array([_only_moves(name) for name in kernels.key], dtype=bool))
    delta = sum(row.delta for row in rows) / pair.unit
    counted = fsum(map(pair.counted_us, rows))
    before, after = sum(row.calls[0] for row in rows), sum(row.calls[1] for row in rows)
    if abs(counted) < max(pair.least_us, MOST * abs(delta)) or (after > before) != (counted > 0) or after == before:
        return
    first = max(rows, key=lambda row: (abs(pair.counted_us(row)), row.path))
    operator = launching_operator(pair, first.path[1])
    below = f" (under {short(operator)})" if operator else ""
    sentence = (
        f"{'More' if counted > 0 else 'Fewer'} on-device copies: {signed_time(counted)} per step; kernels that only "
        f"move data launch {numbers_text(before, after)} times per step, mostly {short(first.path[1])}{below}."
    )
    yield cause(
        pair, LAYOUT_COPIES, first.path[1], KERNEL, counted, sentence, (Evidence("kernels", first.path[1]),),
        explains={(KERNEL, row.path[1]): pair.counted_us(row) for row in rows},
    )  # fmt: skip


def _only_moves(name: str) -> bool:
    plain = name.lower().replace("_", "")
    return any(part in plain for part in COPYING)


LAYOUT_COPIES = Rule(
    names=("layout_copies",),
    meaning="more kernels that only move data (copies, transposes, layout conversions)",
    when="Kernels that only move data, by name, run more often. At least half of their change is by count",
    needs="kernels",
    look_at=".contiguous(), .to(), channels_last on one side only, dtype conversions between layers",
    confidence="certain: launches are counted; copies are recognised by kernel name",
    find=device_copy_rules,
    rank=2,
)
