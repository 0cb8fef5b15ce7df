"""What operators were given: shapes and types of inputs, as texts of the recording."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from tb_perfcompare.comparison.causes.evidence.rule_context import Amount, Key, RuleContext, total
from tb_perfcompare.model.input_shapes import input_elements, shown_shape

INPUTS = "the inputs of both runs"
"""What to look at where a kernel or an operator has other inputs."""

OTHERWISE = 0.5
"""An operator has other inputs if at least this share of the calls that both sides have are of other inputs."""


@dataclass(frozen=True, slots=True)
class OtherInputs:
    """An operator is given other inputs: `kind` is "shapes" or "types"; texts of the most frequent change."""

    kind: str
    before: str
    after: str

    @property
    def rule(self) -> str:
        return "workload_changed" if self.kind == "shapes" else "data_type_changed"

    @property
    def clause(self) -> str:
        """ "with other input shapes, [[32, 64]] → [[32, 96]]"."""
        shown = shown_shape if self.kind == "shapes" else first_type
        return f"with other input {self.kind}, {shown(self.before)} → {shown(self.after)}"


def other_inputs(pair: RuleContext, operator: str) -> OtherInputs | None:
    """How the inputs of one operator differ, None if they do not or were not recorded on both sides."""
    for kind, table in (("types", "operators_by_type"), ("shapes", "operators_by_shape")):
        known = pair.amounts_of(operator, table, "host_total")
        if kind == "shapes":
            known = {key: amount for key, amount in known.items() if elements(key[1])}
        if not known or otherwise(known) < OTHERWISE:
            continue
        gone = min(known, key=lambda key: (known[key].more_calls, key))
        new = max(known, key=lambda key: (known[key].more_calls, key))
        if known[gone].more_calls < 0 < known[new].more_calls:
            return OtherInputs(kind, gone[1], new[1])
    return None


def by_name(parts: Mapping[Key, Amount]) -> dict[str, list[tuple[str, Amount]]]:
    """Operator -> its shapes or types with their amounts."""
    found: dict[str, list[tuple[str, Amount]]] = {}
    for (name, part), amount in parts.items():
        found.setdefault(name, []).append((part, amount))
    return found


def otherwise(parts: Mapping[Key, Amount]) -> float:
    """Share of the calls that both sides have by the operator's name, but not by its shape or type as well."""
    names = [total(amount for _, amount in rows) for rows in by_name(parts).values()]
    by_operator = sum(min(one.calls_a, one.calls_b) for one in names)
    by_part = sum(min(one.calls_a, one.calls_b) for one in parts.values())
    return 1 - by_part / by_operator if by_operator else 0.0


def otherwise_in_time(parts: Mapping[Key, Amount]) -> float:
    """The same share of their time: of what both sides call by name, as often as both do, what is of other inputs."""
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


@lru_cache(maxsize=1 << 14)
def elements(shape: str) -> int:
    """Elements of all inputs of a shape text, those in lists of tensors included; 0 if it says none."""
    return sum(input_elements(shape))


def first_type(types: str) -> str:
    """The first type of a list such as ['c10::Half', 'c10::Half']."""
    try:
        named = [kind for kind in ast.literal_eval(types) if kind]
    except (ValueError, SyntaxError, TypeError):
        return shown_shape(types)
    return str(named[0]) if named else "none"
