"""Different work: input shapes or types that differ throughout explain what no other cause explains."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from math import fsum
from typing import NamedTuple

import numpy as np

from tb_perfcompare.comparison.causes.detectors.alignment import ALIGNMENT
from tb_perfcompare.comparison.causes.detectors.kernel_speed import compiled_otherwise
from tb_perfcompare.comparison.causes.detectors.machine.pace import MACHINE_PACE, is_paced
from tb_perfcompare.comparison.causes.evidence.cause import (
    Cause,
    Explained,
    Part,
    Rule,
    cause,
    drawn_by_chance,
    of_categories,
)
from tb_perfcompare.comparison.causes.evidence.first_difference import first_difference
from tb_perfcompare.comparison.causes.evidence.inputs import (
    OTHER_SIZE,
    by_first_type,
    by_inputs,
    by_name,
    elements,
    growth,
    have_moved,
    most_alike,
    nearly_as_large,
    one_sided_operands,
    share_of_other_inputs,
    time_share_of_other_inputs,
    values_of_layers,
)
from tb_perfcompare.comparison.causes.evidence.known_settings import setting_of_arguments
from tb_perfcompare.comparison.causes.evidence.rates import peak_clause, total_clause
from tb_perfcompare.comparison.causes.evidence.rule_context import Amount, Key, RuleContext, total, total_by_key
from tb_perfcompare.comparison.causes.evidence.where_called import KEPT, growing_inputs
from tb_perfcompare.comparison.checks.shared_work import SIMILAR_WORK, SOME_WORK
from tb_perfcompare.comparison.result.finding import Evidence
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.wording import percent_text, ratio_text, short, signed_time
from tb_perfcompare.comparison.statistics.weights import weighted_median
from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.input_shapes import input_texts, launched_threads, shown_shape
from tb_perfcompare.model.names.work_kinds import UNINFORMATIVE
from tb_perfcompare.model.summary.summary import CATEGORY_LABELS, Summary
from tb_perfcompare.quick_dataclass import dataclass

MIN_CONSTANT_SHARE = 0.5
"""Share of the calls that must have shapes found in most steps of their side; below it inputs vary."""

OTHER_TIME = 0.25
"""Share of the operators' self time from which few calls with other inputs count, as for the output layer of a
larger vocabulary (0.41 to 0.98 in recordings of other inputs, at most 0.15 in others)."""

OTHER_LAUNCHES = 0.75
"""Share of the kernel time whose launches must be known and change the same way: single kernels may be tuned
differently."""

OTHER_THREADS = 0.1
"""Least relative change of the median launch's number of threads."""

MOVED, FOLLOWS = 0.25, 0.5
"""Share of that time in kernels that launch a different number of threads; kernels with a fixed grid must take longer
by FOLLOWS of the threads' growth, as logarithms."""

MAX_SHAPES = 128
"""Up to this many changed input shapes, two of an operator can be compared. Layers and tokens have some; experts have
new ones in every step."""

FOLLOWING = 0.1
"""Least share of the step's change that few calls with other inputs must explain beside a replaced operator, whose
results they work on."""

SIMILAR = 0.1
"""Largest relative difference of launches at which kernels count as launched equally often."""

_FROM_OUTSIDE = {"DataLoader", "Communication"}
"""Categories in which the step waits for something outside of it."""

_TABLES = (("operators", "CPU Exec", "host_total"), ("kernels", "Kernel", "total"))
"""Tables with the rows of a category, and what they measure."""

MOST = 0.5
"""Share of the change from which one operator or kernel is named."""

_ON_DEVICE = ("Kernel", "Memcpy", "Memset")

_REPLACED, _COPIES = frozenset({"operator_replaced"}), frozenset({"layout_copies"})

CASTS = frozenset({
    "aten::to", "aten::_to_copy", "aten::copy_", "aten::empty_strided", "aten::type_as", "ToCopyBackward",
    "autograd::engine::evaluate_function: ToCopyBackward",
})  # fmt: skip
"""Operators that convert types, also by autograd."""

MAX_PARTS = 2
"""Number of parts, largest first, that a sentence describes."""

_OF_LAYERS = regex(r"aten::(?:\w*conv\w*|linear|addmm)$")
"""Operators with an operand for the data and one for a layer's weights."""

_LAYERS = "the layers of both models: kernel sizes, groups and widths"

_OPERANDS = "masks, biases and other optional operands on both sides"

_MADE = "the code that calls {}: squeeze and unsqueeze, transpose, broadcasting, the order of products"
"""What to look at if the first call with other inputs has as large ones, and layers before it have the same."""

_DOUBLE = "model.double(), tensors made from NumPy arrays, which are float64, and torch.set_default_dtype()"

_PADDED = "padding of both runs: to a fixed length (padding='max_length'), or to the longest of the batch; bucketing"

_LENGTHS = "sequence lengths, padding and batching of both runs; record more steps or use the same data loader seed"


@dataclass(frozen=True, slots=True)
class OtherWork:
    """How the work differs: `what` and `how` in words; `ratio` is the size of the inputs over the baseline's, None
    if sizes did not change; `why`: where the other inputs are from, "" if unknown; `by_chance`: sizes vary from step
    to step; `few`: only few calls have other inputs."""

    rule: Rule
    operator: str
    what: str
    how: str
    ratio: float | None
    evidence: Evidence
    confidence: str = ""
    look_at: str = ""
    why: str = ""
    by_chance: bool = False
    few: bool = False

    @property
    def is_as_large(self) -> bool:
        """Whether inputs are nearly as large, so that times compare: a length that is now prime slows its operators."""
        return self.ratio is not None and abs(math.log(self.ratio)) < math.log1p(OTHER_SIZE)

    def may_explain(self, delta_us: float) -> bool:
        """Whether the inputs can change the step in this direction: larger ones lengthen it, others may do either."""
        return self.ratio is None or self.is_as_large or (self.ratio > 1) == (delta_us > 0)

    def remaining_cause(self, pair: RuleContext, explained: Explained) -> Cause | None:
        """The cause, with the change that no other cause explains, and with what single operators explain that have
        these inputs; None if that needs no telling."""
        if self.is_as_large and pair.headline.verdict is Verdict.INCONCLUSIVE:
            return None  # as many rows for each expert, but for one or two: the check on inputs says so
        parts = explained.of_rules(self.rule.names) + (_casts(explained) if self.rule is DATA_TYPE_CHANGED else ())
        of_parts = fsum(part.finding.change_us for part in parts)
        left_us = _left_without_interruptions(pair, explained)
        if abs(left_us) >= pair.least_us and left_us and self.may_explain(left_us):
            return self._whole(pair, left_us + of_parts, {}, parts, explained, " without interruptions")
        left = self._left(pair, explained)
        delta = fsum(left.values())
        follows = self.few and not explained.rules.isdisjoint(_REPLACED)  # from the replacement
        least_us = max(pair.least_us, FOLLOWING * abs(pair.delta_us) if follows else 0.0)
        explains_some = abs(delta) >= least_us and self.may_explain(delta)
        if follows and not explains_some:
            return None
        outweighed = abs(delta) >= pair.least_us and not explains_some and not self.may_explain(pair.delta_us)
        if explains_some or (parts and not outweighed):
            return self._whole(pair, delta + of_parts, left, parts, explained)
        if outweighed:
            return self._outweighed(pair, left, delta)
        if self.by_chance:
            return None
        as_long = abs(pair.delta_us) < pair.least_us or pair.headline.verdict is Verdict.SAME
        result = "the step takes as long all the same" if as_long else "other causes explain the step's change"
        return self._cause(pair, None, f"{self.how}; {result}", self.look_at, of_categories(left))

    def _whole(
        self, pair: RuleContext, delta_us: float, left: Mapping[str, float], parts: tuple[Cause, ...],
        explained: Explained, steps: str = "",
    ) -> Cause:  # fmt: skip
        """The cause with what is left and its parts. `steps`: which steps, if not those recorded."""
        why, look_at = self._why(pair)
        of_parts = [part.how for part in sorted(parts, key=lambda part: -abs(part.finding.change_us)) if part.how]
        mostly, row = _largest_entry(pair, delta_us, explained)
        if row and short(row[0].row) in f"{self.how}{why}":
            mostly = ""
        text = _clauses(f"{signed_time(delta_us)} per step{steps}", self.how, *(of_parts[:MAX_PARTS] or [mostly]), why)
        explains = total_by_key(chain(of_categories(left).items(), *(part.explains.items() for part in parts)))
        further = chain(row, *(part.finding.evidence for part in parts))
        return self._cause(pair, delta_us, text, look_at, explains, parts, further, of_the_step=not steps)

    def _cause(
        self, pair: RuleContext, delta_us: float | None, text: str, look_at: str, explains: Mapping[Part, float],
        parts: tuple[Cause, ...] = (), further: Iterable[Evidence] = (), *, of_the_step: bool = True,
    ) -> Cause:  # fmt: skip
        return cause(
            pair, self.rule, self.operator, "all", delta_us, f"{self.what}: {text}.",
            tuple(dict.fromkeys((self.evidence, *further))), confidence=self.confidence, look_at=look_at,
            explains=explains, includes=parts, of_the_step=of_the_step,
        )  # fmt: skip

    def _left(self, pair: RuleContext, explained: Explained) -> dict[str, float]:
        """Category -> change that other causes leave to the inputs. Of waiting for data or ranks they take at most the
        square of their growth."""
        left = explained.left(pair, CATEGORY_LABELS)
        # rounded: b / a and 1 / (a / b) differ in the last bit, but swapped sides negate the cause exactly
        square = 1.0 if self.ratio is None else round(max(self.ratio, 1 / self.ratio) ** 2, 9)
        for label in _FROM_OUTSIDE:
            limit = min(pair.exposed_times(label)) * (square - 1)
            left[label] = max(-limit, min(limit, left[label]))
        if self.ratio is None and left["Other"] * fsum(left[label] for label in _ON_DEVICE) > 0:
            left["Other"] = 0.0  # other types make kernels longer, which hides more of the host, not less
        return left

    def _why(self, pair: RuleContext) -> tuple[str, str]:
        """Where the other inputs are from, and what to look at: a layer that is called with other values, inputs that
        grow from step to step, or unknown."""
        layer = values_of_layers(pair)
        if layer is not None:
            return f"{short(layer.operator)} is called {layer.clause} on the same inputs", layer.look_at
        growing = "" if self.ratio is None else growing_inputs(pair)
        if growing:
            return growing, KEPT
        return self.why, self.look_at

    def _outweighed(self, pair: RuleContext, left: dict[str, float], delta: float) -> Cause:
        """The cause if the step changed against the size of the inputs: it takes only device time that changed with
        them."""
        assert self.ratio is not None
        against_inputs = {label: us for label in _ON_DEVICE if (us := left[label]) * (self.ratio - 1) > 0}
        device = fsum(against_inputs.values())
        matters = abs(device) >= pair.least_us
        of_device = f"{signed_time(device)} device time per step; " if matters else ""
        noise = "the spread of the steps or " if pair.headline.verdict is Verdict.INCONCLUSIVE else ""
        noise = "the pace of the machine or " if is_paced(pair, delta) else noise
        still = f"the step still changes by {signed_time(delta)}, so {noise}another change outweighs it"
        text = f"{of_device}{self.how}; {still}"
        return self._cause(
            pair, device if matters else None, text, self.look_at, of_categories(against_inputs if matters else {})
        )


def _casts(explained: Explained) -> tuple[Cause, ...]:
    """Causes that are about casts and copies: these change with the types."""
    return tuple(
        cause for cause in explained.causes if cause.finding.rule in _COPIES
        or fsum(abs(more) for name, more in cause.calls.items() if name in CASTS)
        > MOST * fsum(map(abs, cause.calls.values()))
    )  # fmt: skip


def _largest_entry(pair: RuleContext, delta_us: float, explained: Explained) -> tuple[str, tuple[Evidence, ...]]:
    """Clause on the operator or kernel that makes most of a change, as far as other causes do not explain it, with its
    row; "" and no row if none does."""
    changes = {
        (label, name): us / pair.unit for _, label, _ in _TABLES for rows in (pair.entities(label),)
        for us, name in zip(rows.delta.tolist(), rows.key, strict=True) if us * delta_us > 0
    }  # fmt: skip
    left = explained.rests(pair, changes)
    us, name, table = max((
        (abs(left[label, name]), name, table) for table, of, measure in _TABLES
        for label, name in left if label == of and (name,) in pair.amounts(table, measure)
    ), default=(0.0, "", ""))  # fmt: skip
    if us < MOST * abs(delta_us) or not us:
        return "", ()
    return f"mostly in {short(name)} ({signed_time(math.copysign(us, delta_us))})", (Evidence(table, name),)


def _clauses(*clauses: str) -> str:
    return "; ".join(filter(None, clauses))


def _left_without_interruptions(pair: RuleContext, explained: Explained) -> float:
    """The least that causes leave of the change of uninterrupted steps; 0 if nothing or if such steps are not known.
    Causes use times as recorded, with interruptions."""
    change_us = pair.uninterrupted_us
    left_us = change_us - explained.total(without=MACHINE_PACE.names)
    return left_us if left_us * change_us > 0 else 0.0


def find_other_work(pair: RuleContext) -> OtherWork | None:
    """Returns how the inputs differ, None if they do not or were not recorded. Other inputs bring casts and copies,
    so half of the calls in common is enough."""
    operators = pair.amounts("operators", "host_total").values()
    least = sum(min(operator.calls_a, operator.calls_b) for operator in operators)
    if not least or least < SOME_WORK * sum(max(operator.calls_a, operator.calls_b) for operator in operators):
        return None
    return _other_types(pair) or _other_shapes(pair) or _other_launches(pair)


def other_work_rules(pair: RuleContext, explained: Explained) -> Iterator[Cause]:
    """Yields at most one cause: the work differs."""
    other = pair.once(find_other_work)
    if other is None or (other.rule is WORKLOAD_CHANGED and explained.rules & set(ALIGNMENT.names)):
        return
    remaining = other.remaining_cause(pair, explained)
    if remaining is not None:
        yield remaining


def _other_types(pair: RuleContext) -> OtherWork | None:
    types = by_first_type(pair.amounts("operators_by_type", "host_total"))
    how_many = _how_many(types, by_first_type(_own_times(pair, "operators_by_type")))
    if not how_many:
        return None
    example = _example(types, by_first_type(pair.amounts("operators_by_type", "device_total")))
    if example is None:
        return None
    name, before, after = example
    is_double = ("double" in before) != ("double" in after)
    return OtherWork(
        DATA_TYPE_CHANGED, name,
        "Data types changed",
        f"{how_many} have different input types, e.g. {short(name)} "
        f"{shown_shape(before)} → {shown_shape(after)}{peak_clause(pair, name)}",
        None, Evidence("operators", name),
        look_at=setting_of_arguments(pair, argument="dtype") or (_DOUBLE if is_double else ""),
    )  # fmt: skip


def _other_shapes(pair: RuleContext) -> OtherWork | None:
    amounts = by_inputs(pair.amounts("operators_by_shape", "host_total"))
    how_many = _how_many(amounts, by_inputs(_own_times(pair, "operators_by_shape")))
    if not how_many:
        return None
    example = _example(amounts, by_inputs(pair.amounts("operators_by_shape", "device_total")))
    if example is None:
        return None
    name, before, after = example
    moved = {operator: rows for operator, rows in by_name(amounts).items() if have_moved(rows)}
    recurring = [_recurring_inputs(side, moved) for side in pair.sides]
    if not all(recurring):
        alone = SIDES[recurring.index(False)] if any(recurring) else ""
        return None if not alone and drawn_by_chance(pair) else _other_sizes(moved, name, alone)
    ratio = growth(before, after)
    few_differ = share_of_other_inputs(amounts) <= 1 - SIMILAR_WORK
    if few_differ and nearly_as_large(before, after):
        return None
    first = first_difference(pair)
    if first is not None:
        called = short(first.operator)
        return OtherWork(
            WORKLOAD_CHANGED, first.operator,
            "Workload changed",
            f"{how_many} have different input shapes, first {called} {first.change}{total_clause(pair)}",
            ratio, Evidence("operators_by_shape", f"{first.operator} / {first.after}"),
            look_at=_MADE.format(called), why=f"operators before {called} have the same inputs", few=few_differ,
        )  # fmt: skip
    return OtherWork(
        WORKLOAD_CHANGED, name,
        "Workload changed",
        f"{how_many} have {_difference(name, before, after, ratio)}{total_clause(pair)}",
        ratio, Evidence("operators_by_shape", f"{name} / {after}"),
        look_at=_looked_at(name, before, after), few=few_differ,
    )  # fmt: skip


def _difference(operator: str, before: str, after: str, ratio: float) -> str:
    """How the inputs differ, by an example: an operand that only one side has, or shapes."""
    gone, new = one_sided_operands(before, after)
    if gone or new:
        operands = f"a new operand {new}" if new else f"lost the operand {gone}"
        return f"{operands}, e.g. {short(operator)}"
    shapes = f"{shown_shape(before)} → {shown_shape(after)}"
    return f"different input shapes, e.g. {short(operator)} {shapes} (elements {ratio_text(ratio)})"


def _looked_at(operator: str, before: str, after: str) -> str:
    if any(one_sided_operands(before, after)):
        return _OPERANDS
    return _LAYERS if _of_another_layer(operator, before, after) else ""


def _of_another_layer(operator: str, before: str, after: str) -> bool:
    """Whether an operator of layers has other weights: other data alone leaves these as they are."""
    if not _OF_LAYERS.match(operator):
        return False
    operands = [[text for text in input_texts(shape) if text.count(",")] for shape in (before, after)]
    return all(operands) and operands[0][1:] != operands[1][1:]


def _other_launches(pair: RuleContext) -> OtherWork | None:
    """Without recorded shapes: kernels launched as often have nearly all more (nearly all fewer) threads, and those
    with a fixed grid take longer (shorter) to match."""
    if all("operators_by_shape" in side.groups for side in pair.sides):
        return None
    launches = pair.amounts("kernels_by_launch")
    shared = list(_launched_as_often(pair, launches))
    moved = [kernel for kernel in shared if kernel.log_growth]
    fixed = total(kernel.amount for kernel in shared if not kernel.log_growth)
    all_us = fsum(amount.us_a + amount.us_b for amount in launches.values())
    shared_us, moved_us = (fsum(kernel.both_us for kernel in some) for some in (shared, moved))
    if shared_us < OTHER_LAUNCHES * all_us or moved_us <= MOVED * shared_us:
        return None
    growths, weights = zip(*((kernel.log_growth, kernel.both_us) for kernel in moved), strict=True)
    middle = weighted_median(np.array(growths), np.array(weights))
    same_way_us = fsum(kernel.both_us for kernel in moved if kernel.log_growth * middle > 0)
    if abs(middle) < math.log1p(OTHER_THREADS) or same_way_us < OTHER_LAUNCHES * moved_us:
        return None
    longer = math.log(fixed.us_b / fixed.us_a) if fixed.us_a and fixed.us_b else 0.0
    if moved_us < OTHER_LAUNCHES * shared_us and longer * middle < FOLLOWS * middle**2:
        return None
    names = {name for name, *_ in launches}
    if not all(_recurring_inputs(side, names, "kernels_by_launch") for side in pair.sides):
        return None
    largest = max(moved, key=lambda kernel: kernel.both_us)
    gone, new = (max(largest.rows, key=lambda row: (sign * row[1].more_calls, row[0]))[0] for sign in (-1, 1))
    return OtherWork(
        WORKLOAD_CHANGED, largest.name,
        "Workload changed",
        f"kernels with {percent_text(same_way_us / shared_us)} of the device time launch "
        f"{ratio_text(math.exp(middle))} the threads, e.g. {short(largest.name)} {gone} → {new}; "
        "input shapes were not recorded",
        math.exp(middle), Evidence("kernels_by_launch", f"{largest.name} / {new}"),
        "certain: the launches are recorded, and nearly all changed alike",
        "batch size, sequence length, image size and padding of both runs; record with record_shapes=True",
    )  # fmt: skip


class _Launched(NamedTuple):
    """A kernel that both sides launch as often: its launches, and ln of how its threads per launch grew; 0 for kernels
    that loop over their work in grids that only the device determines."""

    name: str
    rows: list[tuple[str, Amount]]
    amount: Amount
    log_growth: float

    @property
    def both_us(self) -> float:
        return self.amount.us_a + self.amount.us_b


def _launched_as_often(pair: RuleContext, launches: Mapping[Key, Amount]) -> Iterator[_Launched]:
    """Yields kernels of known threads, without those that were compiled otherwise: their threads do more or less."""
    for name, rows in by_name(launches).items():
        amount = total(amount for _, amount in rows)
        before, after = (_threads(rows, side) for side in (0, 1))
        fewer, more = sorted((amount.calls_a, amount.calls_b))
        if fewer > (1 - SIMILAR) * more and before and after and name not in pair.once(compiled_otherwise):
            yield _Launched(name, rows, amount, math.log(after / before))


def _threads(rows: list[tuple[str, Amount]], side: int) -> float:
    """Mean threads per launch of a kernel, over all its launches of a side; 0 if not known."""
    calls = [amount.calls_b if side else amount.calls_a for _, amount in rows]
    threads = [launched_threads(launch) for launch, _ in rows]
    if not all(threads) or not fsum(calls):
        return 0.0
    return fsum(count * each[0] for count, each in zip(calls, threads, strict=True)) / fsum(calls)


def _own_times(pair: RuleContext, table: str) -> Mapping[Key, Amount]:
    """Self times of operators: on the device if it works for them, else on the host."""
    device = pair.amounts(table, "device_self")
    return device if any(amount.us_a or amount.us_b for amount in device.values()) else pair.amounts(table, "host_self")


def _how_many(calls: Mapping[Key, Amount], times: Mapping[Key, Amount]) -> str:
    """Extent of other inputs: "23.0 % of operator calls", or "calls with 59.0 % of the operators' time"; "" for few."""
    other = share_of_other_inputs(calls)
    if other > 1 - SIMILAR_WORK:
        return f"{percent_text(other)} of operator calls"
    other = time_share_of_other_inputs(times)
    return f"calls with {percent_text(other)} of the operators' time" if other > OTHER_TIME else ""


def _other_sizes(moved: Mapping[str, list[tuple[str, Amount]]], name: str, alone: str) -> OtherWork | None:
    """Other work by mean size, for shapes that vary from step to step and are never the same on two sides; None if
    their sizes are alike. `alone`: the only side whose shapes vary, "" if those of both do."""
    before = after = 0.0
    for parts in moved.values():
        calls = total(amount for _, amount in parts)
        if not (calls.calls_a and calls.calls_b):
            continue
        each = min(calls.calls_a, calls.calls_b)  # calls that both sides have, with the mean size on each
        before += each * sum(elements(shape) * amount.calls_a for shape, amount in parts) / calls.calls_a
        after += each * sum(elements(shape) * amount.calls_b for shape, amount in parts) / calls.calls_b
    if max(before, after) < (1 + OTHER_SIZE) * min(before, after):
        return None
    how = f"input shapes vary between steps{f' of the {alone} alone' if alone else ''}"
    confidence = "certain: the shapes are recorded"
    return OtherWork(
        WORKLOAD_CHANGED, name,
        "Workload changed", f"{how}, mean elements {ratio_text(after / before)}",
        after / before, Evidence("operators_by_shape", name),
        confidence if alone else f"{confidence}; with few steps, inputs may differ by chance",
        _PADDED if alone else _LENGTHS, by_chance=not alone,
    )  # fmt: skip


def _recurring_inputs(summary: Summary, names: Collection[str], table: str = "operators_by_shape") -> bool:
    """Whether most calls of these operators have shapes (launches) that recur in at least half of the steps. Only
    `names` count, because optimizers work on parameters, whose size does not depend on the inputs."""
    group, size_of = summary.groups[table], elements if table == "operators_by_shape" else launched_threads
    calls = group.calls[[row for row, key in enumerate(group.keys) if key[0] in names and size_of(key[1])]]
    usual = (calls > 0).mean(axis=1) >= 0.5
    return float(calls[usual].sum()) >= MIN_CONSTANT_SHARE * float(calls.sum())


def _example(parts: Mapping[Key, Amount], device: Mapping[Key, Amount]) -> tuple[str, str, str] | None:
    """(operator, inputs before, inputs after) of the operator with the most device time, else host time, among those
    whose inputs changed. Copies and casts come after them, and last come operators whose inputs are new in every call,
    such as those of experts: no two of these show how sizes changed."""
    best: tuple[tuple[bool, bool, bool, float, float, str], list[str], list[str]] | None = None
    for name, rows in by_name(parts).items():
        gone = [part for part, amount in rows if amount.more_calls < 0]
        new = [part for part, amount in rows if amount.more_calls > 0]
        if not gone or not new:
            continue
        on_device = total(device.get((name, part), Amount()) for part, _ in rows)
        on_host = total(amount for _, amount in rows)
        us = on_device.us_a + on_device.us_b, on_host.us_a + on_host.us_b
        varies = max(len(gone), len(new)) > MAX_SHAPES
        weight = (not is_backward(name), not varies, name not in UNINFORMATIVE, *us, name)
        if best is None or weight > best[0]:
            best = (weight, gone, new)
    return None if best is None else (best[0][-1], *most_alike(best[1], best[2]))


def is_backward(name: str) -> bool:
    """Whether the name belongs to the backward pass; such names mean less to a reader than those of the operators
    behind them."""
    return "autograd::" in name or "backward" in name.lower()


WORKLOAD_CHANGED = Rule(
    names=("workload_changed",),
    meaning="other input shapes: batch size, sequence length, image size",
    when="Many operator calls have other input shapes (without shapes: kernels launch more or fewer threads "
    "throughout). It explains the rest. Its example is the first call of a step with other inputs, if these are as "
    "large and layers before it have the same",
    needs="operators and `record_shapes`, or kernels with their launch configuration",
    tables=("operators_by_shape", "kernels"),
    look_at="batch size, sequence length, image size and padding of both runs; compare runs on the same input",
    confidence="certain: the shapes are recorded",
    find_rest=other_work_rules,
    order=6,
)
DATA_TYPE_CHANGED = Rule(
    names=("data_type_changed",),
    meaning="other element types",
    when="Many operator calls have other input types. It does not explain waits for data or ranks, or untraced host "
    "time that grew with device time",
    needs="operators; `record_shapes`",
    tables=("operators_by_shape",),
    look_at="autocast, model.half()/bfloat16() and TF32 settings of both runs",
    confidence="certain: the types are recorded",
    find_rest=other_work_rules,
    order=6,
)
