"""Names without their numbers, which differ in every iteration of a loop, and kinds of iterations: the texts of their
markers, with numbers grouped into bins."""

from __future__ import annotations

import fnmatch
import itertools
import re
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.names.ranges import is_optimizer

BETWEEN = " | "
"""Separates alternative names."""

_NUMBER = regex(
    r"0x[0-9a-fA-F]+"
    r"|(?<![0-9A-Za-z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9A-Za-z])"  # a UUID
    r"|(?<![0-9A-Za-z])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}(?![0-9A-Za-z])"  # a hash
    r"|(?<![0-9A-Za-z])(?=[0-9A-F]*\d)(?=[0-9A-F]*[A-F])[0-9A-F]{8,}(?![0-9A-Za-z])"
    r"|(?<![A-Za-z\d])\d+(?:\.\d+)?"
    r"|\d+(?:\.\d+)?(?![A-Za-z\d])"
)


@lru_cache(maxsize=1 << 14)
def without_numbers(name: str) -> str:
    """`step[DECODE bs=16]` -> `step[DECODE bs=*]`; addresses and hashes count as numbers, `conv2d` keeps its 2."""
    return _NUMBER.sub("*", name)


def numbers_in(name: str) -> tuple[float, ...]:
    """The numbers that `without_numbers` replaces, in order; 0 for an address or hash."""
    return tuple(float(text) if text.replace(".", "").isdecimal() else 0.0 for text in _NUMBER.findall(name))


def fill_numbers(name: str, texts: Sequence[str]) -> str:
    """Replaces the stars of a name without numbers by these texts, in order."""
    rest = iter(texts)
    return re.sub(r"\*", lambda star: next(rest, star.group()), name)


@lru_cache(maxsize=256)
def glob_pattern(glob: str) -> re.Pattern[str]:
    """Pattern of a glob: `*` matches any text, `?` any character; brackets are literal, since names contain many."""
    return re.compile(fnmatch.translate(glob.replace("[", "[[]")))


MAX_EXACT = 64
"""Maximum number of distinct values for each to be a bin of its own ..."""

MIN_EACH = 4
"""... which also requires this many occurrences per value on average; otherwise bins are powers of two. Zero always is
its own bin."""

MAX_COUNTED, MOSTLY = 8, 0.9
"""A number counts the iterations, and is left out of kinds, if it rises by one in a share MOSTLY of them and takes more
than MAX_COUNTED values (it may restart for each request) or never falls within a recording. So does a number that only
ever rises and never repeats."""

_BIN = regex(r"(?<![\w.-])(\d+)-(\d+)(?![\w.-])")

PLAIN = "plain"
"""Kind of the iterations that contain nothing the others lack."""

UPDATE = "update step"


def with_names(names: Sequence[str]) -> str:
    """Kind of the iterations that alone contain these names: "with aten::add_", "update step (...)" for an optimizer.

    "" for no names.
    """
    parts = [f"{UPDATE} ({name})" if is_optimizer(name) else f"with {name}" for name in sorted(names)]
    return ", ".join(parts)


def are_by_content(texts: Sequence[str]) -> bool:
    """Whether all kinds are from `with_names` or PLAIN: by what iterations contain, not by their markers' texts."""
    return all(text == PLAIN or text.startswith((UPDATE, "with ")) for text in {*texts})


def kinds_of(texts: Sequence[str], recordings: Sequence[Hashable] = ()) -> tuple[str, ...]:
    """Kind of each iteration: `step[EXTEND bs=2 toks=1000]` -> `step[EXTEND bs=2 toks=512-1023]` for many token counts.

    Numbers that only count the iterations are left out. `recordings` says which recording each iteration is of.
    """
    by_name: dict[str, list[int]] = {}
    numbers = {text: numbers_in(text) for text in {*texts}}
    for at, text in enumerate(texts):
        by_name.setdefault(without_numbers(text), []).append(at)
    kind_of: dict[str, str] = {}
    for name, places in by_name.items():
        recorded_in = [recordings[at] if recordings else None for at in places]
        slots = [_binned(values, recorded_in) for values in zip(*(numbers[texts[at]] for at in places), strict=True)]
        row_of = {texts[at]: row for row, at in enumerate(places)}  # equal texts are of one kind
        kind_of |= {text: fill_numbers(name, [slot[row] for slot in slots]) for text, row in row_of.items()}
    return tuple(kind_of[text] for text in texts)


def kind_pattern(kind: str) -> Callable[[str], bool]:
    """Test for markers' texts that match this glob (* for anything) or belong to this kind.

    A kind may have bins (512-1023), which match the numbers in them.
    """
    matches_glob = glob_pattern(kind).match
    parts = _BIN.split(kind)
    # text, low, high, text, low, high, ..., text
    limits = [(int(low), int(high)) for low, high in zip(parts[1::3], parts[2::3], strict=True)]
    texts = [fnmatch.translate(text.replace("[", "[[]")).removesuffix("\\Z").removesuffix("\\z") for text in parts[::3]]
    binned = re.compile(r"(\d+(?:\.\d+)?)".join(texts) + r"\Z")

    def matches(text: str) -> bool:
        if matches_glob(text):
            return True
        match = binned.match(text) if limits else None
        return match is not None and all(
            low <= float(value) < high + 1 for (low, high), value in zip(limits, match.groups(), strict=True)
        )

    return matches


def _binned(values: Sequence[float], recordings: Sequence[Hashable]) -> list[str]:
    """Bin of each iteration's value, all the same for a number that counts the iterations."""
    distinct = len({*values})
    if _counts(values, recordings, distinct):
        return ["*"] * len(values)
    if distinct <= MAX_EXACT and MIN_EACH * distinct <= len(values):
        return [f"{value:g}" for value in values]
    return [_power_of_two(int(value)) for value in values]


def _counts(values: Sequence[float], recordings: Sequence[Hashable], distinct: int) -> bool:
    """Whether these values in the order of the iterations count them."""
    pairs = zip(itertools.pairwise(values), itertools.pairwise(recordings), strict=True)
    steps = [after - before for (before, after), (one, other) in pairs if one == other]
    if not steps:
        return False
    rises = min(steps) > 0
    by_one = steps.count(1) >= MOSTLY * len(steps)
    return (by_one and (rises or distinct > MAX_COUNTED)) or (rises and distinct == len(values))


def _power_of_two(value: int) -> str:
    if value < 2:
        return str(value)
    low = 1 << (value.bit_length() - 1)
    return f"{low}-{2 * low - 1}"
