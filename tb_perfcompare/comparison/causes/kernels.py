"""Kernels: one of them slower, another one in its place, many where one was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tb_perfcompare.comparison.causes.cause import Cause, category_confidence, cause
from tb_perfcompare.comparison.causes.pair import NOTHING, Amount, Pair, total
from tb_perfcompare.comparison.causes.wording import more_or_less, number_text, short, time_text
from tb_perfcompare.comparison.comparison import Evidence, LedgerRow
from tb_perfcompare.comparison.statistics.uniform_ratio import uniform_ratio
from tb_perfcompare.model.summary import Summary

KERNEL = "Kernel"

MOST = 0.5
"""Share of a category's change that one kernel, or one operator's kernels, must make to be its cause."""

SAME_CALLS = 0.1
"""An operator is called as often if its calls changed by at most this."""

GENERATED = ("triton_", "triton__")
"""Beginnings of names of kernels that a compiler wrote."""

COPYING = ("direct_copy", "nchwtonhwc", "nhwctonchw", "catarraybatchedcopy", "copy_kernel", "transpose", "permute")
"""Parts of names, without case, of kernels that only move data."""


@dataclass(frozen=True, slots=True)
class _Swap:
    """The kernels of one operator that went, those that came, and all of them together."""

    operator: str
    gone: dict[str, Amount]
    new: dict[str, Amount]
    every: Amount

    @property
    def before(self) -> Amount:
        return total(self.gone.values())

    @property
    def after(self) -> Amount:
        return total(self.new.values())

    @property
    def delta_us(self) -> float:
        """Change of all the operator's kernels: what one algorithm loses others of the same operator may gain."""
        return self.every.delta_us


def kernel_rules(pair: Pair) -> Iterator[Cause]:
    """Causes in the kernels themselves."""
    swaps = _swaps(pair)
    yield from _compiled(pair)
    yield from _substituted(pair, [swap for swap in swaps if not _generated(swap)])
    yield from _copies(pair)
    yield from _slower(pair)


def _compiled(pair: Pair) -> Iterator[Cause]:
    """Generated kernels on one side, the operators they were made from on the other."""
    rows = [row for row in pair.entities(KERNEL) if row.status != "both"]
    for gone, came, sign in (("removed", "added", 1), ("added", "removed", -1)):
        generated = [row for row in rows if row.status == gone and row.path[1].startswith(GENERATED)]
        plain = [row for row in rows if row.status == came and not row.path[1].startswith(GENERATED)]
        if not generated or not plain:
            continue
        delta = sum(row.delta for row in (*generated, *plain)) / pair.unit
        if abs(delta) < pair.least_us or (delta > 0) != (sign > 0):
            continue
        first = max(generated, key=lambda row: (abs(row.delta), row.path))
        other = max(plain, key=lambda row: (abs(row.delta), row.path))
        sentence = (
            f"Compiled code {'is gone' if sign > 0 else 'is new'}: {len(generated)} generated kernel(s) such as "
            f"{short(first.path[1])} stand against {len(plain)} kernel(s) such as {short(other.path[1])}; together "
            f"{more_or_less(delta)} per step."
        )
        yield cause(
            pair, "fusion_lost" if sign > 0 else "fusion_gained", first.path[1], KERNEL, delta, sentence,
            (Evidence("kernels", first.path[1]), Evidence("kernels", other.path[1])),
            confidence="by the names of the kernels",
            look_at="torch.compile: graph breaks, recompilations, a fallback to eager mode",
            explains={KERNEL: delta}, rank=1,
        )  # fmt: skip
        return


def _generated(swap: _Swap) -> bool:
    return any(name.startswith(GENERATED) for name in (*swap.gone, *swap.new))


def _swaps(pair: Pair) -> list[_Swap]:
    """Operators called as often that launch other kernels, largest time first."""
    operators = pair.amounts("operators", "host_total")
    by_operator: dict[str, dict[str, Amount]] = {}
    for (kernel, operator), amount in pair.amounts("kernels_by_operator").items():
        by_operator.setdefault(operator, {})[kernel] = amount
    found = []
    for operator, kernels in by_operator.items():
        calls = operators.get((operator,), NOTHING)
        if abs(calls.more_calls) > SAME_CALLS * max(calls.calls_a, calls.calls_b):
            continue
        gone = {name: amount for name, amount in kernels.items() if amount.calls_b < amount.calls_a and not amount.us_b}
        new = {name: amount for name, amount in kernels.items() if amount.calls_a < amount.calls_b and not amount.us_a}
        swap = _Swap(operator, gone, new, total(kernels.values()))
        most = swap.before.us_a >= MOST * swap.every.us_a and swap.after.us_b >= MOST * swap.every.us_b
        if gone and new and most:
            found.append(swap)
    found.sort(key=lambda swap: (-abs(swap.delta_us), swap.operator))
    return found


def _substituted(pair: Pair, swaps: list[_Swap]) -> Iterator[Cause]:
    """One finding for all operators whose kernels were replaced in the same way."""
    groups: dict[str, list[_Swap]] = {}
    for swap in swaps:
        groups.setdefault(_kind(pair, swap), []).append(swap)
    for rule, members in groups.items():
        delta = sum(swap.delta_us for swap in members)
        if abs(delta) < pair.least_us:
            continue
        first = members[0]
        old = max(first.gone, key=lambda name: (first.gone[name].us_a, name))
        new = max(first.new, key=lambda name: (first.new[name].us_b, name))
        what = {
            "tensor_cores_lost": "Tensor cores are no longer used",
            "tensor_cores_gained": "Tensor cores are used now",
            "fusion_lost": "One kernel became several",
            "fusion_gained": "Several kernels became one",
            "kernel_replaced": "Another kernel does the work",
        }[rule]
        others = f", and likewise below {len(members) - 1} other operator(s)" if len(members) > 1 else ""
        sentence = (
            f"{what}: {short(first.operator)} launches {short(new)} ({time_text(first.after.us_b)}, "
            f"{number_text(first.after.calls_b)} per step) instead of {short(old)} "
            f"({time_text(first.before.us_a)}, {number_text(first.before.calls_a)}){others}; "
            f"together {more_or_less(delta)} per step."
        )
        look = {
            "tensor_cores_lost": "data types, allow_tf32, shapes that are no multiples of 8, another library version",
            "tensor_cores_gained": "data types, allow_tf32, another library version",
        }.get(rule, "cudnn.benchmark, library versions, shapes and strides of the inputs")
        yield cause(
            pair, rule, old, KERNEL, delta, sentence,
            (Evidence("kernels", old), Evidence("kernels", new), Evidence("operators", first.operator)),
            confidence="the same operator with the same number of calls launches other kernels",
            look_at=look, explains={KERNEL: delta}, rank=2,
        )  # fmt: skip


def _kind(pair: Pair, swap: _Swap) -> str:
    before = _tensor_share(pair.baseline, swap.gone)
    after = _tensor_share(pair.candidate, swap.new)
    if before is not None and after is not None and abs(after - before) >= MOST:
        return "tensor_cores_gained" if after > before else "tensor_cores_lost"
    if swap.every.calls_b >= 2 * swap.every.calls_a:
        return "fusion_lost"
    if swap.every.calls_a >= 2 * swap.every.calls_b:
        return "fusion_gained"
    return "kernel_replaced"


def _tensor_share(summary: Summary, kernels: dict[str, Amount]) -> float | None:
    """Share of these kernels' time in kernels that use tensor cores by their names; None where names do not tell."""
    table = summary.groups.get("kernels")
    if table is None or "tensor_cores" not in table.facts:
        return None
    uses = dict(zip((key[0] for key in table.keys), table.facts["tensor_cores"].tolist(), strict=True))
    time = {name: max(amount.us_a, amount.us_b) for name, amount in kernels.items()}
    all_time = sum(time.values())
    return sum(us for name, us in time.items() if uses.get(name) == 1.0) / all_time if all_time else None


def _copies(pair: Pair) -> Iterator[Cause]:
    """Kernels that only move data, more of them than before."""
    rows = [
        row for row in pair.entities(KERNEL)
        if any(part in row.path[1].lower().replace("_", "") or part in row.path[1].lower() for part in COPYING)
    ]  # fmt: skip
    delta = sum(row.delta for row in rows) / pair.unit
    more = sum(row.calls[1] - row.calls[0] for row in rows)
    counted = sum(row.count_effect for row in rows) / pair.unit
    if not rows or abs(delta) < pair.least_us or not more or abs(counted) < MOST * abs(delta):
        return
    if abs(delta) < MOST * abs(pair.exposed(KERNEL)):
        return
    first = max(rows, key=lambda row: (abs(row.delta), row.path))
    before, after = sum(row.calls[0] for row in rows), sum(row.calls[1] for row in rows)
    operator = _launching(pair, first.path[1])
    below = f", launched below {short(operator)}" if operator else ""
    sentence = (
        f"{'More' if delta > 0 else 'Fewer'} copies on the device: kernels that only move data run "
        f"{number_text(before)} to {number_text(after)} times per step, "
        f"{more_or_less(delta)}; the largest is {short(first.path[1])}{below}."
    )
    yield cause(
        pair, "layout_copies", first.path[1], KERNEL, delta, sentence, (Evidence("kernels", first.path[1]),),
        confidence="by the names of the kernels",
        look_at=".contiguous(), .to(), channels_last on one side only, type conversions between layers",
        explains={KERNEL: delta}, rank=2,
    )  # fmt: skip


def _launching(pair: Pair, kernel: str) -> str:
    rows = {
        operator: amount for (name, operator), amount in pair.amounts("kernels_by_operator").items() if name == kernel
    }
    return max(rows, key=lambda operator: (abs(rows[operator].delta_us), operator), default="")


def _slower(pair: Pair) -> Iterator[Cause]:
    """One kernel that runs on both sides makes most of the category's change by taking longer per launch."""
    exposed = pair.exposed(KERNEL)
    rows = [
        row for row in pair.entities(KERNEL)
        if row.status == "both" and abs(row.calls[1] - row.calls[0]) <= SAME_CALLS * max(row.calls)
    ]  # fmt: skip
    if abs(exposed) < pair.least_us or not rows or not pair.is_clear(KERNEL) or _uniform(pair):
        return
    first = max(rows, key=lambda row: (row.rate_effect * (1 if exposed > 0 else -1), row.path))
    if (first.delta > 0) != (exposed > 0) or abs(first.delta) < MOST * abs(exposed) * pair.unit:
        return
    mean_a, mean_b = _per_call(first, pair)
    operator = _launching(pair, first.path[1])
    below = f" (launched below {short(operator)})" if operator else ""
    sentence = (
        f"One kernel is {'slower' if exposed > 0 else 'faster'}: {short(first.path[1])}{below} takes "
        f"{time_text(mean_b)} instead of {time_text(mean_a)} per launch, "
        f"{more_or_less(first.delta / pair.unit)} per step with "
        f"{number_text(first.calls[1])} {'launch' if first.calls[1] == 1 else 'launches'}; "
        "the other kernels did not change alike."
    )
    yield cause(
        pair, "kernel_slower", first.path[1], KERNEL, first.delta / pair.unit, sentence,
        (Evidence("kernels", first.path[1]), Evidence("ledger", " / ".join(first.path))),
        confidence=category_confidence(pair, KERNEL),
        look_at="its inputs' shapes and strides, its launch configuration, memory traffic beside it",
        rank=4,
    )  # fmt: skip


def _uniform(pair: Pair) -> bool:
    return uniform_ratio(pair.baseline.groups.get("kernels"), pair.candidate.groups.get("kernels")) is not None


def _per_call(row: LedgerRow, pair: Pair) -> tuple[float, float]:
    amount = pair.amounts("kernels").get((row.path[1],), NOTHING)
    return amount.us_a / (amount.calls_a or 1), amount.us_b / (amount.calls_b or 1)
