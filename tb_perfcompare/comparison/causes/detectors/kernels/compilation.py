"""Less (more) of the code is compiled: fewer kernels that a compiler generated, or no compiled regions."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.detectors.kernels.compiled_regions import compiled_on_one_side, regions_clause
from tb_perfcompare.comparison.causes.detectors.kernels.launch_time import launch_time, launch_time_clause
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import STATUSES, LedgerRow, largest_of
from tb_perfcompare.comparison.result.wording import many, numbers_text, short_apart
from tb_perfcompare.model.names.compiled_names import is_generated
from tb_perfcompare.model.summary.categories import KERNEL

FEWER = 0.2
"""Relative decrease of launches from which generated kernels run less often."""


def compilation_rules(context: RuleContext) -> Iterator[Cause]:
    """Yields at most one cause: by generated kernels, else by compiled regions."""
    yield from list(_compiled(context)) or compiled_on_one_side(context)


def _compiled(context: RuleContext) -> Iterator[Cause]:
    """Generated kernels run less (more) often, and kernels that only one side has run instead, or also others more
    (less) often."""
    rows = context.entities(KERNEL)
    of_compiler = np.array([is_generated(name) for name in rows.key], dtype=bool)
    if not of_compiler.any():
        return
    generated = rows.picked(of_compiler)
    for side, came, sign in ((0, "added", 1), (1, "removed", -1)):
        fewer = [row for row in generated if row.calls[1 - side] <= (1 - FEWER) * row.calls[side]]
        plain = rows.picked((rows.status == STATUSES.index(came)) & ~of_compiler)
        # code compiled in another way has new generated kernels instead
        others = [row for row in generated if row.calls[side] <= (1 - FEWER) * row.calls[1 - side]]
        if not fewer or not plain or others:
            continue
        also = [
            row for row in rows.picked((rows.status == STATUSES.index("both")) & ~of_compiler)
            if row.calls[1 - side] > row.calls[side] and call_count_changed(*row.calls)
        ]  # fmt: skip
        moved = [*fewer, *plain, *also]
        explained = {(KERNEL, row.path[1]): context.counted_us(row) for row in moved}
        explained |= launch_time(context, sum(row.calls[1] - row.calls[0] for row in moved))
        if sign * fsum(explained.values()) >= context.least_us:
            yield _compilation_cause(context, fewer, plain, len(also), explained)
            return


def _compilation_cause(
    context: RuleContext, generated: list[LedgerRow], plain: list[LedgerRow], also: int, explained: dict[Part, float]
) -> Cause:
    """The cause. `also`: number of further plain kernels that both sides run."""
    delta = fsum(explained.values())
    first, other = map(largest_of, (generated, plain))
    lost = delta > 0
    counts = [sum(row.calls[side] for row in generated) for side in (0, 1)]
    compiled, usual = short_apart(first.path[1], other.path[1])
    run = "runs" if also == 1 else "run"
    further = f", {many(also, 'other')} {run} {'more' if lost else 'less'} often" if also else ""

    def sentence(own: Explains) -> str:
        return (
            f"{'Less' if lost else 'More'} code is compiled: {change_text(own)} per step{launch_time_clause(own)}; "
            f"{many(len(generated), 'generated kernel')}, e.g. {compiled}: {numbers_text(*counts)} launches per step; "
            f"{many(len(plain), 'plain kernel')}, e.g. {usual}, {'is' if len(plain) == 1 else 'are'} "
            f"{'new' if lost else 'gone'}{further}{regions_clause(context)}."
        )

    return cause(
        context, COMPILATION_LOST, first.path[1], KERNEL, delta, sentence,
        (Evidence("kernels", first.path[1]), Evidence("kernels", other.path[1])), explains=explained,
    )  # fmt: skip


COMPILATION_LOST = Rule(
    names=("compilation_lost", "compilation_gained"),
    meaning="eager code instead of compiled",
    when="`triton_...` kernels run at least a fifth less often, and other kernels run instead on this side only. Plain "
    "kernels of both sides that run more often belong to it",
    tables=("kernels",),
    look_at="torch.compile: graph breaks, recompilations, a fallback to eager mode",
    look_at_gain="torch.compile",
    confidence="certain: launches are counted; generated kernels are recognized by name",
    find=compilation_rules,
    rank=1,
)
