"""Kernels launch more or fewer threads throughout: other inputs, if shapes were not recorded."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from math import fsum
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.causes.detectors.workload.difference import OtherWork
from tb_perfcompare.comparison.causes.detectors.workload.other_inputs import recur
from tb_perfcompare.comparison.causes.evidence.amounts import Amount, Key, total
from tb_perfcompare.comparison.causes.evidence.inputs import by_name
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.launch_sizes import (
    OTHER_THREADS,
    example_of_launches,
    threads_per_launch,
)
from tb_perfcompare.comparison.causes.evidence.speed.registers import compiled_otherwise
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import percent_text, ratio_text, short
from tb_perfcompare.comparison.statistics.weights import weighted_median
from tb_perfcompare.model.names.work_kinds import CONVOLUTION, PRODUCT, work_kind

OTHER_LAUNCHES = 0.75
"""Share of the kernel time whose launches must be known and change the same way: single kernels may be tuned
differently."""

MOVED, FOLLOWS = 0.25, 0.5
"""Share of that time in kernels that launch a different number of threads; kernels with a fixed grid must take longer
by FOLLOWS of the threads' growth, as logarithms."""

_CHOSEN = frozenset((PRODUCT, CONVOLUTION))

SIMILAR = 0.1
"""Largest relative difference of launches at which kernels count as launched equally often."""


def other_launches(context: RuleContext) -> OtherWork | None:
    """Without recorded shapes: kernels launched as often have nearly all more (nearly all fewer) threads, and those
    with a fixed grid take longer (shorter) to match. None if not."""
    if all("operators_by_shape" in side.groups for side in context.sides):
        return None
    launches = context.amounts("kernels_by_launch")
    shared = list(_launched_as_often(context, launches))
    moved = [kernel for kernel in shared if kernel.log_growth]
    fixed = total(kernel.amount for kernel in shared if not kernel.log_growth)
    all_us = fsum(amount.us_a + amount.us_b for amount in launches.values())
    shared_us, moved_us = (fsum(kernel.both_us for kernel in some) for some in (shared, moved))
    known_us = all_us - _chosen_otherwise_us(context, launches, {kernel.name for kernel in shared})
    if shared_us < OTHER_LAUNCHES * known_us or moved_us <= MOVED * shared_us:
        return None
    growths, weights = zip(*((kernel.log_growth, kernel.both_us) for kernel in moved), strict=True)
    middle = weighted_median(np.array(growths), np.array(weights))
    same_way_us = fsum(kernel.both_us for kernel in moved if kernel.log_growth * middle > 0)
    if abs(middle) < math.log1p(OTHER_THREADS) or same_way_us < OTHER_LAUNCHES * moved_us:
        return None
    longer = math.log(fixed.us_b / fixed.us_a) if fixed.us_a and fixed.us_b else 0.0
    if moved_us < OTHER_LAUNCHES * shared_us and longer * middle < FOLLOWS * middle**2:
        return None
    names = {name for name, *_ in launches}
    if not all(recur(side, names, "kernels_by_launch") for side in context.sides):
        return None
    largest = max(moved, key=lambda kernel: kernel.both_us)
    gone, new = example_of_launches(largest.rows)
    return OtherWork(
        largest.name,
        f"kernels with {percent_text(same_way_us / all_us)} of the device time launch "
        f"{ratio_text(math.exp(middle))} the threads, e.g. {short(largest.name)} {gone} → {new}; "
        "input shapes were not recorded",
        math.exp(middle), Evidence("kernels_by_launch", f"{largest.name} / {new}"),
        confidence="certain: the launches are recorded, and nearly all changed alike",
        look_at="batch size, sequence length, image size and padding of both runs; record with record_shapes=True",
    )  # fmt: skip


class _Launched(NamedTuple):
    """A kernel that both sides launch as often: its launches, and ln of how its threads per launch grew; 0 for kernels
    that loop over their work in grids that only the device determines."""

    name: str
    rows: list[tuple[str, Amount]]
    amount: Amount
    log_growth: float

    @property
    def both_us(self) -> float:
        return self.amount.us_a + self.amount.us_b


def _chosen_otherwise_us(context: RuleContext, launches: Mapping[Key, Amount], shared: Collection[str]) -> float:
    """Time of products and convolutions for whose sizes the library chooses other kernels: not each is launched as
    often, but all together are. Their launches tell nothing."""
    chosen = {kernel for kernel, operator in context.amounts("kernels_by_operator") if work_kind(operator) in _CHOSEN}
    together = total(amount for (name, _), amount in launches.items() if name in chosen and name not in shared)
    fewer, more = sorted((together.calls_a, together.calls_b))
    return together.us_a + together.us_b if fewer > (1 - SIMILAR) * more else 0.0


def _launched_as_often(context: RuleContext, launches: Mapping[Key, Amount]) -> Iterator[_Launched]:
    """Yields kernels of known threads, without those that were compiled otherwise: their threads do more or less."""
    for name, rows in by_name(launches).items():
        amount = total(amount for _, amount in rows)
        before, after = threads_per_launch(rows)
        fewer, more = sorted((amount.calls_a, amount.calls_b))
        if fewer > (1 - SIMILAR) * more and before and after and name not in context.once(compiled_otherwise):
            yield _Launched(name, rows, amount, math.log(after / before))
