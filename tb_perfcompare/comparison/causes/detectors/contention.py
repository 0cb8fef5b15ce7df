"""Contention: other work takes the CPU or the device in between, so that the fastest calls are as fast as before, or
keeps the threads of an operator waiting for each other, so that all its calls are longer; or a thread of the program
keeps Python's GIL."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.causes.detectors.recording import is_of_1_8_alone
from tb_perfcompare.comparison.causes.detectors.uniform_slowdown import kernels_flat
from tb_perfcompare.comparison.causes.evidence.cause import Cause, Part, Rule, cause
from tb_perfcompare.comparison.causes.evidence.fastest_calls import (
    BY_SHAPE,
    INTERRUPTED,
    LAUNCHES,
    fastest_calls,
    fastest_own_calls,
    fastest_steps,
    table_of_calls,
)
from tb_perfcompare.comparison.causes.evidence.host_time import (
    call_count_changed,
    exposed_growth,
    exposed_host,
    idle_shares,
    is_same_runtime,
)
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext, total, total_by_key
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import number_text, ratio_text, short, signed_time, time_text, times_text
from tb_perfcompare.comparison.statistics.uniform_ratio import weighted_quartiles
from tb_perfcompare.model.api_calls import LAUNCH, WAIT
from tb_perfcompare.model.arrays import Floats, unique
from tb_perfcompare.model.summary.groups import DEVICE_TIMELINE, LAUNCH_LATENCY
from tb_perfcompare.model.summary.groups import GIL_WAITS as GIL_WAITS_TABLE
from tb_perfcompare.model.summary.summary import NOTHING_RECORDED, Summary

UNCHANGED_TOLERANCE = 0.1
"""The fastest calls are unchanged if the median of their ratios is within this of 1, or if it is at most INTERRUPTED of
that of all calls."""

MIN_SLOWDOWN = 1.2
"""Least ratio by which the mean time of operators or kernels must have grown."""

MAIN_SHARE = 0.5
"""Share of the change of CPU Exec (Kernel) that all of them must explain together, and that no single one may
explain."""

TYPICAL = 1 / 3
"""Least ratio of the median operator's ratio to that of the sums, as logarithms. Lost time slices hit all operators
in proportion to their time (0.87 to 1.46 in recordings), page faults only a few (0.14)."""

MIN_CALLS = 8
"""Number of calls from which at least one is likely to be uninterrupted. Also fewest launches per step that start
late."""

MIN_WAIT_US = 500.0
"""Least time for which an operator waits for its threads: about the shortest time slice of a scheduler."""

UNLIKE_TIMES = 3.0
"""Least ratio of the times of the longer and the shorter half of the waiting calls: for calls of one length, a constant
and a ratio look alike."""

MAX_SLOPE = 0.5
"""Most by which the wait grows with the time of a call, both as logarithms: 0 for a constant, 1 for interruptions and
slow work. Matrix products have two parallel regions, so that they wait twice."""

MOST_WAITING = 0.8
"""Share of the change of all operators that those that wait must explain."""

MIN_WAITING = 5
"""Fewest waiting operators, by name and input shape."""

LATE = 1.75
"""Ratio of the times from a launch to its start on an idle device from which the device is late. In 104 unchanged pairs
on an H200 it is at most 1.52, beside a process that takes a quarter of the device 2.2."""

MIN_KERNELS = 3
"""Fewest kernels, by name, that have to take longer. A single one is slower, not interrupted."""


class _Changes(NamedTuple):
    """Changes of operators with enough calls for an uninterrupted one.

    grown           operator's part of the step -> growth of its time in us per step, without that of its fastest call
    before_us       time of the baseline if both sides called all as often
    fastest, means  ratios of the fastest calls, and of the times per call
    weights, times  weights of these ratios: the time
    """

    grown: dict[Part, float]
    before_us: float
    fastest: list[float]
    weights: list[float]
    means: list[float]
    times: list[float]


def interruption_rules(pair: RuleContext) -> Iterator[Cause]:
    """CPU contention: mean times changed, the fastest calls did not, and no single operator explains it."""
    exposed, table = pair.exposed("CPU Exec"), table_of_calls(pair)
    changes = _changes(pair, table)
    grown, delta = changes.grown, math.fsum(changes.grown.values())
    if not changes.fastest or len(grown) < 3 or delta * exposed <= 0 or is_of_1_8_alone(pair, delta):
        return
    if abs(exposed) < pair.least_us or not (pair.is_clear("CPU Exec") or _is_clear_of_same_work(pair, exposed)):
        return
    sign = math.copysign(1, delta)
    largest = max(grown, key=lambda part: grown[part] * sign)
    if abs(grown[largest]) > MAIN_SHARE * abs(delta):
        # a slice of many milliseconds falls on one call of one operator: the others decide
        longest = _longest_call(pair.candidate if delta > 0 else pair.baseline, table, largest[1])
        once = sign * min(longest, abs(grown[largest]))
        grown[largest] -= once
        delta, exposed = delta - once, exposed - once
        if min(delta * sign, exposed * sign) <= 0 or abs(grown[largest]) > MAIN_SHARE * abs(delta):
            return
    before, after = changes.before_us, changes.before_us + delta
    if after <= 0 or max(before, after) < MIN_SLOWDOWN * min(before, after):
        return
    ratio = math.log(after / before)
    fastest = weighted_quartiles(np.log(changes.fastest), np.array(changes.weights))[1]
    if abs(fastest) > max(-math.log(1 - UNCHANGED_TOLERANCE), INTERRUPTED * abs(ratio)):
        return
    if weighted_quartiles(np.log(changes.means), np.array(changes.times))[1] / ratio < TYPICAL:
        return
    exposed_part = sign * min(abs(exposed), abs(delta))
    if abs(exposed_part) < MAIN_SHARE * abs(exposed):
        return
    explained = exposed_growth(pair, {part: us * exposed_part / delta for part, us in grown.items()}, delta)
    exposed = math.fsum(explained.values())
    yield cause(
        pair, CPU_CONTENTION, "operators", "CPU Exec", exposed,
        f"{'CPU contention' if exposed > 0 else 'Less CPU contention'}: {signed_time(exposed)} per step; mean operator "
        f"time {ratio_text(after / before)}, but fastest {'calls' if table == BY_SHAPE else 'steps'} "
        f"{ratio_text(math.exp(fastest))}; other work {'is taking' if exposed > 0 else 'no longer takes'} the CPU.",
        (Evidence("operators", ""),), explains=explained,
    )  # fmt: skip


def _changes(pair: RuleContext, table: str) -> _Changes:
    columns = pair.columns(table, "host_self")
    often_called = np.minimum(columns.calls_a * pair.steps[0], columns.calls_b * pair.steps[1]) >= MIN_CALLS
    operators = columns.of_rows(np.flatnonzero(often_called))
    # without shapes the fastest call of an operator is that on its smallest input
    fastest_of = fastest_own_calls if table == BY_SHAPE else fastest_steps
    fastest = fastest_of(pair, table) if operators else {}
    ratios, weights, means, times = (list[float]() for _ in range(4))
    grown: list[tuple[Part, float]] = []
    before = 0.0
    for key, amount in operators.items():
        # as if both sides called it as often: other numbers of calls are no interruption
        calls = (amount.calls_a + amount.calls_b) / 2
        of_fastest = 0.0
        if key in fastest:
            low_a, low_b = fastest[key]
            ratios.append(low_b / low_a)
            weights.append(amount.us_a + amount.us_b)
            of_fastest = calls * (low_b - low_a) / 1000 * math.copysign(1, amount.rate_us)
        if amount.us_a and amount.us_b:
            means.append(amount.us_b / amount.calls_b / (amount.us_a / amount.calls_a))
            times.append(calls * (amount.us_a / amount.calls_a + amount.us_b / amount.calls_b))
        before += calls * amount.us_a / amount.calls_a
        # growth of the fastest call is no interruption either
        interrupted = max(abs(amount.rate_us) - max(of_fastest, 0.0), 0.0)
        grown.append((("CPU Exec", key[0]), math.copysign(interrupted, amount.rate_us)))
    return _Changes(total_by_key(grown), before, ratios, weights, means, times)


def waiting_rules(pair: RuleContext) -> Iterator[Cause]:
    """Threads of operators wait: calls of any length take one and the same time longer, or a small multiple of it.

    An operator on several threads is done when its last thread is. A thread that gets no core is late by a time slice,
    however short its work; operators too small for several threads do not wait. Work, clocks and interruptions lengthen
    calls in proportion to their time.
    """
    exposed = pair.exposed("CPU Exec")
    if any(side.device.count for side in pair.sides) or abs(exposed) < pair.least_us:
        return
    if not (pair.is_clear("CPU Exec") or _is_clear_of_same_work(pair, exposed)):
        return
    columns = pair.columns(table_of_calls(pair), "host_self")
    rows = np.flatnonzero((columns.calls_a > 0) & (columns.calls_b > 0))
    calls = np.array([columns.calls_a[rows], columns.calls_b[rows]])
    per_call = np.array([columns.us_a[rows], columns.us_b[rows]]) / calls
    alone, late = per_call if exposed > 0 else per_call[::-1]
    wait, often = late - alone, calls.mean(axis=0)
    waits = wait >= MIN_WAIT_US
    if np.count_nonzero(waits) < MIN_WAITING:
        return
    growth = often * wait
    waiting = growth[waits].sum()
    if waiting < MOST_WAITING * np.abs(growth).sum() or not _is_constant(wait[waits], alone[waits], often[waits]):
        return
    own = math.copysign(min(abs(exposed), waiting), exposed)
    if abs(own) < MAIN_SHARE * abs(exposed):
        return
    keys = columns.of_rows(rows[waits])
    grown = total_by_key((("CPU Exec", key[0]), us) for key, us in zip(keys, growth[waits].tolist(), strict=True))
    explained = exposed_growth(pair, {part: us * own / waiting for part, us in grown.items()}, own)
    delta = math.fsum(explained.values())
    at = int(np.argmax(np.where(waits, growth / np.maximum(alone, 1.0), 0.0)))
    name = next(iter(columns.of_rows(rows[[at]])))[0]
    typical = weighted_quartiles(wait[waits], often[waits])[1]
    what, more = ("wait", "longer") if delta > 0 else ("no longer wait", "less")
    sentence = (
        f"Operators {what} for their threads: {signed_time(delta)} per step; calls take about {time_text(typical)} "
        f"{more}, however short, e.g. {short(name)} {times_text(*per_call[:, at].tolist())}."
    )
    yield cause(
        pair, WAITING_THREADS, "operators", "CPU Exec", delta, sentence, (Evidence("operators", ""),),
        explains=explained,
    )  # fmt: skip


def _is_constant(wait: Floats, alone: Floats, often: Floats) -> bool:
    """Whether long calls wait about as long as short ones: their times without the wait differ by far more than the
    waits."""
    order = np.argsort(alone, kind="stable")
    is_short = np.cumsum(often[order]) <= often.sum() / 2
    if not alone[order[is_short]].any():
        return False

    def log_ratio(of: Floats) -> float:
        short, long = (np.average(of[half], weights=often[half]) for half in (order[is_short], order[~is_short]))
        return math.log(long / short)

    times = log_ratio(alone)
    return times >= math.log(UNLIKE_TIMES) and log_ratio(wait) <= MAX_SLOPE * times


def gil_rules(pair: RuleContext) -> Iterator[Cause]:
    """Waits for the GIL, within operators and between them."""
    before, after = (_gil_waits(side) for side in pair.sides)
    loaders = {*pair.entities("DataLoader").key}
    category_of = {
        name: "Other" if name == NOTHING_RECORDED else "DataLoader" if name in loaders else "CPU Exec"
        for name in sorted({*before, *after})
    }
    own: dict[Part, float] = {
        (category, name): after.get(name, _NO_WAIT).us - before.get(name, _NO_WAIT).us
        for name, category in category_of.items()
    }
    grown = math.fsum(own.values())
    if abs(grown) < pair.least_us:
        return
    if pair.candidate.device.count:  # waits while the device works cost nothing
        wholes = total_by_key((category, us) for (category, _), us in own.items())
        shares = {of: min(1.0, max(0.0, pair.exposed(of) / us)) if us else 0.0 for of, us in wholes.items()}
        own = {part: us * shares[part[0]] for part, us in own.items()}
    explained = exposed_growth(pair, own, grown)
    delta = math.fsum(explained.values())
    if abs(delta) < pair.least_us:
        return
    calls = [math.fsum(waits.calls for waits in side.values()) for side in (before, after)]
    sentence = (
        f"{'Waits' if delta > 0 else 'Fewer waits'} for Python's GIL: {signed_time(delta)} per step; "
        f"{' → '.join(map(number_text, calls))} pauses per step of 5 ms or a multiple, Python's switch interval; "
        f"another thread {'runs' if delta > 0 else 'no longer runs'} Python code."
    )
    yield cause(
        pair, GIL_WAITS, "categories", "Other", delta, sentence, (Evidence("categories", "Other"),), explains=explained,
    )  # fmt: skip


class _Waits(NamedTuple):
    """Microseconds and number of waits per step."""

    us: float
    calls: float


_NO_WAIT = _Waits(0.0, 0.0)


def _gil_waits(side: Summary) -> dict[str, _Waits]:
    """Operator, or NOTHING_RECORDED -> waits for the GIL in it; empty if nothing looks like one."""
    group, steps = side.groups.get(GIL_WAITS_TABLE), len(side.steps)
    if group is None:
        return {}
    totals = group.measures_ns["total"].sum(axis=1) / steps / 1000, group.calls.sum(axis=1) / steps
    return {key[0]: _Waits(*row) for key, *row in zip(group.keys, *(column.tolist() for column in totals), strict=True)}


def _is_clear_of_same_work(pair: RuleContext, exposed: float) -> bool:
    """Whether the same work takes clearly longer. The machine's pace shows it by the typical step, which one long
    interruption does not affect."""
    machine = pair.headline.machine
    return machine is not None and (machine.low > 0 if exposed > 0 else machine.high < 0)


def _longest_call(summary: Summary, table: str, operator: str) -> float:
    """Longest call of one operator, in microseconds per step; 0 if unknown."""
    group = summary.groups.get(table)
    if group is None or group.max_ns is None:
        return 0.0
    calls = (ns for key, ns in zip(group.keys, group.max_ns.tolist(), strict=True) if key[0] == operator)
    return max(calls, default=0) / len(summary.steps) / 1000


def device_contention_rules(pair: RuleContext) -> Iterator[Cause]:
    """Yields at most one cause: other work takes the device, within kernels or between them."""
    within = list(_within_kernels(pair))
    yield from within or _between_kernels(pair)


def _within_kernels(pair: RuleContext) -> Iterator[Cause]:
    """Device contention: mean times of the same launches changed, the fastest ones did not."""
    exposed = pair.exposed("Kernel")
    if abs(exposed) < pair.least_us or not pair.is_clear("Kernel"):
        return
    fastest = fastest_calls(pair, LAUNCHES)
    kernels = {
        key: amount for key, amount in pair.amounts(LAUNCHES).items()
        if key in fastest and min(amount.calls_a * pair.steps[0], amount.calls_b * pair.steps[1]) >= MIN_CALLS
    }  # fmt: skip
    if not kernels:
        return
    us = np.array([(kernel.us_a, kernel.us_b) for kernel in kernels.values()]).T
    launches = np.array([(kernel.calls_a, kernel.calls_b) for kernel in kernels.values()]).T
    # as if both sides launched it as often: other numbers of launches are no contention
    before, after = (launches.mean(axis=0) * us / launches).sum(axis=1).tolist()
    if max(before, after) < MIN_SLOWDOWN * min(before, after):
        return
    # as if each launch took as long as its kernel's fastest: one slow kernel lengthens that, too
    lowest = launches.mean(axis=0) @ np.array([fastest[key] for key in kernels])
    fast = float(lowest[1] / lowest[0])
    if abs(math.log(fast)) > INTERRUPTED * abs(math.log(after / before)):
        return
    rates = np.array([kernel.rate_us for kernel in kernels.values()])
    kept = rates * exposed > 0
    grown = total_by_key((key[0], float(us)) for key, us, keep in zip(kernels, rates, kept, strict=True) if keep)
    delta = math.fsum(grown.values())
    if (
        len(grown) < MIN_KERNELS
        or abs(delta) < MAIN_SHARE * abs(exposed)
        or max(map(abs, grown.values())) > MAIN_SHARE * abs(delta)
    ):
        return
    own = math.copysign(min(abs(delta), abs(exposed)), exposed)
    explained: dict[Part, float] = {("Kernel", name): us * own / delta for name, us in grown.items()}
    explained |= _queued(pair, delta)
    delta = math.fsum(explained.values())
    queued = math.fsum(us for (category, _), us in explained.items() if category != "Kernel")
    more = f", {time_text(abs(queued))} of it before launched work starts" if queued else ""
    sentence = (
        f"{'Device contention' if delta > 0 else 'Less device contention'}: {signed_time(delta)} per step{more}; mean "
        f"kernel time {ratio_text(after / before)}, but fastest launches {ratio_text(fast)}; other work "
        f"{'is taking' if delta > 0 else 'no longer takes'} the {pair.candidate.device.word}."
    )
    yield cause(
        pair, DEVICE_CONTENTION, "kernels", "Kernel", delta, sentence, (Evidence("kernels", ""),), explains=explained
    )


def _between_kernels(pair: RuleContext) -> Iterator[Cause]:
    """Device contention between kernels: launched work starts later on an idle device, and kernels take as long."""
    idle = pair.amounts(DEVICE_TIMELINE).get((LAUNCH_LATENCY,))
    if idle is None or min(idle.calls_a, idle.calls_b) < MIN_CALLS:
        return
    if not is_same_runtime(pair) or not kernels_flat(pair):
        return
    waits = total(pair.called(WAIT).values())
    # a device that catches up with the host, or a host that waits for it, meets more launches that start at once
    if min(idle_shares(pair)) < MAIN_SHARE or call_count_changed(waits.calls_a, waits.calls_b):
        return
    each = idle.us_a / idle.calls_a, idle.us_b / idle.calls_b
    delta = idle.rate_us - total(pair.called(LAUNCH).values()).rate_us  # a slower host launches later, too
    if max(each) < LATE * min(each) or delta * idle.delta_us <= 0:
        return
    if abs(delta) < max(pair.least_us, MAIN_SHARE * abs(idle.delta_us)):
        return
    if delta * pair.delta_us <= 0 or abs(idle.delta_us) < MAIN_SHARE * abs(pair.delta_us) or not _apart(pair):
        return
    share = min(1.0, delta / idle.delta_us)
    explained = {part: us * share for part, us in _queued(pair, delta).items()}
    delta = math.fsum(explained.values())
    if abs(delta) < pair.least_us:
        return
    sentence = (
        f"{'Device contention' if delta > 0 else 'Less device contention'}: {signed_time(delta)} per step before "
        f"launched work starts, {times_text(*each)} per launch; kernels take as long; other work "
        f"{'is taking' if delta > 0 else 'no longer takes'} the {pair.candidate.device.word}."
    )
    yield cause(
        pair, DEVICE_CONTENTION, "launches", "Runtime", delta, sentence, (Evidence(DEVICE_TIMELINE, LAUNCH_LATENCY),),
        explains=explained,
    )  # fmt: skip


def _apart(pair: RuleContext) -> bool:
    """Whether launched work starts later in every capture of one side than in all of the other."""
    lows, highs = [], []
    for side in pair.sides:
        group, captures = side.groups[DEVICE_TIMELINE], side.steps.capture
        row = group.keys.index((LAUNCH_LATENCY,))
        late = group.measures_ns["total"][row]
        means = [float(late[captures == which].mean()) for which in unique(captures)]
        lows.append(min(means))
        highs.append(max(means))
    return lows[1] > highs[0] or lows[0] > highs[1]


def _queued(pair: RuleContext, grown: float) -> dict[Part, float]:
    """Part -> time in which the device is idle although work is launched, as far as that changed as the kernels did:
    the device runs other work then, whatever the host does meanwhile."""
    idle = pair.amounts(DEVICE_TIMELINE).get((LAUNCH_LATENCY,))
    host = {label: us for label, us in exposed_host(pair).items() if us * grown > 0}
    if idle is None or idle.delta_us * grown <= 0 or abs(idle.delta_us) < pair.least_us or not host:
        return {}
    share = min(1.0, idle.delta_us / math.fsum(host.values()))
    return {(label, ""): us * share for label, us in host.items()}


CPU_CONTENTION = Rule(
    names=("host_interrupted",),
    meaning="CPU contention: other work takes the CPU between and within operators",
    when="Together, many operators take 1.2 times as long on average, but their fastest calls do not (without shapes: "
    "calls in the steps in which they are fastest). No operator makes half of the change, not counting its longest "
    "call",
    needs="operators",
    tables=("operators",),
    look_at="other processes and threads on these cores, more threads than cores, CPU limits of the container",
    find=interruption_rules,
    rank=3,
    same_work=True,
)
GIL_WAITS = Rule(
    names=("gil_waits",),
    meaning="the main thread waits for Python's GIL, which another thread of the program holds",
    when="At least 8 times, in 5 places or more, the main thread starts and ends nothing for 5 ms, Python's switch "
    "interval, or a multiple, and two thirds of all pauses from 4 ms on take as long",
    needs="operators",
    tables=("operators",),
    look_at="threads of the program that run Python code: loaders, loggers, metrics, monitors; run them in a process "
    "of their own",
    confidence="likely: pauses last whole switch intervals",
    find=gil_rules,
    rank=2,
)
WAITING_THREADS = Rule(
    names=("waiting_threads",),
    meaning="operators wait for their own threads, which get no core",
    when="Some operators take longer by about the same time, at least half a millisecond, in long and in short calls; "
    "other operators hardly change. Only without a device",
    needs="operators",
    tables=("operators",),
    look_at="more threads than free cores: torch.set_num_threads, OMP_NUM_THREADS, the container's CPU limit, other "
    "processes on these cores",
    find=waiting_rules,
    rank=2,
    same_work=True,
)
DEVICE_CONTENTION = Rule(
    names=("device_interrupted",),
    meaning="device contention: other work takes the device between and within kernels",
    when="Kernels with equal launch configuration together take 1.2 times as long, but their fastest launches do not; "
    "no kernel makes half of the change. Or kernels take as long, but launched work starts 1.75 times as late on an "
    "idle device",
    needs="kernels with their launch configuration",
    tables=("kernels",),
    look_at="other processes on the device (nvidia-smi), other streams of this program, sharing by MPS or MIG",
    find=device_contention_rules,
    rank=3,
    same_work=True,
)
