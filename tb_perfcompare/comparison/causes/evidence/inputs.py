"""Inputs of operators: shapes and types, as texts of the recording."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product

from tb_perfcompare.comparison.causes.evidence.amounts import Amount, Key, total
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.work.call_arguments import OtherArguments, arguments_of_change, other_arguments
from tb_perfcompare.model.input_shapes import NO_TYPES, input_elements, input_texts, shown_shape, tensor_types
from tb_perfcompare.model.names.work_kinds import work_kind
from tb_perfcompare.quick_dataclass import dataclass

INPUTS = "the inputs of both runs"
"""What to look at if a kernel or an operator has other inputs."""

OTHER_SIZE = 0.03
"""Least relative change of elements for inputs that vary, or that few calls have, to count as other inputs."""

OTHERWISE = 0.5
"""Share of an operator's common calls that must have other inputs."""

_NUMBER = "[]"
"""Text of an input without dimensions."""

_TRIED = 32
"""Number of shapes of each side, the largest, that are tried as an example."""


@dataclass(frozen=True, slots=True)
class OtherInputs:
    """Change of an operator's inputs: `kind` is "shapes" or "types"; `before` and `after` are the most frequent
    change, as text."""

    kind: str
    before: str
    after: str

    @property
    def rule(self) -> str:
        return "workload_changed" if self.kind == "shapes" else "data_type_changed"

    @property
    def clause(self) -> str:
        """Clause on inputs: "with other input shapes, [[32, 64]] → [[32, 96]]", "with a new operand [8, 8]"."""
        gone, new = one_sided_operands(self.before, self.after) if self.kind == "shapes" else ("", "")
        if gone or new:
            return f"with a new operand {new}" if new else f"without the operand {gone}"
        return f"with other input {self.kind}, {shown_shape(self.before)} → {shown_shape(self.after)}"


def other_inputs(context: RuleContext, operator: str) -> OtherInputs | None:
    """How the inputs of one operator differ, None if they do not or were not recorded on both sides."""
    for kind, table in (("types", "operators_by_type"), ("shapes", "operators_by_shape")):
        amounts = context.amounts_of(operator, table, "host_total")
        amounts = by_inputs(amounts) if kind == "shapes" else by_first_type(amounts)
        if not amounts or share_of_other_inputs(amounts) < OTHERWISE:
            continue
        gone = min(amounts, key=lambda key: (amounts[key].more_calls, key))
        new = max(amounts, key=lambda key: (amounts[key].more_calls, key))
        if kind == "shapes" and nearly_as_large(gone[1], new[1]):
            continue
        if amounts[gone].more_calls < 0 < amounts[new].more_calls:
            return OtherInputs(kind, gone[1], new[1])
    return None


def changed_arguments(context: RuleContext, operator: str) -> OtherArguments | None:
    """How an operator's arguments differ; None unless calls with other arguments make most of its change."""
    return arguments_of_change(context.once(called_otherwise), context.baseline, context.candidate, operator)


def values_of(context: RuleContext, operator: str) -> OtherArguments | None:
    """Other values with which an operator is called on inputs of the same shapes, on the largest; None if there are
    none."""
    changed = [(elements(key[1]), key, one) for key, one in context.once(called_otherwise).items() if one.values]
    own = [one for one in changed if one[1][0] == operator]
    return max(own, key=lambda one: one[:2])[2] if own else None


def values_of_layers(context: RuleContext) -> OtherArguments | None:
    """Other values with which a layer is called on inputs of the same shapes: what follows has other inputs."""
    layers = {name for name, _ in context.once(called_otherwise) if work_kind(name)}
    found = ((name, values_of(context, name)) for name in sorted(layers))
    return next((one for _, one in found if one is not None), None)


def called_otherwise(context: RuleContext) -> dict[tuple[str, str], OtherArguments]:
    """(operator, input shapes) -> how its arguments differ."""
    return other_arguments(*context.sides)


def has_same_inputs(context: RuleContext, operator: str) -> bool:
    """Whether most calls of an operator are known to have the same input shapes on both sides."""
    known = by_inputs(context.amounts_of(operator, "operators_by_shape", "host_total"))
    return bool(known) and share_of_other_inputs(known) < OTHERWISE


def by_name(parts: Mapping[Key, Amount]) -> dict[str, list[tuple[str, Amount]]]:
    """Operator -> its shapes or types with their amounts."""
    named: dict[str, list[tuple[str, Amount]]] = {}
    for (name, part), amount in parts.items():
        named.setdefault(name, []).append((part, amount))
    return named


def by_first_type(parts: Mapping[Key, Amount]) -> dict[Key, Amount]:
    """(operator, first input type) -> amount. Only the first tensor's type counts: it is that of the data, whatever
    further operands there are. Without calls whose types are not recorded."""
    by_type: dict[Key, list[Amount]] = {}
    for (name, types), amount in parts.items():
        if types not in NO_TYPES:
            by_type.setdefault((name, first_type(types)), []).append(amount)
    return {key: total(amounts) for key, amounts in by_type.items()}


def by_inputs(parts: Mapping[Key, Amount]) -> dict[Key, Amount]:
    """(operator, input shapes) -> amount, for shapes with a size. Operands that only one side has are ignored if they
    come last (compiled code passes the output), or first and beginning with a number (TorchScript records its whole
    stack; the operator's own inputs are the last entries)."""
    alike: dict[Key, list[Amount]] = {}
    for name, rows in by_name(parts).items():
        sized = [(part, amount) for part, amount in rows if elements(part)]
        lists = {part: input_texts(part) for part, _ in sized} if have_moved(sized) else {}
        texts = {inputs: part for part, inputs in lists.items()}
        lengths = sorted(set(map(len, texts)))
        for part, amount in sized:
            inputs = lists.get(part, ())
            shorter = [length for length in lengths if 0 < length < len(inputs)]
            within = [inputs[:length] for length in shorter]
            within += [inputs[-length:] for length in reversed(shorter) if inputs[0] == _NUMBER]
            known_part = (texts[operands] for operands in within if operands in texts)
            alike.setdefault((name, next(known_part, part)), []).append(amount)
    return {key: total(amounts) for key, amounts in alike.items()}


def have_moved(rows: Sequence[tuple[str, Amount]]) -> bool:
    """Whether some rows are called more often and others less."""
    return any(amount.more_calls < 0 for _, amount in rows) and any(amount.more_calls > 0 for _, amount in rows)


def share_of_other_inputs(parts: Mapping[Key, Amount]) -> float:
    """Share of the calls common by name that are not common by shape (type)."""
    names = [total(amount for _, amount in rows) for rows in by_name(parts).values()]
    by_operator = sum(min(amount.calls_a, amount.calls_b) for amount in names)
    by_part = sum(min(part.calls_a, part.calls_b) for part in parts.values())
    return 1 - by_part / by_operator if by_operator else 0.0


def time_share_of_other_inputs(parts: Mapping[Key, Amount]) -> float:
    """Share of the common calls' time that is not common by shape (type)."""
    by_operator = by_part = 0.0
    for rows in by_name(parts).values():
        by_operator += _common_us(total(amount for _, amount in rows))
        by_part += sum(_common_us(amount) for _, amount in rows)
    return max(1 - by_part / by_operator, 0.0) if by_operator else 0.0


def _common_us(amount: Amount) -> float:
    """Time of both sides in the calls that both have."""
    if not (amount.calls_a and amount.calls_b):
        return 0.0
    calls = min(amount.calls_a, amount.calls_b)
    return amount.us_a * calls / amount.calls_a + amount.us_b * calls / amount.calls_b


def most_alike(gone: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    """The pair of shapes, before and after, with most operands in common, so that it is one layer with other inputs
    and not two layers. Of several the largest."""
    pairs = product(sorted(gone, key=elements)[-_TRIED:], sorted(new, key=elements)[-_TRIED:])
    return max(pairs, key=lambda pair: (_in_common(*pair), elements(pair[0]) + elements(pair[1]), sorted(pair)))


def _in_common(before: str, after: str) -> int:
    one, two = input_texts(before), input_texts(after)
    return sum(x == y for x, y in zip(one, two, strict=False)) if len(one) == len(two) else -1


def one_sided_operands(before: str, after: str) -> tuple[str, str]:
    """(operands that are gone, new operands) of otherwise equal inputs, such as a mask; both empty if any other
    operand differs."""
    one, two = input_texts(before), input_texts(after)
    differ = [(x, y) for x, y in zip(one, two, strict=False) if x != y]
    if len(one) != len(two) or not all((x == _NUMBER) != (y == _NUMBER) for x, y in differ):
        return "", ""
    return ", ".join(x for x, _ in differ if x != _NUMBER), ", ".join(y for _, y in differ if y != _NUMBER)


def nearly_as_large(before: str, after: str) -> bool:
    """Whether the operand that changed most has nearly as many elements: a buffer that the operator works in."""
    if not elements(before) or not elements(after):
        return False
    return 0 < abs(math.log(growth(before, after))) < math.log1p(OTHER_SIZE)


def growth(before: str, after: str) -> float:
    """Ratio of elements of the operand that changed most, or of all inputs if that is unknown."""
    sizes = zip(input_elements(before), input_elements(after), strict=False)
    ratios = [two / one for one, two in sizes if one and two]
    return max(ratios, key=lambda ratio: abs(math.log(ratio))) if ratios else elements(after) / elements(before)


@lru_cache(maxsize=1 << 14)
def elements(shape: str) -> int:
    """Elements of all inputs of a shape text, including those in lists of tensors; 0 if there are none."""
    return sum(input_elements(shape))


def first_type(types: str) -> str:
    """First type of a tensor in a list such as ['c10::Half', 'c10::Half'], without PyTorch's namespace; "none" if the
    list has no tensor."""
    return next(iter(tensor_types(types)), "none")
