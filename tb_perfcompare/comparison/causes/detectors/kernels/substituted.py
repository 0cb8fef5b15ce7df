"""Different kernels do the same work: without tensor cores, several instead of one, or another algorithm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from math import fsum

from tb_perfcompare.comparison.causes.detectors.kernels.kernel_swaps import MAIN_SHARE, KernelSwap, kernel_swaps
from tb_perfcompare.comparison.causes.detectors.kernels.launch_time import launch_time, launch_time_clause
from tb_perfcompare.comparison.causes.detectors.kernels.moving_data import counted_copies, only_moves_data
from tb_perfcompare.comparison.causes.evidence.amounts import Amount, total_by_key
from tb_perfcompare.comparison.causes.evidence.explained import Cause, Explains, Part
from tb_perfcompare.comparison.causes.evidence.host_time import is_same_runtime
from tb_perfcompare.comparison.causes.evidence.inputs import INPUTS, changed_arguments, other_inputs
from tb_perfcompare.comparison.causes.evidence.rule import Rule, cause, change_text
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.causes.evidence.speed.rates import rate_clause, tensor_cores_by_rate
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.wording import and_others, number_text, short, short_apart, signed_time, time_text
from tb_perfcompare.model.names.ranges import OPTIMIZER_STEP
from tb_perfcompare.model.summary.categories import KERNEL
from tb_perfcompare.model.summary.summary import Summary

OPPOSITE = 0.1
"""Least share of the other operators' change, or of the step's, for operators that change in the opposite direction
to have a separate finding."""

_MAX_NAMED = 2
"""Further operators that a sentence names."""

_WHAT = {
    "tensor_cores_lost": "Tensor cores are no longer used",
    "tensor_cores_gained": "Tensor cores are now used",
    "fusion_lost": "Fusion lost",
    "fusion_gained": "Fusion gained",
    "kernel_replaced": "A different kernel does the work",
}


def substitution_rules(context: RuleContext) -> Iterator[Cause]:
    """Yields one cause for all operators whose kernels were replaced in the same way."""
    # further copies around the same work are a cause of their own
    swaps = [swap for swap in kernel_swaps(context, counted_copies(context)) if not swap.is_generated]
    groups: dict[str, list[KernelSwap]] = {}
    by_rate = tensor_cores_by_rate(context)
    uses = _uses_tensor_cores(context.baseline, by_rate[0]), _uses_tensor_cores(context.candidate, by_rate[1])
    for swap in swaps:
        given = other_inputs(context, swap.operator)
        groups.setdefault(_kind(swap, *uses) if given is None else given.rule, []).append(swap)
    for name, members in ((name, part) for name, whole in groups.items() for part in _by_direction(context, whole)):
        explained: dict[Part, float] = total_by_key(part for swap in members for part in swap.explains.items())
        explained |= launch_time(context, sum(swap.all_kernels.more_calls for swap in members))
        others = (us for part, us in explained.items() if part[0] != KERNEL)
        delta = fsum((*(swap.delta_us for swap in members), *others))
        if abs(delta) >= context.least_us:
            yield _substitution_cause(context, name, members, delta, explained)


def _by_direction(context: RuleContext, members: list[KernelSwap]) -> list[list[KernelSwap]]:
    """Slower and faster operators as separate groups if both make a substantial part, because a sum would hide both;
    else one group."""
    parts = [[swap for swap in members if sign * swap.delta_us > 0] for sign in (1, -1)]
    more, less = (abs(fsum(swap.delta_us for swap in part)) for part in parts)
    if min(more, less) < max(context.least_us, OPPOSITE * min(max(more, less), abs(context.delta_us))):
        return [members]
    return sorted(parts, key=lambda part: -abs(fsum(swap.delta_us for swap in part)))


def _others_clause(members: list[KernelSwap]) -> str:
    """Clause on further operators: "; likewise under 5 other operators, mainly aten::mm +2.08 ms, aten::add -712
    µs"."""
    rest = members[1:]
    if not rest:
        return ""
    named = ", ".join(f"{short(swap.operator)} {signed_time(swap.delta_us)}" for swap in rest[:_MAX_NAMED])
    others = f"{len(rest)} other operators, mainly " if len(rest) > _MAX_NAMED else ""
    return f"; likewise under {others}{named}"


def _substitution_cause(
    context: RuleContext, name: str, members: list[KernelSwap], delta: float, explained: dict[Part, float]
) -> Cause:
    first = max(members, key=lambda swap: (abs(swap.delta_us), swap.operator))
    old = max(first.gone, key=lambda name: (first.gone[name].us_a, name))
    new = max(first.new, key=lambda name: (first.new[name].us_b, name))
    inputs = other_inputs(context, first.operator)
    called = None if inputs is not None else changed_arguments(context, first.operator)
    changed = inputs or called
    others = _others_clause(sorted(members, key=lambda swap: (-abs(swap.delta_us), swap.operator)))
    what = _WHAT.get(name, "An operator has other inputs")
    of_optimizer = _OPTIMIZER if first.operator.startswith(OPTIMIZER_STEP) else ""
    look_at = INPUTS if inputs is not None else of_optimizer if called is None else called.look_at
    old_text, new_text = short_apart(old, new)
    if not is_same_runtime(context):
        what, look_at = "Different kernels on a different device", look_at or _TWO_DEVICES

    def sentence(own: Explains) -> str:
        return (
            f"{what}: {change_text(own)} per step{launch_time_clause(own)}; {short(first.operator)}"
            f"{f', {changed.clause},' if changed is not None else ''} launches "
            f"{new_text}{and_others(len(first.new) - 1)} "
            f"({time_text(first.after.us_b)}, {number_text(first.after.calls_b)} per step) instead of "
            f"{old_text}{and_others(len(first.gone) - 1)} "
            f"({time_text(first.before.us_a)}, {number_text(first.before.calls_a)} per step)"
            f"{rate_clause(context, first.operator, other_arguments=called is not None)}{others}."
        )

    return cause(
        context, _SUBSTITUTIONS.get(name, KERNEL_REPLACED), old if inputs is None else first.operator, KERNEL, delta,
        sentence, (Evidence("kernels", old), Evidence("kernels", new), Evidence("operators", first.operator)),
        name=name, look_at=look_at, explains=explained,
    )  # fmt: skip


def _kind(swap: KernelSwap, used_before: Mapping[str, float] | None, used_after: Mapping[str, float] | None) -> str:
    """Name of the rule for the replacement: a loss costs time, a gain saves it."""
    before, after = _tensor_share(used_before, swap.gone), _tensor_share(used_after, swap.new)
    slower, calls = swap.delta_us > 0, swap.all_kernels
    if before is not None and after is not None and abs(after - before) >= MAIN_SHARE and slower == (after < before):
        return "tensor_cores_lost" if slower else "tensor_cores_gained"
    if slower and calls.calls_b >= 2 * calls.calls_a:
        return "fusion_lost"
    if not slower and calls.calls_a >= 2 * calls.calls_b:
        return "fusion_gained"
    return "kernel_replaced"


def _uses_tensor_cores(summary: Summary, by_rate: Set[str]) -> dict[str, float] | None:
    """Kernel -> 1.0 if it uses tensor cores, by name or rate; None if names do not say."""
    table = summary.groups.get("kernels")
    if table is None or "tensor_cores" not in table.facts:
        return None
    by_name = zip((key[0] for key in table.keys), table.facts["tensor_cores"].tolist(), strict=True)
    return {name: 1.0 if name in by_rate else uses for name, uses in by_name}


def _tensor_share(uses: Mapping[str, float] | None, kernels: Mapping[str, Amount]) -> float | None:
    """Share of these kernels' time in kernels that use tensor cores, copies beside others left out; None if
    unknown."""
    computing = {name: amount for name, amount in kernels.items() if not only_moves_data(name)}
    time = {name: max(amount.us_a, amount.us_b) for name, amount in (computing or kernels).items()}
    all_time = fsum(time.values())
    if uses is None or not all_time:
        return None
    return fsum(us for name, us in time.items() if uses.get(name) == 1.0) / all_time

_CERTAIN = "certain: the same operator, called as often, launches other kernels"
_LIBRARIES = "cudnn.benchmark, library versions, attention backends, shapes and strides of the inputs"
_OPTIMIZER = "foreach=, fused= and capturable= of the optimizer"
_TWO_DEVICES = "which library each device runs it with, its version and tuning; attention backends, data types"

FUSION_LOST = Rule(
    names=("fusion_lost", "fusion_gained"),
    meaning="one kernel became several, or the reverse",
    when="An operator that runs as often, or a new one inside an operator of both sides, launches other kernels: at "
    "least twice as many, which take longer (shorter)",
    tables=("kernels",),
    look_at=_LIBRARIES,
    confidence=_CERTAIN,
    find=substitution_rules,
    rank=2,
    same_work=True,
)
TENSOR_CORES_LOST = Rule(
    names=("tensor_cores_lost", "tensor_cores_gained"),
    meaning="an operator's kernels stopped (started) using tensor cores, by their names or their rates",
    when="As `fusion_lost`, with any number of kernels, but half of the time moved between kernels with and without "
    "tensor cores",
    tables=("kernels",),
    look_at="data types, allow_tf32, shapes not divisible by 8, library versions",
    look_at_gain="data types, allow_tf32, library versions",
    confidence=_CERTAIN,
    find=substitution_rules,
    rank=2,
    same_work=True,
    of_library=True,
)
KERNEL_REPLACED = Rule(
    names=("kernel_replaced",),
    meaning="another algorithm; between kinds of devices: their kernels",
    when="As `fusion_lost`, for any other replacement of kernels",
    tables=("kernels",),
    look_at=_LIBRARIES,
    confidence=_CERTAIN,
    find=substitution_rules,
    rank=2,
    same_work=True,
)
_SUBSTITUTIONS = {name: rule for rule in (FUSION_LOST, TENSOR_CORES_LOST) for name in rule.names}
