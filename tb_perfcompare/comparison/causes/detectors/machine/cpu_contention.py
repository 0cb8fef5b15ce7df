"""CPU contention: other work takes the CPU in between, so that the fastest calls are as fast as before, or keeps the
threads of an operator waiting for each other, so that all its calls are longer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.causes.detectors.machine.contention import LOOK_AT_CPU, contention
from tb_perfcompare.comparison.causes.detectors.machine.recording import is_of_1_8_alone
from tb_perfcompare.comparison.causes.evidence.amounts import total_by_key
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import HOST, exposed_growth
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.fastest_calls import (
    BY_SHAPE,
    INTERRUPTED,
    fastest_own_calls,
    fastest_steps,
    table_of_calls,
    typical_steps,
)
from tb_perfcompare.comparison.result.finding import REPEATABILITY_UNKNOWN, Evidence
from tb_perfcompare.comparison.result.wording import ratio_text, short, time_text, times_text
from tb_perfcompare.comparison.statistics.uniform_ratio import weighted_quartiles
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.summary.categories import CPU_EXEC
from tb_perfcompare.model.summary.summary import Summary

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
late (device_contention.py)."""

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


class _Changes(NamedTuple):
    """Changes of operators with enough calls for an uninterrupted one.

    grown           operator's part of the step -> growth of its time in us per step, without that of its fastest call
    sides_us        time of each side if both called all as often
    fastest, means  ratios of the fastest calls, and of the times per call
    weights, times  weights of these ratios: the time
    """

    grown: dict[Part, float]
    sides_us: tuple[float, float]
    fastest: list[float]
    weights: list[float]
    means: list[float]
    times: list[float]


def interruption_rules(context: RuleContext) -> Iterator[Cause]:
    """CPU contention: mean times changed, uninterrupted steps or the fastest calls did not, and no single operator or
    gap explains it."""
    yield from tuple(_interrupted_steps(context)) or _interrupted_operators(context)


def _interrupted_steps(context: RuleContext) -> Iterator[Cause]:
    interrupted, shift = context.interrupted, context.headline.shift
    if interrupted is None or shift is None or shift.low * shift.high <= 0:
        return
    lost = {(category, name): us for (category, name), us in interrupted.lost_us.items() if category in HOST}
    whole = math.fsum(lost.values())
    if abs(whole) < context.least_us or whole * context.delta_us <= 0:
        return
    share = min(context.delta_us / whole, 1.0)  # uninterrupted steps may have changed in the other direction
    lost = {part: us * share for part, us in lost.items()}
    steps = f"uninterrupted steps {ratio_text(math.exp(interrupted.kept))}"
    yield _cpu_contention(context, lost, steps, f"measured in these captures, {REPEATABILITY_UNKNOWN}")


def _interrupted_operators(context: RuleContext) -> Iterator[Cause]:
    exposed, table = context.exposed(CPU_EXEC), table_of_calls(context)
    changes = _changes(context, table)
    grown, delta = changes.grown, math.fsum(changes.grown.values())
    if not changes.fastest or len(grown) < 3 or delta * exposed <= 0 or is_of_1_8_alone(context, delta):
        return
    if abs(exposed) < context.least_us or not (context.is_clear(CPU_EXEC) or _is_clear_of_same_work(context, exposed)):
        return
    sign = math.copysign(1, delta)
    largest = max(grown, key=lambda part: grown[part] * sign)
    if abs(grown[largest]) > MAIN_SHARE * abs(delta):
        # a slice of many milliseconds falls on one call of one operator: the others decide
        longest = _longest_call(context.candidate if delta > 0 else context.baseline, table, largest[1])
        once = sign * min(longest, abs(grown[largest]))
        grown[largest] -= once
        delta, exposed = delta - once, exposed - once
        if min(delta * sign, exposed * sign) <= 0 or abs(grown[largest]) > MAIN_SHARE * abs(delta):
            return
    alone = min(changes.sides_us)  # the side that is interrupted less: exchanging the sides inverts the ratio
    if alone <= 0 or abs(delta) < (MIN_SLOWDOWN - 1) * alone:
        return
    ratio = sign * math.log1p(abs(delta) / alone)
    fastest = weighted_quartiles(np.log(changes.fastest), np.array(changes.weights))[1]
    if abs(fastest) > max(-math.log(1 - UNCHANGED_TOLERANCE), INTERRUPTED * abs(ratio)):
        return
    if weighted_quartiles(np.log(changes.means), np.array(changes.times))[1] / ratio < TYPICAL:
        return
    exposed_part = sign * min(abs(exposed), abs(delta))
    if abs(exposed_part) < MAIN_SHARE * abs(exposed):
        return
    # time slices fall on either side: what some operators take less is no part of the contention
    longer = {part: us for part, us in grown.items() if us * sign > 0}
    share = exposed_part / math.fsum(longer.values())
    explained = exposed_growth(context, {part: us * share for part, us in longer.items()}, delta)
    yield _cpu_contention(
        context, explained,
        f"mean operator time {ratio_text(math.exp(ratio))}, but fastest {'calls' if table == BY_SHAPE else 'steps'} "
        f"{ratio_text(math.exp(fastest))}",
    )  # fmt: skip


def _cpu_contention(context: RuleContext, explained: Explains, facts: str, confidence: str = "") -> Cause:
    delta = math.fsum(explained.values())

    def sentence(own: Explains) -> str:
        return contention("CPU", delta, f"{change_text(own)} per step; {facts}")

    return cause(
        context, CPU_CONTENTION, "operators", CPU_EXEC, delta, sentence, (Evidence("operators", ""),),
        explains=explained, confidence=confidence,
    )  # fmt: skip


def _changes(context: RuleContext, table: str) -> _Changes:
    columns = context.columns(table, "host_self")
    often_called = np.minimum(columns.calls_a * context.steps[0], columns.calls_b * context.steps[1]) >= MIN_CALLS
    operators = columns.of_rows(np.flatnonzero(often_called))
    # without shapes the fastest call of an operator is that on its smallest input
    fastest_of = fastest_own_calls if table == BY_SHAPE else fastest_steps
    fastest = fastest_of(context, table) if operators else {}
    ratios, weights, means, times = (list[float]() for _ in range(4))
    grown: list[tuple[Part, float]] = []
    sides = [0.0, 0.0]
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
        sides[0] += calls * amount.us_a / amount.calls_a
        sides[1] += calls * amount.us_b / amount.calls_b
        # growth of the fastest call is no interruption either
        interrupted = max(abs(amount.rate_us) - max(of_fastest, 0.0), 0.0)
        grown.append(((CPU_EXEC, key[0]), math.copysign(interrupted, amount.rate_us)))
    return _Changes(total_by_key(grown), (sides[0], sides[1]), ratios, weights, means, times)


def waiting_rules(context: RuleContext) -> Iterator[Cause]:
    """Threads of operators wait: calls of any length take one and the same time longer, or a small multiple of it,
    in the median step: one lost time slice of 20 ms in two dozen calls is 800 us per call.

    An operator on several threads is done when its last thread is. A thread that gets no core is late by a time slice,
    however short its work; operators too small for several threads do not wait. Work, clocks and interruptions lengthen
    calls in proportion to their time.
    """
    exposed = context.exposed(CPU_EXEC)
    if any(side.device.count for side in context.sides) or abs(exposed) < context.least_us:
        return
    if not (context.is_clear(CPU_EXEC) or _is_clear_of_same_work(context, exposed)):
        return
    table = table_of_calls(context)
    typical, operators = typical_steps(context, table), context.columns(table, "host_self")
    called = dict(zip(operators.keys(), (operators.calls_a + operators.calls_b).tolist(), strict=True))
    often = np.array([called[key] / 2 for key in typical])
    per_call = np.array([*typical.values()]).reshape(-1, 2).T / 1000
    alone, late = per_call if exposed > 0 else per_call[::-1]
    wait = late - alone
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
    names = [key[0] for key in typical]
    grown = total_by_key(((CPU_EXEC, names[at]), float(growth[at])) for at in np.flatnonzero(waits))
    explained = exposed_growth(context, {part: us * own / waiting for part, us in grown.items()}, own)
    delta = math.fsum(explained.values())
    example = int(np.argmax(np.where(waits, growth / np.maximum(alone, 1.0), 0.0)))
    usual = weighted_quartiles(wait[waits], often[waits])[1]
    what, more = ("wait", "longer") if delta > 0 else ("no longer wait", "less")

    def sentence(own: Explains) -> str:
        return (
            f"Operators {what} for their threads: {change_text(own)} per step; calls take about {time_text(usual)} "
            f"{more}, however short, e.g. {short(names[example])} {times_text(*per_call[:, example].tolist())}."
        )

    yield cause(
        context, WAITING_THREADS, "operators", CPU_EXEC, delta, sentence, (Evidence("operators", ""),),
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


def _is_clear_of_same_work(context: RuleContext, exposed: float) -> bool:
    """Whether the same work takes clearly longer. The machine's pace shows it by the typical step, which one long
    interruption does not affect."""
    machine = context.headline.machine
    return machine is not None and (machine.low > 0 if exposed > 0 else machine.high < 0)


def _longest_call(summary: Summary, table: str, operator: str) -> float:
    """Longest call of one operator, in microseconds per step; 0 if unknown."""
    group = summary.groups.get(table)
    if group is None or group.max_ns is None:
        return 0.0
    calls = (ns for key, ns in zip(group.keys, group.max_ns.tolist(), strict=True) if key[0] == operator)
    return max(calls, default=0) / len(summary.steps) / 1000


CPU_CONTENTION = Rule(
    names=("host_interrupted",),
    meaning="CPU contention: other work takes the CPU between and within operators",
    when="Together, many operators take 1.2 times as long on average, but their fastest calls do not. No operator "
    "makes half of the change, not counting its longest call",
    tables=("operators",),
    look_at=LOOK_AT_CPU,
    find=interruption_rules,
    rank=3,
    same_work=True,
)
WAITING_THREADS = Rule(
    names=("waiting_threads",),
    meaning="operators wait for their own threads, which get no core",
    when="Some operators take longer by about the same time, at least half a millisecond, in long and in short calls. "
    "Only without a device",
    tables=("operators",),
    look_at="more threads than free cores: torch.set_num_threads, OMP_NUM_THREADS, the container's CPU limit, other "
    "processes on these cores",
    find=waiting_rules,
    rank=2,
    same_work=True,
)
