"""Kinds of iterations: what markers are called, their numbers binned."""

from __future__ import annotations

import fnmatch
import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence

from tb_perfcompare.model.names.names import is_optimizer
from tb_perfcompare.model.names.numbers_out import fill_numbers, glob_pattern, numbers_in, without_numbers

MOST_EXACT = 64
"""Distinct values up to which a number is its own bin ..."""

FEWEST_EACH = 4
"""... if each occurs so often on average; else powers of two are bins. Zero always is one of its own."""

MOST_COUNTED, MOSTLY = 8, 0.9
"""A number that takes more values than these and is one more than before in this share of the iterations counts them,
from 0 in each request. Whatever counts is no kind, if no two iterations are called the same."""

_BIN = re.compile(r"(?<![\w.-])(\d+)-(\d+)(?![\w.-])")

PLAIN = "plain"
"""The kind of iterations that have nothing that others lack."""

UPDATE = "update step"


def with_names(names: Sequence[str]) -> str:
    """ "with aten::add_" of what only some iterations have; "update step" with an optimizer; "" of nothing."""
    parts = [f"{UPDATE} ({name})" if is_optimizer(name) else f"with {name}" for name in sorted(names)]
    return ", ".join(parts)


def are_by_content(texts: Sequence[str]) -> bool:
    """Whether all are of `with_names`, or PLAIN: kinds by what iterations consist of, not by what they were called."""
    return all(text == PLAIN or text.startswith((UPDATE, "with ")) for text in {*texts})


def kinds_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The kind of each iteration: `step[EXTEND bs=2 toks=1000]` is `step[EXTEND bs=2 toks=512-1023]` where many numbers
    of tokens occur. Numbers that only count the iterations are left out."""
    by_name: dict[str, list[str]] = {}
    times = Counter(texts)  # in the order of their first occurrences
    for text in times:
        by_name.setdefault(without_numbers(text), []).append(text)
    kinds: dict[str, str] = {}
    for name, own in by_name.items():
        count = sum(times[text] for text in own)
        slots = [_binned(values, count) for values in zip(*map(numbers_in, own), strict=True)]
        for row, text in enumerate(own):
            kinds[text] = fill_numbers(name, [slot[row] for slot in slots])
    return tuple(kinds[text] for text in texts)


def kind_pattern(kind: str) -> Callable[[str], bool]:
    """Whether a marker's text is called like this (* stands for anything), or of a kind whose bins are 512-1023."""
    called = glob_pattern(kind).match
    parts = _BIN.split(kind)
    # text, low, high, text, low, high, ..., text
    limits = [(int(low), int(high)) for low, high in zip(parts[1::3], parts[2::3], strict=True)]
    texts = [fnmatch.translate(text.replace("[", "[[]")).removesuffix("\\Z").removesuffix("\\z") for text in parts[::3]]
    binned = re.compile(r"(\d+(?:\.\d+)?)".join(texts) + r"\Z")

    def matches(text: str) -> bool:
        if called(text):
            return True
        found = binned.match(text) if limits else None
        return found is not None and all(
            low <= float(value) < high + 1 for (low, high), value in zip(limits, found.groups(), strict=True)
        )

    return matches


def _binned(values: Sequence[float], count: int) -> list[str]:
    """Of the values in distinct texts that occur so many times in all."""
    distinct = len(set(values))
    if 1 < count == len(values):
        steps = [two - one for one, two in itertools.pairwise(values)]
        if min(steps) > 0 or (distinct > MOST_COUNTED and steps.count(1) >= MOSTLY * len(steps)):
            return ["*"] * len(values)
    if distinct <= MOST_EXACT and FEWEST_EACH * distinct <= count:
        return [f"{value:g}" for value in values]
    return [_power_of_two(int(value)) for value in values]


def _power_of_two(value: int) -> str:
    if value < 2:
        return str(value)
    low = 1 << (value.bit_length() - 1)
    return f"{low}-{2 * low - 1}"
