"""Is it the same work? Other input shapes, other data types, more or fewer calls."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterable, Iterator, Mapping

from tb_perfcompare.comparison.causes.cause import Cause, cause
from tb_perfcompare.comparison.causes.pair import Amount, Key, Pair, total
from tb_perfcompare.comparison.causes.wording import more_or_less, number_text, short
from tb_perfcompare.comparison.comparison import Evidence
from tb_perfcompare.model.summary import CATEGORY_LABELS, Summary

SAME = 0.9
"""Shared share of calls above which work counts as the same."""

MOST_OPERATORS = 0.5
"""Share of the operators that must be called more often (or less) for the work to be there more often."""

MOST_BY_COUNT = 0.6
"""Share of the change that more or fewer calls must make."""

ALIKE = 0.5
"""Shared share of calls from which two programs are alike enough to ask how their inputs differ: casts and copies that
come with other inputs are calls of their own."""

STEADY = 0.5
"""Inputs vary if less than this share of the calls have shapes that come in most steps of their side."""

OTHER_SIZE = 0.03
"""Inputs that vary are other inputs if their elements changed by at least this."""


def shared(amounts: Iterable[Amount]) -> float:
    """Sum of the smaller over sum of the larger call counts; 1 where nothing is called."""
    least = most = 0.0
    for amount in amounts:
        least += min(amount.calls_a, amount.calls_b)
        most += max(amount.calls_a, amount.calls_b)
    return least / most if most else 1.0


def work_rules(pair: Pair) -> Iterator[Cause]:
    """Of these rules only the first that holds is told: what each means is that the others follow from it."""
    found = _types_changed(pair) or _shapes_changed(pair) or _calls_changed(pair)
    if found is not None:
        yield found


def _moved_along(pair: Pair) -> dict[str, float]:
    """Every category that moved in the direction of the step: other work changes all of them."""
    sign = 1 if pair.delta_us > 0 else -1
    return {label: pair.exposed(label) for label in CATEGORY_LABELS if sign * pair.exposed(label) > 0}


def _shapes_changed(pair: Pair) -> Cause | None:
    shapes = pair.amounts("operators_by_shape", "host_total")
    if not shapes or abs(pair.delta_us) < pair.least_us:
        return None
    operators = pair.amounts("operators", "host_total")
    known: dict[Key, Amount] = {key: amount for key, amount in shapes.items() if _elements(key[1])}
    other = _otherwise(known)
    if not known or shared(operators.values()) < ALIKE or other <= 1 - SAME:
        return None
    example = _example(known, pair)
    if example is None:
        return None
    name, before, after = example
    if not (_steady(pair.baseline) and _steady(pair.candidate)):
        return _sizes_changed(pair, known, name)
    ratio = _elements(after) / _elements(before)
    sentence = (
        f"The work changed: {other:.0%} of the operator calls have other input shapes, "
        f"for example {short(name)} {_shown(before)} to {_shown(after)} ({ratio:.2f} times the elements); "
        f"the step takes {more_or_less(pair.delta_us)} for it, which is no change of the same work."
    )
    return cause(
        pair, "workload_changed", name, "all", pair.delta_us, sentence,
        (Evidence("operators_by_shape", f"{name} / {after}"),),
        confidence="certain: the shapes are recorded",
        look_at="batch size, sequence length, image size and padding of both runs; compare runs of the same input",
        explains=_moved_along(pair), rank=0,
    )  # fmt: skip


def _sizes_changed(pair: Pair, known: Mapping[Key, Amount], name: str) -> Cause | None:
    """Shapes that vary from step to step are never quite the same on two sides; it matters how large they are."""
    before = after = 0.0
    for parts in _by_name(known).values():
        calls = total(amount for _, amount in parts)
        if not (calls.calls_a and calls.calls_b):
            continue
        each = min(calls.calls_a, calls.calls_b)  # calls that both sides have, with the mean size on each
        before += each * sum(_elements(shape) * amount.calls_a for shape, amount in parts) / calls.calls_a
        after += each * sum(_elements(shape) * amount.calls_b for shape, amount in parts) / calls.calls_b
    larger = after > before
    if max(before, after) < (1 + OTHER_SIZE) * min(before, after) or larger != (pair.delta_us > 0):
        return None
    sentence = (
        f"The work changed: input shapes vary between steps, and on average they hold {after / before:.2f} times the "
        f"elements; the step takes {more_or_less(pair.delta_us)}, which is no change of the same work."
    )
    return cause(
        pair, "workload_changed", name, "all", pair.delta_us, sentence, (Evidence("operators_by_shape", name),),
        confidence="certain: the shapes are recorded; few steps may hold other inputs by chance",
        look_at="sequence lengths, padding and batching of both runs; more steps, or the same seed of the data loader",
        explains=_moved_along(pair), rank=0,
    )  # fmt: skip


def _steady(summary: Summary) -> bool:
    """Whether most calls have shapes that come in at least half of the steps."""
    table = summary.groups["operators_by_shape"]
    calls = table.calls[[row for row, key in enumerate(table.keys) if _elements(key[1])]]
    usual = (calls > 0).mean(axis=1) >= 0.5
    return float(calls[usual].sum()) >= STEADY * float(calls.sum())


def _by_name(parts: Mapping[Key, Amount]) -> dict[str, list[tuple[str, Amount]]]:
    """Operator -> its shapes or types with their amounts."""
    found: dict[str, list[tuple[str, Amount]]] = {}
    for (name, part), amount in parts.items():
        found.setdefault(name, []).append((part, amount))
    return found


def _otherwise(parts: Mapping[Key, Amount]) -> float:
    """Share of the calls that both sides have by the operator's name, but not by its shape or type as well."""
    names = [total(amount for _, amount in rows) for rows in _by_name(parts).values()]
    by_name = sum(min(one.calls_a, one.calls_b) for one in names)
    by_part = sum(min(one.calls_a, one.calls_b) for one in parts.values())
    return 1 - by_part / by_name if by_name else 0.0


def _types_changed(pair: Pair) -> Cause | None:
    types = pair.amounts("operators_by_type", "host_total")
    if not types or abs(pair.delta_us) < pair.least_us:
        return None
    operators = pair.amounts("operators", "host_total")
    other = _otherwise(types)
    if shared(operators.values()) < ALIKE or other <= 1 - SAME:
        return None
    device = pair.amounts("operators", "device_total")
    best: tuple[tuple[bool, float, float], str, str, str] | None = None
    for name, rows in _by_name(types).items():
        kinds = dict(rows)
        gone = min(kinds, key=lambda kind: (kinds[kind].more_calls, kind))
        new = max(kinds, key=lambda kind: (kinds[kind].more_calls, kind))
        if kinds[gone].more_calls < 0 < kinds[new].more_calls:
            host = operators.get((name,), Amount())
            size = (not _is_backward(name), abs(device.get((name,), Amount()).delta_us), host.us_a + host.us_b)
            best = max(best or ((False, -1.0, -1.0), "", "", ""), (size, name, gone, new))
    if best is None:
        return None
    _, name, before, after = best
    sentence = (
        f"Data types changed: {other:.0%} of the operator calls have other input types, "
        f"for example {short(name)} {_plain(before)} to {_plain(after)}; the step takes {more_or_less(pair.delta_us)}."
    )
    return cause(
        pair, "data_type_changed", name, "all", pair.delta_us, sentence, (Evidence("operators", name),),
        confidence="certain: the types are recorded",
        look_at="autocast, model.half()/bfloat16(), and TF32 settings of both runs",
        explains=_moved_along(pair), rank=0,
    )  # fmt: skip


def _calls_changed(pair: Pair) -> Cause | None:
    """The same operators on the same shapes, another number of times."""
    operators = pair.amounts("operators", "host_total")
    if not operators or abs(pair.delta_us) < pair.least_us or shared(operators.values()) >= SAME:
        return None
    both = {key: amount for key, amount in operators.items() if amount.calls_a and amount.calls_b}
    sign = 1 if pair.delta_us > 0 else -1
    # work that is there twice is called more often everywhere; a rewritten program has other operators
    if len(both) < SAME * len(operators):
        return None
    counted = sum(
        row.count_effect for row in pair.ledger.rows if len(row.path) == 2 and row.status == "both"
    ) / pair.unit  # fmt: skip
    if sign * counted < MOST_BY_COUNT * abs(pair.delta_us):
        return None
    moved = {key: amount for key, amount in both.items() if sign * amount.more_calls > 0}
    if len(moved) < MOST_OPERATORS * len(operators):
        return None
    device = pair.amounts("operators", "device_self")
    def weight(one: Key) -> tuple[bool, float, float, Key]:
        return not _is_backward(one[0]), sign * device.get(one, Amount()).delta_us, moved[one].us_b, one

    key = max(moved, key=weight)
    amount = moved[key]
    sentence = (
        f"{'More' if sign > 0 else 'Fewer'} calls: {len(moved)} of {len(operators)} operators are called "
        f"{'more' if sign > 0 else 'less'} often, for example {short(key[0])} {number_text(amount.calls_a)} to "
        f"{number_text(amount.calls_b)} times per step; the number of calls makes {more_or_less(counted)}."
    )
    return cause(
        pair, "more_calls", key[0], "all", counted, sentence, (Evidence("operators", key[0]),),
        confidence="certain: calls are counted",
        look_at="the number of layers, micro-batches or iterations in a step",
        explains=_moved_along(pair), rank=1,
    )  # fmt: skip


def _example(known: dict[Key, Amount], pair: Pair) -> tuple[str, str, str] | None:
    """(operator, shape before, shape after) of the operator with the most device time, else host time, among the
    changed ones."""
    device = pair.amounts("operators_by_shape", "device_total")
    best: tuple[tuple[bool, float, float], str, str, str] | None = None
    for name, rows in _by_name(known).items():
        gone = [shape for shape, amount in rows if amount.more_calls < 0]
        new = [shape for shape, amount in rows if amount.more_calls > 0]
        if not gone or not new:
            continue
        before, after = max(gone, key=_elements), max(new, key=_elements)
        size = sum(device.get((name, shape), Amount()).us_b for shape in new)
        host = sum(amount.us_b for shape, amount in rows)
        weight = (not _is_backward(name), size, host)
        if best is None or (weight, name) > (best[0], best[1]):
            best = (weight, name, before, after)
    return None if best is None else best[1:]


def _is_backward(name: str) -> bool:
    """Names of the backward pass say less to a reader than those of the operators they belong to."""
    return "autograd::" in name or "backward" in name.lower()


def _elements(shape: str) -> int:
    """Elements of all inputs of a shape text such as [[32, 64], []]; 0 if it says none."""
    try:
        inputs = json.loads(shape)
    except ValueError:
        return 0
    if not isinstance(inputs, list):
        return 0
    return sum(
        math.prod(dims) for dims in inputs
        if isinstance(dims, list) and dims and all(isinstance(dim, int) for dim in dims)
    )  # fmt: skip


def _shown(shape: str) -> str:
    return shape if len(shape) <= 60 else f"{shape[:59]}…"


def _plain(types: str) -> str:
    """The first type of a list such as ['c10::Half', 'c10::Half']."""
    try:
        named = [kind for kind in ast.literal_eval(types) if kind]
    except (ValueError, SyntaxError, TypeError):
        return _shown(types)
    return str(named[0]) if named else "none"
