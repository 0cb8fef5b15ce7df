"""Other kernels do the same work: no longer compiled, without tensor cores, or one kernel became many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from math import fsum

import numpy as np

from tb_perfcompare.comparison.causes.detectors.compiled_regions import compiled_on_one_side, regions_clause
from tb_perfcompare.comparison.causes.evidence.cause import Cause, Part, Rule, cause
from tb_perfcompare.comparison.causes.evidence.host_time import is_same_runtime
from tb_perfcompare.comparison.causes.evidence.inputs import INPUTS, other_inputs
from tb_perfcompare.comparison.causes.evidence.kernels_by_enclosing_operator import kernels_below
from tb_perfcompare.comparison.causes.evidence.rates import rate_clause, tensor_cores_by_rate
from tb_perfcompare.comparison.causes.evidence.rule_context import NOTHING, Amount, RuleContext, total, total_by_key
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.ledger_rows import STATUSES, LedgerRow
from tb_perfcompare.comparison.result.wording import (
    many,
    number_text,
    numbers_text,
    short,
    short_apart,
    signed_time,
    time_text,
)
from tb_perfcompare.model.api_calls import LAUNCH, calls
from tb_perfcompare.model.arrays import are_in
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

KERNEL = "Kernel"

MOST = 0.5
"""Share of an operator's kernel time that must be in other kernels, on both sides."""

SAME_CALLS = 0.1
"""An operator is called as often if its calls changed by at most this."""

FEWER = 0.2
"""Generated kernels run less often if their launches fell by at least this."""

OPPOSITE = 0.1
"""Operators that change in the opposite direction have a separate finding if they make this share of the others'
change, or of the step's."""

_NAMED = 2
"""Further operators that a sentence names."""

GENERATED = ("triton_",)
"""Beginnings of names of kernels that a compiler wrote."""


_WHAT = {
    "tensor_cores_lost": "Tensor cores are no longer used",
    "tensor_cores_gained": "Tensor cores are now used",
    "fusion_lost": "Fusion lost",
    "fusion_gained": "Fusion gained",
    "kernel_replaced": "A different kernel does the work",
}


@dataclass(frozen=True, slots=True)
class _Swap:
    """The kernels of one operator that are gone, those that are new, and the sum of all."""

    operator: str
    gone: Mapping[str, Amount]
    new: Mapping[str, Amount]
    all_kernels: Amount

    @property
    def before(self) -> Amount:
        return total(self.gone.values())

    @property
    def after(self) -> Amount:
        return total(self.new.values())

    @property
    def delta_us(self) -> float:
        """Change of all kernels of the operator, as one may gain what another loses."""
        return self.all_kernels.delta_us

    @property
    def explains(self) -> dict[tuple[str, str], float]:
        return {(KERNEL, name): amount.delta_us for name, amount in (*self.gone.items(), *self.new.items())}


def substitution_rules(pair: RuleContext) -> Iterator[Cause]:
    """Other kernels in the same places."""
    direct = _swaps(pair)
    named = {name for swap in direct for name in (*swap.gone, *swap.new)}
    swaps = [*direct, *_swaps_below(pair, named)]
    yield from list(_compiled(pair)) or compiled_on_one_side(pair)
    yield from _substituted(pair, [swap for swap in swaps if not _generated(swap)])


def _compiled(pair: RuleContext) -> Iterator[Cause]:
    """Generated kernels run less (more) often, and kernels that only one side has run instead."""
    rows = pair.entities(KERNEL)
    is_generated = np.array([name.startswith(GENERATED) for name in rows.key], dtype=bool)
    if not is_generated.any():
        return
    generated = rows.picked(is_generated)
    for side, came, sign in ((0, "added", 1), (1, "removed", -1)):
        fewer = [row for row in generated if row.calls[1 - side] <= (1 - FEWER) * row.calls[side]]
        plain = rows.picked((rows.status == STATUSES.index(came)) & ~is_generated)
        # code that is compiled in another way has new generated kernels instead
        others = [row for row in generated if row.calls[side] <= (1 - FEWER) * row.calls[1 - side]]
        if not fewer or not plain or others:
            continue
        explained = {(KERNEL, row.path[1]): pair.counted_us(row) for row in (*fewer, *plain)}
        explained |= _launching(pair, sum(row.calls[1] - row.calls[0] for row in (*fewer, *plain)))
        if sign * fsum(explained.values()) >= pair.least_us:
            yield _of_compiler(pair, fewer, plain, explained)
            return


def _of_compiler(
    pair: RuleContext, generated: list[LedgerRow], plain: list[LedgerRow], explained: dict[Part, float]
) -> Cause:
    delta = fsum(explained.values())
    first, other = (max(rows, key=lambda row: (abs(row.delta), row.path)) for rows in (generated, plain))
    lost = delta > 0
    counts = [sum(row.calls[side] for row in generated) for side in (0, 1)]
    compiled, usual = short_apart(first.path[1], other.path[1])
    sentence = (
        f"{'Less' if lost else 'More'} code is compiled: {signed_time(delta)} per step{_of_it(explained)}; "
        f"{many(len(generated), 'generated kernel')}, e.g. {compiled}: {numbers_text(*counts)} launches per step; "
        f"{many(len(plain), 'plain kernel')}, e.g. {usual}, {'is' if len(plain) == 1 else 'are'} "
        f"{'new' if lost else 'gone'}{regions_clause(pair)}."
    )
    return cause(
        pair, COMPILATION_LOST, first.path[1], KERNEL, delta, sentence,
        (Evidence("kernels", first.path[1]), Evidence("kernels", other.path[1])), explains=explained,
    )  # fmt: skip


def _generated(swap: _Swap) -> bool:
    return any(name.startswith(GENERATED) for name in (*swap.gone, *swap.new))


def _as_often(calls: Amount) -> bool:
    most = max(calls.calls_a, calls.calls_b)
    return most > 0 and abs(calls.more_calls) <= SAME_CALLS * most


def _swaps(pair: RuleContext) -> list[_Swap]:
    """Operators called as often that launch other kernels themselves, largest change first."""
    columns = pair.columns("kernels_by_operator")
    if not len(columns.joined):
        return []
    operators = columns.joined.parts[1]
    gone = operators[(columns.calls_b < columns.calls_a) & (columns.us_b == 0)]
    new = operators[(columns.calls_a < columns.calls_b) & (columns.us_a == 0)]
    rows = np.flatnonzero(are_in(operators, gone) & are_in(operators, new))
    by_operator: dict[str, dict[str, Amount]] = {}
    for (kernel, operator), amount in columns.of_rows(rows).items():
        by_operator.setdefault(operator, {})[kernel] = amount
    found = []
    called = pair.amounts("operators", "host_total") if by_operator else {}
    for operator, kernels in by_operator.items():
        if not _as_often(called.get((operator,), NOTHING)):
            continue
        less = {name: amount for name, amount in kernels.items() if amount.calls_b < amount.calls_a and not amount.us_b}
        more = {name: amount for name, amount in kernels.items() if amount.calls_a < amount.calls_b and not amount.us_a}
        swap = _Swap(operator, less, more, total(kernels.values()))
        if less and more and _holds_most(swap, swap.all_kernels):
            found.append(swap)
    found.sort(key=lambda swap: (-abs(swap.delta_us), swap.operator))
    return found


def _swaps_below(pair: RuleContext, named: set[str]) -> list[_Swap]:
    """The same for operators whose kernels are launched by other operators below them: one side's kernels against the
    other's, below the innermost operator that both sides have."""
    found = []
    for operator, below in kernels_below(pair).items():
        if not _as_often(below.calls):
            continue
        gone = {name: amount for name, amount in below.kernels.items() if not amount.calls_b and name not in named}
        new = {name: amount for name, amount in below.kernels.items() if not amount.calls_a and name not in named}
        swap = _Swap(operator, gone, new, total((*gone.values(), *new.values())))
        if gone and new and _holds_most(swap, below.all_kernels):
            found.append(swap)
    return found


def _holds_most(swap: _Swap, every: Amount) -> bool:
    return swap.before.us_a >= MOST * every.us_a and swap.after.us_b >= MOST * every.us_b


def _substituted(pair: RuleContext, swaps: list[_Swap]) -> Iterator[Cause]:
    """One finding for all operators whose kernels were replaced in the same way."""
    groups: dict[str, list[_Swap]] = {}
    by_rate = tensor_cores_by_rate(pair)
    uses = _uses_tensor_cores(pair.baseline, by_rate[0]), _uses_tensor_cores(pair.candidate, by_rate[1])
    for swap in swaps:
        given = other_inputs(pair, swap.operator)
        groups.setdefault(_kind(swap, *uses) if given is None else given.rule, []).append(swap)
    for name, members in ((name, part) for name, whole in groups.items() for part in _one_way(pair, whole)):
        explained: dict[Part, float] = total_by_key(part for swap in members for part in swap.explains.items())
        explained |= _launching(pair, sum(swap.all_kernels.more_calls for swap in members))
        others = (us for part, us in explained.items() if part[0] != KERNEL)
        delta = fsum((*(swap.delta_us for swap in members), *others))
        if abs(delta) >= pair.least_us:
            yield _of_swaps(pair, name, members, delta, explained)


def _one_way(pair: RuleContext, members: list[_Swap]) -> list[list[_Swap]]:
    """Slower and faster operators as separate groups if both make a good part, because a sum would hide both; else one
    group."""
    parts = [[swap for swap in members if sign * swap.delta_us > 0] for sign in (1, -1)]
    more, less = (abs(fsum(swap.delta_us for swap in part)) for part in parts)
    if min(more, less) < max(pair.least_us, OPPOSITE * min(max(more, less), abs(pair.delta_us))):
        return [members]
    return sorted(parts, key=lambda part: -abs(fsum(swap.delta_us for swap in part)))


def _launching(pair: RuleContext, more: float) -> dict[Part, float]:
    """Part -> launch time of so many more (fewer) kernels, as a share of that of all additional launches."""
    rows = [row for row in pair.entities("Runtime") if calls(LAUNCH, row.path[1])]
    every = sum(row.calls[1] - row.calls[0] for row in rows)
    if more * every <= 0 or not is_same_runtime(pair):
        return {}
    share = min(1.0, more / every)
    counted = {("Runtime", row.path[1]): pair.counted_us(row) * share for row in rows}
    return {part: us for part, us in counted.items() if us * more > 0}


def _others(members: list[_Swap]) -> str:
    """ "; likewise under 5 other operators, mainly aten::mm +2.08 ms, aten::add -712 µs"."""
    rest = members[1:]
    if not rest:
        return ""
    named = ", ".join(f"{short(swap.operator)} {signed_time(swap.delta_us)}" for swap in rest[:_NAMED])
    others = f"{len(rest)} other operators, mainly " if len(rest) > _NAMED else ""
    return f"; likewise under {others}{named}"


def _of_it(explained: dict[Part, float]) -> str:
    """ ", 63.0 µs of it for launching"."""
    host = fsum(us for (category, _), us in explained.items() if category != KERNEL)
    return f", {time_text(abs(host))} of it for launching" if host else ""


def _of_swaps(pair: RuleContext, name: str, members: list[_Swap], delta: float, explained: dict[Part, float]) -> Cause:
    first = max(members, key=lambda swap: (abs(swap.delta_us), swap.operator))
    old = max(first.gone, key=lambda name: (first.gone[name].us_a, name))
    new = max(first.new, key=lambda name: (first.new[name].us_b, name))
    inputs = other_inputs(pair, first.operator)
    others = _others(sorted(members, key=lambda swap: (-abs(swap.delta_us), swap.operator)))
    what = _WHAT.get(name, "An operator has other inputs")
    old_text, new_text = short_apart(old, new)
    if not is_same_runtime(pair):
        what = "Different kernels on a different device"
    sentence = (
        f"{what}: {signed_time(delta)} per step{_of_it(explained)}; {short(first.operator)}"
        f"{f', {inputs.clause},' if inputs is not None else ''} launches {new_text} ({time_text(first.after.us_b)}, "
        f"{number_text(first.after.calls_b)} per step) instead of {old_text} "
        f"({time_text(first.before.us_a)}, {number_text(first.before.calls_a)} per step)"
        f"{rate_clause(pair, first.operator)}{others}."
    )
    return cause(
        pair, _SUBSTITUTIONS.get(name, KERNEL_REPLACED), old if inputs is None else first.operator, KERNEL, delta,
        sentence, (Evidence("kernels", old), Evidence("kernels", new), Evidence("operators", first.operator)),
        name=name, look_at="" if inputs is None else INPUTS, explains=explained,
    )  # fmt: skip


def _kind(swap: _Swap, used_before: Mapping[str, float] | None, used_after: Mapping[str, float] | None) -> str:
    """What kind of replacement explains the change: what is lost costs time, what is gained saves it."""
    before, after = _tensor_share(used_before, swap.gone), _tensor_share(used_after, swap.new)
    slower, calls = swap.delta_us > 0, swap.all_kernels
    if before is not None and after is not None and abs(after - before) >= MOST and slower == (after < before):
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
    """Share of these kernels' time in kernels that use tensor cores."""
    time = {name: max(amount.us_a, amount.us_b) for name, amount in kernels.items()}
    all_time = fsum(time.values())
    if uses is None or not all_time:
        return None
    return fsum(us for name, us in time.items() if uses.get(name) == 1.0) / all_time


_CERTAIN = "certain: the same operator, called as often, launches other kernels"
_LIBRARIES = "cudnn.benchmark, library versions, attention backends, shapes and strides of the inputs"

COMPILATION_LOST = Rule(
    names=("compilation_lost", "compilation_gained"),
    meaning="eager code instead of compiled",
    when="`triton_...` kernels run at least a fifth less often, and kernels that only this side has run instead",
    needs="kernels",
    look_at="torch.compile: graph breaks, recompilations, a fallback to eager mode",
    look_at_gain="torch.compile",
    confidence="certain: launches are counted; generated kernels are recognised by name",
    find=substitution_rules,
    rank=1,
)
FUSION_LOST = Rule(
    names=("fusion_lost", "fusion_gained"),
    meaning="one kernel became several, or the reverse",
    when="An operator called as often launches other kernels, at least twice as many, and they take longer (shorter). "
    "Also if a new operator below an operator of both sides launches them",
    needs="kernels of operators",
    look_at=_LIBRARIES,
    confidence=_CERTAIN,
    find=substitution_rules,
    rank=2,
    same_work=True,
)
TENSOR_CORES_LOST = Rule(
    names=("tensor_cores_lost", "tensor_cores_gained"),
    meaning="an operator's kernels stopped (started) using tensor cores, by their names or their rates",
    when="The same, but half of the time moved between kernels with and without tensor cores",
    needs="kernels of operators",
    look_at="data types, allow_tf32, shapes not divisible by 8, library versions",
    look_at_gain="data types, allow_tf32, library versions",
    confidence=_CERTAIN,
    find=substitution_rules,
    rank=2,
    same_work=True,
)
KERNEL_REPLACED = Rule(
    names=("kernel_replaced",),
    meaning="another algorithm; between two kinds of device: their kernels",
    when="The same, for any other replacement",
    needs="kernels of operators",
    look_at=_LIBRARIES,
    confidence=_CERTAIN,
    find=substitution_rules,
    rank=2,
    same_work=True,
)
_SUBSTITUTIONS = {name: rule for rule in (FUSION_LOST, TENSOR_CORES_LOST) for name in rule.names}
