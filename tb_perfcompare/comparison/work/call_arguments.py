"""Operators that the sides call with other strides or concrete inputs, on inputs of the same shapes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from tb_perfcompare.model.input_shapes import shown_shape
from tb_perfcompare.model.names.argument_names import argument_names, argument_text
from tb_perfcompare.model.summary.groups import CALL_ARGUMENTS
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.quick_dataclass import dataclass

REGULAR = 0.9
"""Share of an operator's steps in which a set of arguments occurs that belongs to the program, and share of its calls
that such sets must make for its arguments to be known. Others are data: an index, a learning rate in its schedule."""

OTHERWISE = 0.02
"""Share of an operator's common calls with other arguments from which they differ."""

MAIN_SHARE = 0.5
"""Share of the change of an operator's time that calls with other arguments have to make."""

_MOST_NAMED = 2

Operator = tuple[str, str]
"""Operator and input shapes."""

Signature = tuple[str, str]
"""Strides and concrete inputs, as texts of the recording."""


@dataclass(frozen=True, slots=True)
class OtherArguments:
    """The most frequent change of an operator's (strides, concrete inputs), as texts of the recording."""

    operator: str
    before: Signature
    after: Signature

    @property
    def has_other_strides(self) -> bool:
        """Whether the strides of an input differ."""
        return bool(_different(self.before[0], self.after[0]))

    @property
    def values(self) -> dict[str, str]:
        """Argument -> its change, "1 → 0"."""
        names = argument_names(self.operator, len(_entries(self.before[1])))
        return {
            name: _change(argument_text(name, before), argument_text(name, after))
            for place, before, after in _different(self.before[1], self.after[1]) for name in (names[place],)
        }  # fmt: skip

    @property
    def clause(self) -> str:
        """Clause on what differs: "with other arguments (dim: 1 → 0)", "with other strides (input 1: [8, 1] → [1, 8])";
        inputs are counted from 1."""
        if not self.values:
            place, before, after = _different(self.before[0], self.after[0])[0]
            return f"with other strides (input {place + 1}: {_change(before, after)})"
        changes = dict[str, list[str]]()
        for name, change in self.values.items():
            changes.setdefault(change, []).append(name)
        texts = [f"{', '.join(of[:_MOST_NAMED])}: {change}" for change, of in changes.items()]
        return f"with other arguments ({'; '.join(texts[:_MOST_NAMED])})"

    @property
    def look_at(self) -> str:
        if self.values:
            return "the arguments of this call in both runs"
        return "the memory layout of its inputs in both runs: contiguous, transposed, channels_last"


def other_arguments(baseline: Summary, candidate: Summary) -> dict[Operator, OtherArguments]:
    """(operator, input shapes) -> how its arguments differ; without those whose arguments are the same or not known."""
    one, two = (_regular_calls(side) for side in (baseline, candidate))
    different: dict[Operator, OtherArguments] = {}
    for key in sorted(one.keys() & two.keys()):
        before, after = one[key], two[key]
        common = sum(min(calls, after.get(signature, 0.0)) for signature, calls in before.items())
        if common > (1 - OTHERWISE) * min(sum(before.values()), sum(after.values())):
            continue
        gone = max(before, key=lambda signature: (before[signature] - after.get(signature, 0.0), signature))
        new = max(after, key=lambda signature: (after[signature] - before.get(signature, 0.0), signature))
        if any(_different(x, y) for x, y in zip(gone, new, strict=True)):
            different[key] = OtherArguments(key[0], gone, new)
    return different


def arguments_of_change(
    different: Mapping[Operator, OtherArguments], baseline: Summary, candidate: Summary, operator: str
) -> OtherArguments | None:
    """How an operator's arguments differ where its time changed most; None unless calls with other arguments make most
    of the change. `different` as from other_arguments."""
    own = {key: changed for key, changed in different.items() if key[0] == operator}
    if not own:
        return None
    before, after = (time_by_inputs(side) for side in (baseline, candidate))
    change = {key: abs(after.get(key, 0.0) - before.get(key, 0.0)) for key in before.keys() | after.keys()}
    if sum(change[key] for key in own) < MAIN_SHARE * sum(us for key, us in change.items() if key[0] == operator):
        return None
    return own[max(own, key=lambda key: (change[key], key))]


def time_by_inputs(side: Summary) -> dict[Operator, float]:
    """(operator, input shapes) -> own time per step in ns, of operators whose arguments were recorded."""
    times: dict[Operator, float] = {}
    group = side.groups[CALL_ARGUMENTS]
    for key, ns in zip(group.keys, group.measures_ns["total"].sum(axis=1).tolist(), strict=True):
        times[key[0], key[1]] = times.get((key[0], key[1]), 0.0) + ns / len(side.steps)
    return times


def _regular_calls(side: Summary) -> dict[Operator, Mapping[Signature, float]]:
    """(operator, input shapes) -> calls per step by arguments, if these belong to the program."""
    group = side.groups.get(CALL_ARGUMENTS)
    if group is None:
        return {}
    rows: dict[Operator, list[int]] = {}
    for row, key in enumerate(group.keys):
        rows.setdefault((key[0], key[1]), []).append(row)
    known: dict[Operator, Mapping[Signature, float]] = {}
    occurs, calls = group.calls > 0, group.calls.sum(axis=1).tolist()
    in_steps = np.count_nonzero(occurs, axis=1).tolist()
    for operator, places in rows.items():
        steps = np.count_nonzero(occurs[places].any(axis=0))
        regular = [row for row in places if in_steps[row] >= REGULAR * steps]
        if sum(calls[row] for row in regular) >= REGULAR * sum(calls[row] for row in places):
            keys = ((group.keys[row], calls[row] / len(side.steps)) for row in regular)
            known[operator] = {(key[2], key[3]): per_step for key, per_step in keys}
    return known


def _change(before: str, after: str) -> str:
    return f"{shown_shape(before) or 'none'} → {shown_shape(after) or 'none'}"


def _different(before: str, after: str) -> list[tuple[int, str, str]]:
    """(place, before, after) of each entry that differs; empty if the lists have different lengths, as in different
    versions of PyTorch."""
    one, two = _entries(before), _entries(after)
    if len(one) != len(two):
        return []
    return [(place, x, y) for place, (x, y) in enumerate(zip(one, two, strict=True)) if x != y]


@lru_cache(maxsize=1 << 12)
def _entries(text: str) -> tuple[str, ...]:
    try:
        entries = ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ()
    return tuple(_number(str(entry)) for entry in entries) if isinstance(entries, list) else ()


def _number(text: str) -> str:
    """A number as PyTorch's log writes it, "2.", without its last point."""
    return text.removesuffix(".") if text[:-1].lstrip("-").isdigit() else text
