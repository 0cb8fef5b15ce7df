"""Collectives whose exposed time changed, and its split into transfer and waiting for other ranks."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

from tb_perfcompare.comparison.causes.evidence.amounts import Amount, Key, total
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.ranks.sides import Ranks
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow, largest_of
from tb_perfcompare.model.summary.categories import COMMUNICATION
from tb_perfcompare.quick_dataclass import dataclass

MAIN_SHARE = 0.5
"""Share of the change that must come from collectives, from their number, from waiting, or from their own time."""


@dataclass(frozen=True, slots=True, eq=False)
class ExposedCollectives:
    """Collectives that make most of the change of exposed communication, `exposed_us` per step: amounts and ledger rows
    of those on a device; without any, of those on the host."""

    exposed_us: float
    amounts: Mapping[Key, Amount]
    rows: list[LedgerRow]
    on_device: bool

    @property
    def amount(self) -> Amount:
        """Their sum."""
        return total(self.amounts.values())

    @property
    def are_more(self) -> bool:
        """Whether the change comes with more (fewer) collectives."""
        amount = self.amount
        return call_count_changed(amount.calls_a, amount.calls_b) and amount.more_calls * self.exposed_us > 0

    @property
    def are_mainly_more(self) -> bool:
        """Whether more (fewer) collectives make most of the change of their time: each one waits."""
        counted = fsum(collective.counted_us for collective in self.amounts.values())
        return self.are_more and abs(counted) >= MAIN_SHARE * abs(self.amount.delta_us)

    @property
    def largest(self) -> str:
        """The collective whose exposed time changed most."""
        return largest_of(self.rows).path[1]

    @property
    def largest_of_more(self) -> str:
        """The same of collectives that are called more (less) often, if there are any."""
        more = [row for row in self.rows if self.amounts[row.path[1],].more_calls * self.exposed_us > 0]
        return largest_of(more or self.rows).path[1]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Microseconds per step and rank in collectives, split into transfer and waiting for other ranks. `late`: the
    rank waited for; `is_whole`: every collective of every step was found on other ranks."""

    collective_us: float
    transfer_us: float
    waiting_us: float
    late: int
    is_whole: bool


def exposed_collectives(context: RuleContext) -> ExposedCollectives | None:
    """Returns None if they do not make most of the change, or if that is too small to matter."""
    exposed = context.exposed(COMMUNICATION)
    if abs(exposed) < context.least_us:
        return None
    recorded, kernels = context.amounts("communication"), context.amounts("kernels").keys()
    on_device = {key: amount for key, amount in recorded.items() if key in kernels}
    amounts = on_device or recorded
    rows = [row for row in context.entities(COMMUNICATION) if (row.path[1],) in amounts]
    # work around a collective that only the host does is not a collective
    if not rows or abs(sum(row.delta for row in rows)) < MAIN_SHARE * abs(exposed) * context.unit:
        return None
    return ExposedCollectives(exposed, amounts, rows, bool(on_device))


def splits(context: RuleContext) -> tuple[Split | None, Split | None]:
    """The splits of both sides, None where unknown."""
    job = context.job
    if job is None or not job.has_several or any("communication" not in side.groups for side in context.sides):
        return None, None
    return _split(job.a), _split(job.b)


def _split(ranks: Ranks) -> Split | None:
    """Split as in the table of ranks (docs/method/ranks.md). None unless all ranks recorded the same steps and a
    collective of one matches one of another."""
    collectives = ranks.waiting
    if not ranks.common.shape[1] or collectives is None or not collectives.matched[ranks.common].any():
        return None
    transfer = (collectives.matched - collectives.waiting)[ranks.common].T / 1000  # (steps, ranks)
    waited = collectives.waiting[ranks.common].T / 1000
    return Split(
        float(collectives.plain[ranks.common].mean() / 1000),
        float(transfer.mean()),
        float(waited.mean()),
        int(waited.sum(axis=0).argmin()),
        ranks.common.size == len(ranks.total_ns) and bool((collectives.matched == collectives.plain).all()),
    )
