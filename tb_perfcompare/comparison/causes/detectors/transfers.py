"""Where data comes from: batches of the main process or of workers, and copies between host and device."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import fsum

from tb_perfcompare.comparison.causes.evidence.amounts import total
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed, is_same_runtime
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow, largest_of
from tb_perfcompare.comparison.result.wording import numbers_text, short, times_text
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.api_calls import WAIT
from tb_perfcompare.model.environment import LOADED_BY, MAIN_PROCESS, WORKER_PROCESSES
from tb_perfcompare.model.names.ranges import LOADER_NAME
from tb_perfcompare.model.summary.categories import DATA_LOADER, MEMCPY, StepCategory
from tb_perfcompare.number_text import many

_TO_HOST = regex(r"\bDtoH\b|Device -> (?:Pageable|Pinned)|device to host", re.IGNORECASE)

_ON_DEVICE = regex(r"\bDtoD\b|Device -> Device|device to device", re.IGNORECASE)
_BETWEEN_TENSORS = "copy_(), clone() and contiguous() between tensors of the device; inputs that graphs copy"

SAME_NUMBER = 0.1
"""Largest relative difference between the decrease of pinned and the increase of pageable copies for one to have
become the other."""

SIDES = ("baseline", "candidate")

MAIN_SHARE = 0.5
"""Share of the category's change that the number of copies must explain."""


def loader_rules(context: RuleContext) -> Iterator[Cause]:
    """Batches are loaded in the main process on one side, by workers on the other: the data set's operators run within
    the step or outside of it."""
    loaded = [dict(side.environment).get(LOADED_BY, "") for side in context.sides]
    if {*loaded} != {MAIN_PROCESS, WORKER_PROCESSES}:
        return
    delta = context.exposed(DATA_LOADER)
    matters = abs(delta) >= context.least_us
    here, there = ("in the main process", "by workers")[:: 1 if loaded[1] == MAIN_PROCESS else -1]
    batches = f"batches are loaded {here}, no longer {there}."
    by_category = [side.owned.by_category()[StepCategory.DATALOADER] for side in context.sides]
    times = times_text(*(float(waits.mean()) / 1000 for waits in by_category))

    def sentence(own: Explains) -> str:
        wait = f"Data loader wait: {change_text(own)} per step ({times}); {batches}"
        return wait if own else batches.capitalize()

    yield cause(
        context, LOADER, LOADER_NAME, DATA_LOADER, delta if matters else None, sentence,
        (Evidence("environment", LOADED_BY), Evidence("categories", DATA_LOADER)),
    )  # fmt: skip


def transfer_rules(context: RuleContext) -> Iterator[Cause]:
    """More (fewer) copies, without those that come with waits (synchronization.py)."""
    rows = [row for row in context.entities(MEMCPY) if not _waited_for(context, row)]
    counted = fsum(map(context.counted_us, rows))
    before, after = (sum(row.calls[side] for row in rows) for side in (0, 1))
    if abs(counted) < context.least_us or abs(counted) < MAIN_SHARE * abs(context.exposed(MEMCPY)):
        return
    if before == after or (after > before) != (counted > 0):
        return
    first = max(rows, key=lambda row: (abs(context.counted_us(row)), row.path))

    def sentence(own: Explains) -> str:
        return (
            f"{'More' if counted > 0 else 'Fewer'} memory copies: {change_text(own)} per step "
            f"({numbers_text(before, after)} copies), mostly {short(first.path[1])}."
        )

    yield cause(
        context, MORE_COPIES, first.path[1], MEMCPY, counted, sentence, (Evidence("memcpy", first.path[1]),),
        look_at=_BETWEEN_TENSORS if _ON_DEVICE.search(first.path[1]) else "",
        explains={(MEMCPY, row.path[1]): context.counted_us(row) for row in rows},
    )  # fmt: skip


def pageable_rules(context: RuleContext) -> Iterator[Cause]:
    """As many copies as before, but from or to pageable instead of pinned memory: slower, and the host waits for
    them."""
    rows = context.entities(MEMCPY)
    pageable, pinned = ([row for row in rows if word in row.path[1]] for word in ("Pageable", "Pinned"))
    more = fsum(row.calls[1] - row.calls[0] for row in pageable)
    fewer = fsum(row.calls[0] - row.calls[1] for row in pinned)
    changed = call_count_changed(*(fsum(row.calls[side] for row in pageable) for side in (0, 1)))
    if not changed or more * fewer <= 0 or abs(more - fewer) > SAME_NUMBER * abs(more):
        return
    moved = {(MEMCPY, row.path[1]): row.delta / context.unit for row in (*pageable, *pinned)}
    delta = fsum(moved.values())
    if abs(delta) < context.least_us or delta * more <= 0:
        return
    before, after = (fsum(getattr(row, side) for row in (*pageable, *pinned)) / context.unit for side in SIDES)
    first = largest_of(pageable)

    def sentence(own: Explains) -> str:
        return (
            f"Copies from {'pageable' if more > 0 else 'pinned'} memory: {change_text(own)} per step; "
            f"{many(abs(more), 'copy', 'copies')} per step {'is' if abs(more) == 1 else 'are'} "
            f"{'no longer' if more > 0 else 'now'} pinned "
            f"({times_text(before, after)})."
        )

    yield cause(
        context, PAGEABLE_COPIES, first.path[1], MEMCPY, delta, sentence, (Evidence("memcpy", first.path[1]),),
        explains=moved,
    )  # fmt: skip


def _waited_for(context: RuleContext, row: LedgerRow) -> bool:
    """Whether copies to the host increased (decreased) together with calls that wait for the device."""
    more = row.calls[1] - row.calls[0]
    if not _TO_HOST.search(row.path[1]) or not is_same_runtime(context):
        return False
    waits = total(context.called(WAIT).values()).more_calls
    return call_count_changed(*row.calls) and waits * more > 0 and abs(waits) >= abs(more)


LOADER = Rule(
    names=("data_loader",),
    meaning="batches are loaded in the main process (`num_workers=0`), or by workers",
    when="The DataLoader iterates in one process on one side, in several on the other. It explains the wait for data",
    look_at="num_workers, persistent_workers and prefetch_factor of the DataLoader",
    confidence="certain: the iterators' names are recorded; the time is measured",
    find=loader_rules,
    rank=1,
)
MORE_COPIES = Rule(
    names=("more_copies", "fewer_copies"),
    meaning="more copies between host and device, or on the device",
    when="At least half of Memcpy's change is by count. Copies to the host that grew together with waits count as "
    "`synchronization`",
    tables=("kernels",),
    look_at=".to(device), .cpu() and .item() inside the step; data prepared on the CPU",
    confidence="certain: copies are counted",
    find=transfer_rules,
    rank=3,
)
PAGEABLE_COPIES = Rule(
    names=("pageable_copies", "pinned_copies"),
    meaning="copies from (to) pageable memory instead of pinned",
    when="Copies from (to) pageable memory run more often, and copies from (to) pinned memory less often by the same "
    "number",
    tables=("kernels",),
    look_at="pin_memory=True of the data loader, tensor.pin_memory() before .to(device, non_blocking=True)",
    confidence="certain: copies are counted",
    find=pageable_rules,
    rank=2,
)
