"""Allocator calls to the driver: PyTorch's caching allocator ran out of memory, or holds too much."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

from tb_perfcompare.comparison.causes.detectors.launching import more_captures
from tb_perfcompare.comparison.causes.evidence.amounts import NOTHING, Amount, total
from tb_perfcompare.comparison.causes.evidence.explained import Cause
from tb_perfcompare.comparison.causes.evidence.host_time import call_count_changed, is_same_runtime
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import numbers_text
from tb_perfcompare.model.api_calls import ALLOCATION, RELEASE
from tb_perfcompare.model.summary.categories import OUTSIDE_OPERATORS, RUNTIME
from tb_perfcompare.model.summary.summary import Summary

MIN_TENSORS = 16
"""Least number of such calls per step: of fewer, each may happen to find nothing in the cache."""

_MAKE_TENSORS = ("aten::empty", "aten::empty_strided")
"""Operators that allocate. Others make their results without them, so an allocator that caches nothing calls the driver
more often."""


def allocator_rules(context: RuleContext) -> Iterator[Cause]:
    """More (fewer) allocator calls to the driver, with their exposed time."""
    if not is_same_runtime(context):
        return
    taken, given = context.called(ALLOCATION), context.called(RELEASE)
    every = {**taken, **given}
    amount = total(every.values())
    rows = {row.path[1]: row.delta / context.unit for row in context.entities(RUNTIME) if row.path[1] in every}
    exposed = fsum(rows.values())
    if not call_count_changed(amount.calls_a, amount.calls_b) or abs(exposed) < context.least_us:
        return
    if amount.more_calls * exposed <= 0:
        return
    calls = _no_cache(context, taken, given) or _retries(context, taken, given)
    if calls is None and context.once(more_captures) * exposed > 0:
        return  # torch.cuda.graph empties the cache, and each graph has memory of its own
    rule, name, subject, what, how, look_at = calls or _calls(context, every)
    yield cause(
        context, rule, subject, RUNTIME, exposed,
        lambda own: f"{what}: {change_text(own)} per step; {how}{_reserved(context)}.",
        (Evidence("ledger", f"{RUNTIME} / {subject}"),),
        name=name, look_at=look_at, explains={(RUNTIME, call): us for call, us in rows.items()},
    )  # fmt: skip


def _no_cache(
    context: RuleContext, taken: dict[str, Amount], given: dict[str, Amount]
) -> tuple[Rule, str, str, str, str, str] | None:
    """The driver allocates at least as often as operators make tensors: nothing is cached. None if that is so on both
    sides, or on none."""
    made = total(context.amount("operators", "host_total", name) for name in _MAKE_TENSORS)
    again = total(taken.values())
    off = [
        calls >= tensors >= MIN_TENSORS
        for calls, tensors in ((again.calls_a, made.calls_a), (again.calls_b, made.calls_b))
    ]
    if off[0] == off[1] or not given:
        return None
    first, free = (max(calls, key=lambda name: (abs(calls[name].more_calls), name)) for calls in (taken, given))
    return (
        ALLOCATOR_CALLS, "", first,
        "The caching allocator is off" if off[1] else "The caching allocator is on again",
        f"{'every tensor goes to the driver, ' if off[1] else ''}{first} {_times(taken[first])} and {free} "
        f"{_times(given[free])} calls per step",
        "PYTORCH_NO_CUDA_MEMORY_CACHING in the environment; another allocator (CUDAPluggableAllocator)",
    )  # fmt: skip


def _retries(
    context: RuleContext, taken: dict[str, Amount], given: dict[str, Amount]
) -> tuple[Rule, str, str, str, str, str] | None:
    """Retries of allocations: inside an operator the allocator frees memory only if it could not allocate. None
    without a change in retries."""
    inside = total(amount for caller, amount in context.callers(RELEASE).items() if caller != OUTSIDE_OPERATORS)
    if not call_count_changed(inside.calls_a, inside.calls_b) or not taken:
        return None
    more = inside.more_calls > 0
    first = max(given, key=lambda name: (abs(given[name].more_calls), name))
    again = total(taken.values())
    return (
        MEMORY_PRESSURE,
        MEMORY_PRESSURE.names[0 if more else 1],
        first,
        "Memory pressure" if more else "Memory pressure is gone",
        f"allocations inside operators {'run' if more else 'no longer run'} out of memory and retry after "
        f"freeing cached blocks; {first} {_times(inside)} calls per step in them, driver allocations {_times(again)}",
        "",
    )


def _calls(context: RuleContext, every: dict[str, Amount]) -> tuple[Rule, str, str, str, str, str]:
    first = max(every, key=lambda name: (abs(every[name].delta_us), name))
    more = every[first].more_calls > 0
    outside = context.callers(RELEASE).get(OUTSIDE_OPERATORS, NOTHING)
    emptied = call_count_changed(outside.calls_a, outside.calls_b)
    where = ", outside operators, as torch.cuda.empty_cache() does" if emptied else ""
    return (
        ALLOCATOR_CALLS,
        "",
        first,
        f"{'More' if more else 'Fewer'} allocator calls to the driver",
        f"{first} {_times(every[first])} calls per step{where}",
        "torch.cuda.empty_cache()" if emptied else "",
    )


def _times(amount: Amount) -> str:
    return numbers_text(amount.calls_a, amount.calls_b)


def _reserved(context: RuleContext) -> str:
    """Clause on peak memory: "; peak reserved memory 9,000 → 39,000 MiB of 40,536"; "" if memory events were not
    recorded."""
    held = [_most_reserved(summary) for summary in context.sides]
    if not all(held) or held[0] == held[1]:
        return ""
    sizes = {_device_mib(summary) for summary in context.sides}
    size = sizes.pop() if len(sizes) == 1 else 0
    return f"; peak reserved memory {held[0]:,} → {held[1]:,} MiB{f' of {size:,}' if size else ''}"


def _most_reserved(summary: Summary) -> int:
    """Peak reserved MiB of the fullest device, 0 if not recorded."""
    curves = summary.memory.curves if summary.memory is not None else ()
    return max((curve.peak_reserved or 0 for curve in curves if curve.device != "CPU"), default=0) // 2**20


def _device_mib(summary: Summary) -> int:
    settings = dict(summary.environment)
    for name, scale in (("device.memory_bytes", 2**20), ("device.memory_mib", 1)):
        if settings.get(name, "").isdecimal():
            return int(settings[name]) // scale
    return 0


MEMORY_PRESSURE = Rule(
    names=("memory_pressure", "memory_relieved"),
    meaning="the allocator retries: it frees cached memory in order to allocate",
    when="Calls that free device memory *inside operators* run more often, as do allocations from the driver",
    tables=("kernels",),
    look_at="batch size, tensors kept alive, fragmentation (PYTORCH_ALLOC_CONF=expandable_segments:True)",
    confidence="certain: calls are counted",
    find=allocator_rules,
    rank=1,
)
ALLOCATOR_CALLS = Rule(
    names=("allocator_calls",),
    meaning="more calls reach the driver's allocator",
    when="Calls such as cudaMalloc and cudaFree run more often and take exposed Runtime time, and it is not "
    "`memory_pressure`",
    tables=("kernels",),
    look_at="tensor sizes that vary by step, fragmentation, memory pressure",
    confidence="certain: calls are counted",
    find=allocator_rules,
    rank=1,
)
