"""The host: waits that are new, launches that cost more, allocator calls, graphs that are gone, one operator slower."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tb_perfcompare.comparison.causes.cause import Cause, category_confidence, cause
from tb_perfcompare.comparison.causes.interrupted import fastest_calls
from tb_perfcompare.comparison.causes.pace import kernels_flat
from tb_perfcompare.comparison.causes.pair import NOTHING, Amount, Pair, total
from tb_perfcompare.comparison.causes.recording import costlier_to_record
from tb_perfcompare.comparison.causes.wording import more_or_less, number_text, short, time_text
from tb_perfcompare.comparison.comparison import Evidence

HOST = ("CPU Exec", "Runtime", "Other")
"""Categories in which the step waits for the host."""

MOST = 0.5
"""Share of the step's change that the host's exposed time must make."""

MORE_CALLS = 0.5
"""Calls per step that are more at the least ..."""

MUCH_MORE = 0.2
"""... and share of the larger number that this must be."""

SAME_CALLS = 0.1
"""An operator is called as often if its calls changed by at most this."""

FASTEST = 1.05
"""An operator is slower, not interrupted, if its fastest call takes this many times as long."""

SLOWER_LAUNCH = 1.1
"""A launch is slower from this ratio on."""

_WAITS = re.compile(r"(?:cuda|hip|cu|cn|sycl|ur|mtia|aclrt)\w*synchroni[sz]e|cudamemcpy$|hipmemcpy$", re.IGNORECASE)
_LAUNCHES = re.compile(r"\w*(?:launch\w*kernel|invokekernel)\w*", re.IGNORECASE)
_GRAPHS = re.compile(r"(?:cuda|hip)GraphLaunch", re.IGNORECASE)
_ALLOCATOR = re.compile(
    r"(?:cuda|hip)(?:malloc|free|hostalloc|hostregister|freehost)\w*|cumem(?:alloc|free|create|map|unmap)\w*|cn(?:rt)?malloc\w*",
    re.IGNORECASE,
)
_READ_BACK = frozenset({"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero", "aten::nonzero", "aten::cpu"})


def host_rules(pair: Pair) -> Iterator[Cause]:
    """Causes in what the host does."""
    if pair.baseline.device.kind != pair.candidate.device.kind:
        yield from _operator(pair)  # calls of two runtimes cannot be counted against each other
        return
    yield from _allocator(pair)
    graphs = list(_graphs(pair))
    yield from graphs
    if graphs:
        return
    waits = list(_waits(pair))
    yield from waits
    if not waits:
        yield from _launch_bound(pair)
    yield from _operator(pair)


def _of(pair: Pair, pattern: re.Pattern[str]) -> dict[str, Amount]:
    return {name: amount for name, amount in pair.runtime().items() if pattern.fullmatch(name)}


def _called_otherwise(amount: Amount) -> bool:
    least = max(MORE_CALLS, MUCH_MORE * max(amount.calls_a, amount.calls_b))
    return abs(amount.more_calls) >= least


def _exposed_host(pair: Pair) -> dict[str, float]:
    return {label: pair.exposed(label) for label in HOST}


def _allocator(pair: Pair) -> Iterator[Cause]:
    """Calls that take or give back device memory: each of them also waits for the device."""
    calls = _of(pair, _ALLOCATOR)
    amount = total(calls.values())
    exposed = sum(
        row.delta for row in pair.entities("Runtime") if _ALLOCATOR.fullmatch(row.path[1])
    ) / pair.unit  # fmt: skip
    if not _called_otherwise(amount) or abs(amount.delta_us) < pair.least_us:
        return
    if abs(exposed) < pair.least_us:
        return
    first = max(calls, key=lambda name: (abs(calls[name].delta_us), name))
    peak = _peak(pair)
    sentence = (
        f"{'More' if amount.more_calls > 0 else 'Fewer'} calls of the memory allocator reach the driver: {first} "
        f"{number_text(calls[first].calls_a)} to {number_text(calls[first].calls_b)} per step, all of them "
        f"{more_or_less(amount.delta_us)} per step{peak}."
    )
    yield cause(
        pair, "allocator_calls", first, "Runtime", exposed, sentence, (Evidence("ledger", f"Runtime / {first}"),),
        confidence="certain: calls are counted",
        look_at="memory pressure and fragmentation: allocator retries, changing sizes, torch.cuda.empty_cache()",
        explains={"Runtime": exposed, "CPU Exec": pair.exposed("CPU Exec"), "Other": pair.exposed("Other")}, rank=1,
    )  # fmt: skip


def _peak(pair: Pair) -> str:
    """ "; the peak of allocated memory went from 3.1 to 3.9 GiB"."""
    peaks = []
    for summary in (pair.baseline, pair.candidate):
        curves = summary.memory.curves if summary.memory is not None else ()
        device = [curve.peak_allocated for curve in curves if curve.device != "CPU"]
        peaks.append(max(device, default=0))
    if not all(peaks) or peaks[0] == peaks[1]:
        return ""
    return f"; the most memory held at once went from {peaks[0] / 2**20:,.0f} to {peaks[1] / 2**20:,.0f} MiB"


def _graphs(pair: Pair) -> Iterator[Cause]:
    """A recorded graph is launched on one side, single kernels on the other."""
    graph, single = total(_of(pair, _GRAPHS).values()), total(_of(pair, _LAUNCHES).values())
    lost = graph.calls_a > 0 and graph.calls_b < MORE_CALLS * graph.calls_a and single.more_calls > 0
    gained = graph.calls_b > 0 and graph.calls_a < MORE_CALLS * graph.calls_b and single.more_calls < 0
    if not (lost or gained) or abs(pair.delta_us) < pair.least_us:
        return
    delta = sum(_exposed_host(pair).values())
    sentence = (
        f"{'No graph is launched any more' if lost else 'A graph is launched now'}: graph launches "
        f"{number_text(graph.calls_a)} to {number_text(graph.calls_b)} per step, single launches "
        f"{number_text(single.calls_a)} to {number_text(single.calls_b)}; the host makes "
        f"{more_or_less(delta)} per step."
    )
    yield cause(
        pair, "graph_lost" if lost else "graph_gained", "cudaGraphLaunch", "Runtime", delta, sentence,
        (Evidence("ledger", "Runtime / cudaGraphLaunch"),),
        confidence="certain: calls are counted",
        look_at="CUDA graph capture: shapes that change, operators that cannot be captured, mode='reduce-overhead'",
        explains=_exposed_host(pair), rank=0,
    )  # fmt: skip


def _waits(pair: Pair) -> Iterator[Cause]:
    """The host waits for the device more often, so that it cannot run ahead any more."""
    waits = total(_of(pair, _WAITS).values())
    reads = {
        key[0]: amount for key, amount in pair.amounts("operators", "host_total").items() if key[0] in _READ_BACK
    }
    more = waits.more_calls
    delta = sum(_exposed_host(pair).values()) + pair.exposed("Memcpy")
    if not _called_otherwise(waits) or abs(delta) < pair.least_us or (more > 0) != (delta > 0):
        return
    if abs(delta) < MOST * abs(pair.delta_us) and not kernels_flat(pair):
        return
    first = max(reads, key=lambda name: (abs(reads[name].more_calls), name == "aten::item", name), default="")
    behind = ""
    if first and reads[first].more_calls:
        behind = f", with {first} {number_text(reads[first].calls_a)} to {number_text(reads[first].calls_b)} times"
    sentence = (
        f"{'More' if more > 0 else 'Fewer'} waits for the device: the host synchronises "
        f"{number_text(waits.calls_a)} to {number_text(waits.calls_b)} times per step{behind}; "
        f"host work that kernels hid {'now stands in the open' if more > 0 else 'is hidden now'}, "
        f"{more_or_less(delta)} per step."
    )
    yield cause(
        pair, "synchronisation", first or "synchronisation", "Runtime", delta, sentence,
        tuple([Evidence("operators", first)] if first else []),
        confidence="certain: calls are counted",
        look_at=".item(), .cpu(), print of a tensor, and conditions on tensors inside the step",
        explains={**_exposed_host(pair), "Memcpy": pair.exposed("Memcpy")}, rank=1,
    )  # fmt: skip


def _launch_bound(pair: Pair) -> Iterator[Cause]:
    """Kernels take what they took, launching them takes longer, and the device waits for the host."""
    launches = total(_of(pair, _LAUNCHES).values())
    delta = sum(_exposed_host(pair).values())
    if not (launches.calls_a and launches.calls_b) or not kernels_flat(pair) or abs(delta) < pair.least_us:
        return
    mean_a, mean_b = launches.us_a / launches.calls_a, launches.us_b / launches.calls_b
    ratio = mean_b / mean_a if mean_a else 0.0
    if not (ratio >= SLOWER_LAUNCH or 0 < ratio <= 1 / SLOWER_LAUNCH) or (ratio > 1) != (delta > 0):
        return
    if abs(delta) < MOST * abs(pair.delta_us) or abs(launches.more_calls) > 0.1 * launches.calls_a:
        return
    if not pair.is_clear(*HOST):
        return
    if abs(launches.delta_us) < MOST * abs(delta):
        return
    sentence = (
        f"Launching kernels takes {time_text(mean_b)} instead of {time_text(mean_a)} each "
        f"({number_text(launches.calls_b)} launches per step) while the kernels take what they took: the device waits "
        f"for the host, {more_or_less(delta)} per step."
    )
    yield cause(
        pair, "launch_bound", "launches", "Runtime", delta, sentence, (Evidence("ledger", "Runtime"),),
        confidence="launch calls slower, kernels unchanged",
        look_at="CPU clock and load, profiling hooks, the driver; fewer or larger kernels, CUDA graphs",
        explains=_exposed_host(pair), rank=2,
    )  # fmt: skip


def _operator(pair: Pair) -> Iterator[Cause]:
    """One operator's own host time makes most of the change."""
    exposed = pair.exposed("CPU Exec")
    # an annotated range is Python code, which recording slows down; operators are not
    own = pair.amounts("operators", "host_self") if costlier_to_record(pair, exposed) else None
    rows = [
        row for row in pair.entities("CPU Exec")
        if row.status == "both" and abs(row.calls[1] - row.calls[0]) <= SAME_CALLS * max(row.calls)
        and (own is None or (row.path[1],) in own)
    ]  # fmt: skip
    if abs(exposed) < pair.least_us or not rows or not pair.is_clear("CPU Exec"):
        return
    first = max(rows, key=lambda row: (row.rate_effect * (1 if exposed > 0 else -1), row.path))
    if (first.delta > 0) != (exposed > 0) or abs(first.delta) < MOST * abs(exposed) * pair.unit:
        return
    amount = pair.amounts("operators", "host_self").get((first.path[1],), NOTHING)
    if not _all_calls_moved(pair, first.path[1], exposed > 0):
        return
    per = (
        f"{time_text(amount.us_b / amount.calls_b)} instead of {time_text(amount.us_a / amount.calls_a)} per call, "
        if amount.calls_a and amount.calls_b
        else ""
    )
    sentence = (
        f"One operator is {'slower' if exposed > 0 else 'faster'} on the host: {short(first.path[1])} takes {per}"
        f"{more_or_less(first.delta / pair.unit)} per step."
    )
    yield cause(
        pair, "operator_slower", first.path[1], "CPU Exec", first.delta / pair.unit, sentence,
        (Evidence("operators", first.path[1]),),
        confidence=category_confidence(pair, "CPU Exec"),
        look_at="the operator's inputs and implementation, and what else runs on that core",
        rank=5,
    )  # fmt: skip


def _all_calls_moved(pair: Pair, operator: str, slower: bool) -> bool:
    """Whether the fastest call moved as well, of the inputs whose time moved most where they are told apart."""
    for table in ("operators_by_shape", "operators"):
        fastest = {key: ends for key, ends in fastest_calls(pair, table).items() if key[0] == operator}
        if fastest:
            own = pair.amounts(table, "host_self")
            low_a, low_b = fastest[max(fastest, key=lambda key: own[key].delta_us * (1 if slower else -1))]
            return low_b >= FASTEST * low_a if slower else low_a >= FASTEST * low_b
    return True
