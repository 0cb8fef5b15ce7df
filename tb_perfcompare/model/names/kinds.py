"""Kinds of iterations: what markers are called, their numbers binned."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tb_perfcompare.model.names.numbers_out import fill_numbers, numbers_in, without_numbers

MOST_EXACT = 64
"""Distinct values up to which a number is its own bin ..."""

FEWEST_EACH = 4
"""... if each occurs so often on average; else powers of two are bins. Zero always is one of its own."""


def kinds_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The kind of each iteration: `step[EXTEND bs=2 toks=1000]` is `step[EXTEND bs=2 toks=512-1023]` where many numbers
    of tokens occur. Numbers that only count the iterations are left out."""
    by_name: dict[str, list[int]] = {}
    numbers = [numbers_in(text) for text in texts]
    for at, text in enumerate(texts):
        by_name.setdefault(without_numbers(text), []).append(at)
    kinds = [""] * len(texts)
    for name, places in by_name.items():
        slots = [_binned([numbers[at][slot] for at in places]) for slot in range(len(numbers[places[0]]))]
        for row, at in enumerate(places):
            kinds[at] = fill_numbers(name, [slot[row] for slot in slots])
    return tuple(kinds)


def _binned(values: Sequence[float]) -> list[str]:
    distinct = len(set(values))
    if len(values) > 1 and all(one < two for one, two in itertools.pairwise(values)):
        return ["*"] * len(values)
    if distinct <= MOST_EXACT and FEWEST_EACH * distinct <= len(values):
        return [f"{value:g}" for value in values]
    return [_power_of_two(int(value)) for value in values]


def _power_of_two(value: int) -> str:
    if value < 2:
        return str(value)
    low = 1 << (value.bit_length() - 1)
    return f"{low}-{2 * low - 1}"
