"""Kernel launches: by a captured graph or one by one, in searches for an algorithm, and the cost of a launch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import fsum, log

from tb_perfcompare.comparison.causes.detectors.machine.uniform_slowdown import host_ratio, kernels_flat
from tb_perfcompare.comparison.causes.evidence.amounts import Amount, total
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explained, Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import (
    HOST,
    call_count_changed,
    exposed_growth,
    exposed_host,
    idle_shares,
    idle_text,
    is_same_runtime,
    slower_work,
)
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text, of_categories
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.beyond_pace import SAME_CALLS
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import number_text, numbers_text, short, signed_time, times_text
from tb_perfcompare.model.api_calls import EVENT_WAIT, GRAPH_CAPTURE, GRAPH_LAUNCH, LAUNCH
from tb_perfcompare.model.summary.categories import CPU_EXEC, RUNTIME

HALF = 0.5
"""Remaining share of graph launches below which graphs count as launched less often. Also the share of the launches'
slowdown that must be beyond the host's pace, and exposed."""

MIN_SHARE = 0.25
"""Share of the growth of all host calls that launches must explain."""

IDLE_SHARE = 0.1
"""Least share of a side's steps in which the device is idle. If it is busy, launches wait for it, not it for them:
0.03 to 0.07 on devices that became slower."""

SLOWER_LAUNCH = 1.1
"""Ratio from which a launch is slower."""

TRIED = 2.0
"""Ratio of kernels launched per call from which an operator that also times them is searching for an algorithm."""

_BLOCKING = (
    "CUDA_LAUNCH_BLOCKING in the environment (HIP_LAUNCH_BLOCKING on ROCm), as each launch takes as long as a kernel "
    "on one side only; CPU clock and load"
)


def more_captures(context: RuleContext) -> int:
    """1 if the candidate captures graphs more often in its steps, -1 if less often, else 0."""
    captures = total(context.called(GRAPH_CAPTURE).values())
    if not call_count_changed(captures.calls_a, captures.calls_b):
        return 0
    return 1 if captures.more_calls > 0 else -1


def capture_rules(context: RuleContext, explained: Explained) -> Iterator[Cause]:
    """One side captures graphs in its steps. This explains the host's exposed time that no other cause explains:
    while a graph is captured, its operators run on the host only, and around it the device is waited for."""
    sign = context.once(more_captures)
    moved = explained.left(context, HOST)
    delta = fsum(moved.values())
    if not sign or not is_same_runtime(context) or sign * delta < context.least_us:
        return
    captures = total(context.called(GRAPH_CAPTURE).values())
    name = max(context.called(GRAPH_CAPTURE))
    sentence = (
        f"Graphs are {'captured' if sign > 0 else 'no longer captured'} in the step: {signed_time(delta)} host time "
        f"per step; {numbers_text(captures.calls_a, captures.calls_b)} captures per step{idle_text(context, delta)}."
    )
    yield cause(
        context, GRAPH_CAPTURES, name, RUNTIME, delta, sentence, (Evidence("ledger", f"{RUNTIME} / {name}"),),
        explains=of_categories(moved),
    )  # fmt: skip


def search_rules(context: RuleContext) -> Iterator[Cause]:
    """Operators launch many times as many kernels per call and wait for their events: the library tries algorithms
    and times them. This explains all exposed time of these operators."""
    waits, launches = context.callers(EVENT_WAIT), context.callers(LAUNCH)
    operators = {key[0]: amount for key, amount in context.amounts("operators", "host_total").items()}
    known = operators.keys() & waits.keys() & launches.keys()
    for sign in (1, -1):
        names = [name for name in known if _searches(operators[name], waits[name], launches[name], sign)]
        explains = _time_of_operators(context, names)
        delta = fsum(explains.values())
        if sign * delta < context.least_us or not names:
            continue
        names.sort(key=lambda name: (-abs(operators[name].delta_us), name))
        calls = total(operators[name] for name in names)
        kernels = total(launches[name] for name in names)
        yield _search_cause(context, names, calls, kernels, explains)


def _search_cause(
    context: RuleContext, names: Sequence[str], calls: Amount, kernels: Amount, explains: Mapping[Part, float]
) -> Cause:
    """The finding on these operators, largest first, with all their calls and the kernels that they launch."""
    delta = fsum(explains.values())
    who, launch, time = short(names[0]), "launches", "times"
    if len(names) > 1:
        who, launch, time = f"{who} and {len(names) - 1} more", "launch", "time"

    def sentence(own: Explains) -> str:
        return (
            f"The library {'searches' if delta > 0 else 'no longer searches'} for algorithms: {change_text(own)} per "
            f"step; {who} {launch} "
            f"{numbers_text(kernels.calls_a / calls.calls_a, kernels.calls_b / calls.calls_b)} kernels per call and "
            f"{time} them."
        )

    return cause(
        context, ALGORITHM_SEARCH, names[0], CPU_EXEC, delta, sentence, (Evidence("operators", names[0]),),
        explains=explains,
    )  # fmt: skip


def _searches(called: Amount, waited: Amount, launched: Amount, sign: int) -> bool:
    """Whether an operator that is called as often launches many times as many kernels, and waits once more per call."""
    few, many = (launched.calls_a, launched.calls_b)[::sign]
    calls = min(called.calls_a, called.calls_b)
    as_often = abs(called.more_calls) <= SAME_CALLS * calls
    return as_often and sign * waited.more_calls >= calls and many >= TRIED * few


def _time_of_operators(context: RuleContext, names: Collection[str]) -> dict[Part, float]:
    """Change of the exposed time of operators, of the API calls in them and of what these launch."""
    parts = defaultdict[Part, list[float]](list)
    for sign, side in ((-1, context.baseline), (1, context.candidate)):
        split = side.owned.parts
        if split is None:
            return {}
        for (category, entity, caller, _), ns in zip(split.keys, split.totals()[0].tolist(), strict=True):
            if (entity if category == CPU_EXEC else caller) in names:
                parts[category, entity].append(sign * ns / len(side.steps) / 1000)
    return {part: fsum(times) for part, times in parts.items()}


def graph_lost(context: RuleContext) -> int:
    """1 if the candidate launches single kernels in place of graphs, -1 if the baseline does, else 0."""
    if not is_same_runtime(context):
        return 0
    graph, single = (total(context.called(role).values()) for role in (GRAPH_LAUNCH, LAUNCH))
    few, many = sorted((graph.calls_a, graph.calls_b))
    if not few < HALF * many or graph.more_calls * single.more_calls >= 0:
        return 0
    return 1 if graph.more_calls < 0 else -1


def graph_rules(context: RuleContext, explained: Explained) -> Iterator[Cause]:
    """One side launches a captured graph, the other single kernels. This explains the host's exposed time that no
    other cause explains."""
    sign = context.once(graph_lost)
    moved = explained.left(context, HOST)
    delta = fsum(moved.values())
    if not sign or sign * delta < context.least_us:
        return
    graphs = context.called(GRAPH_LAUNCH)
    graph, single = total(graphs.values()), total(context.called(LAUNCH).values())
    name = max(graphs, key=lambda one: (graphs[one].calls_a + graphs[one].calls_b, one))
    sentence = (
        f"{'Fewer' if sign > 0 else 'More'} graph launches: {signed_time(delta)} host time per step; graph launches "
        f"{numbers_text(graph.calls_a, graph.calls_b)} per step, single kernel launches "
        f"{numbers_text(single.calls_a, single.calls_b)}."
    )
    yield cause(
        context, GRAPH_LOST, name, RUNTIME, delta, sentence, (Evidence("ledger", f"{RUNTIME} / {name}"),),
        explains=of_categories(moved),
    )  # fmt: skip


def launch_rules(context: RuleContext) -> Iterator[Cause]:
    """Each launch takes longer, beyond a uniform slowdown of the host, and the device waits for it."""
    launched = context.called(LAUNCH)
    launches, exposed = total(launched.values()), fsum(exposed_host(context).values())
    if not is_same_runtime(context) or not (launches.us_a and launches.us_b):
        return
    if abs(exposed) < context.least_us or not context.is_clear(*HOST):
        return
    sign, way = (1, "slower") if exposed > 0 else (-1, "faster")
    means = launches.us_a / launches.calls_a, launches.us_b / launches.calls_b
    if sign * log(means[1] / means[0]) < log(SLOWER_LAUNCH):
        return
    if context.called(GRAPH_LAUNCH):  # the single launches outside graphs are others
        return
    if max(idle_shares(context)) < IDLE_SHARE:  # a full launch queue delays launches, too
        return
    grown = launches.rate_us - launches.paced_us(host_ratio(context) or 1.0)
    if sign * grown < max(context.least_us, HALF * abs(launches.rate_us), MIN_SHARE * abs(slower_work(context))):
        return
    own: dict[Part, float] = {
        (RUNTIME, row.path[1]): row.delta / context.unit
        for row in context.entities(RUNTIME) if row.path[1] in launched
    }  # fmt: skip
    explained = exposed_growth(context, own, grown)
    delta = fsum(explained.values())
    # if launches make most of the host's slowdown, the device may hide much of it
    makes_most = sign * grown >= HALF * abs(slower_work(context))
    whole = min(abs(grown), abs(exposed)) if makes_most else abs(grown)
    if sign * delta < max(context.least_us, HALF * whole):
        return
    flat = kernels_flat(context)

    def sentence(own: Explains) -> str:
        return (
            f"Kernel launches are {way}: {change_text(own)} per step; each launch takes {times_text(*means)} "
            f"({number_text(launches.calls_b)} launches per step){', kernel time unchanged' if flat else ''}; "
            f"the device waits {'for' if sign > 0 else 'less for'} the CPU{idle_text(context, delta)}."
        )

    yield cause(
        context, LAUNCH_BOUND, "launches", RUNTIME, delta, sentence, (Evidence("ledger", RUNTIME),),
        confidence=f"launch calls {way}{', kernels unchanged' if flat else ''}",
        look_at=_BLOCKING if _block(context, means[0]) != _block(context, means[1]) else "", explains=explained,
    )  # fmt: skip


def _block(context: RuleContext, launch_us: float) -> bool:
    """Whether a launch takes at least as long as a kernel, as if it waited for it."""
    kernels = total(context.amounts("kernels").values())
    calls = kernels.calls_a + kernels.calls_b
    return calls > 0 and launch_us >= (kernels.us_a + kernels.us_b) / calls


GRAPH_LOST = Rule(
    names=("graph_lost", "graph_gained"),
    meaning="graph launches became single launches",
    when="Graph launches at least halved, while single kernel launches increased. It explains the rest of the host's "
    "time",
    tables=("kernels",),
    look_at="CUDA graph capture: changing shapes, operators that cannot be captured, mode='reduce-overhead'",
    look_at_gain="CUDA graph capture",
    confidence="certain: calls are counted",
    find_rest=graph_rules,
    order=1,
)
GRAPH_CAPTURES = Rule(
    names=("graph_captures",),
    meaning="graphs are captured in the steps, not once before them",
    when="Graphs are instantiated more often per step. It explains the rest of the host's time",
    tables=("kernels",),
    look_at="what is new in each step: input shapes, addresses or streams; each needs a graph of its own, also with "
    "torch.compile's mode='reduce-overhead'",
    confidence="certain: calls are counted",
    find_rest=capture_rules,
)
ALGORITHM_SEARCH = Rule(
    names=("algorithm_search",),
    meaning="a library tries algorithms within the steps",
    when="An operator called as often launches at least twice as many kernels per call, and waits for an event at "
    "least once more per call. It explains all time of such operators",
    tables=("operators",),
    look_at="torch.backends.cudnn.benchmark while input shapes vary: each new shape is searched for. Pad or bucket "
    "the inputs, or switch it off",
    confidence="certain: calls are counted",
    find=search_rules,
)
LAUNCH_BOUND = Rule(
    names=("launch_bound",),
    meaning="launching takes longer, the device waits",
    when="Each launch takes at least 1.1 times as long, beyond any uniform slowdown, and half of this increase is "
    "exposed",
    tables=("kernels",),
    look_at="CPU clock and load, profiling hooks, driver version; fewer or larger kernels, CUDA graphs",
    find=launch_rules,
    rank=2,
)
