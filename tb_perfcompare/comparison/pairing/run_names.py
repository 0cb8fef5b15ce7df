"""Parses names of runs: their words, and parts that differ from run to run without a meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from tb_perfcompare.lazy_regex import regex

WORD_PAIRS: tuple[tuple[str, str], ...] = (
    ("normal", "abnormal"),
    ("baseline", "candidate"),
    ("base", "candidate"),
    ("before", "after"),
    ("old", "new"),
    ("good", "bad"),
    ("control", "test"),
    ("ref", "new"),
    ("reference", "new"),
    ("base", "new"),
    ("working", "broken"),
    ("healthy", "faulty"),
    ("fast", "slow"),
    ("正常", "异常"),
    ("a", "b"),
)
"""(baseline word, candidate word), best first. Words are compared without case."""

ROLES = frozenset(word for pair in WORD_PAIRS[:-1] for word in pair)

_WORD = regex(r"\x02+|\d+|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+")
_PART = "\1"  # follows a letter that is a part of a word
_ID = "\2"  # stands for each character of a possible hash or random id
_STAMP = "\3"  # stands for a time
_UUID = regex(r"(?<![^\W_])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![^\W_])")
_TOKEN = regex(r"[0-9a-zA-Z]{7,}")
_IDS = regex(f"{_ID}+")
_LETTERS = regex(r"[a-zA-Z]+")
_NUMBER = regex(r"\d+")
_HEX = regex(r"[0-9a-f]+|[0-9A-F]+")
_RUN_OF_LIKE = regex(r"\d+|[a-zA-Z]+")
_SIZES = regex(r"(?:[a-zA-Z]+\d+)+")
_STAMPS = regex(
    rf"{_UUID.pattern}|"
    r"(?<![^\W_])(?:"
    r"\d{8}_\d{6}-[a-z0-9]{8}"  # time and id, of Weights & Biases
    r"|\d+[._]\d{10,19}"  # process and time: 4242.1700000000000
    r"|\d{4}-\d\d-\d\d(?:[T_ -]?\d\d[-:.]?\d\d[-:.]?\d\d)?|\d{8}(?:[T_-]?\d{6})?|\d{10,19}"
    r"|[A-Z][a-z]{2}\d\d_\d\d-\d\d-\d\d"  # Jan31_12-00-00
    r")(?![^\W_])"
)
_BATCH = regex(r"(?<![a-z])(?:[gm]?bsz?|batch(?:[-_ ]?size)?)[-_=]?(\d+)")
_KIND = regex(r"(?<![a-z])(?:cpu|gcu|gpu|hpu|mlu|npu|tpu|xpu)(?![a-z])")
_DEVICE = regex(
    r"(?<![a-z0-9])(?:a(?:10g?|30|40|100|800)|g?[bh][123]00|h(?:20|800)|l40?s?|t4|[pv]100|mi\d{3}x?|mlu\d{3}"
    r"|rtx[-_ ]?\d{4})(?![a-wyz0-9])"
)  # fmt: skip


@lru_cache(maxsize=10_000)
def words_of(name: str) -> tuple[tuple[str, ...], ...]:
    """Lower-case words of each path component; a capital letter and a change between letters and digits start one."""
    return tuple(tuple(_word(part, match) for match in _WORD.finditer(part)) for part in without_ids(name).split("/"))


def _word(text: str, match: re.Match[str]) -> str:
    """The word in lower case. A single letter next to a digit or another letter is marked with _PART, so that it
    does not count as a word in which two names differ."""
    word = match.group()
    before, after = text[: match.start()][-1:], text[match.end() :][:1]
    whole = not after.isalnum() and (not before.isalnum() or (before.islower() and word.isupper()))
    return word.lower() if len(word) > 1 or whole else word.lower() + _PART


def without_ids(name: str) -> str:
    """The name with every character of a possible hash or random id replaced by _ID; see `ids_are_random`."""
    return _blanked(name, _may_be_id)


def _blanked(name: str, is_id: Callable[[str], bool]) -> str:
    plain = _UUID.sub(lambda match: _ID * len(match.group()), name)
    return _TOKEN.sub(lambda match: _ID * len(match.group()) if is_id(match.group()) else match.group(), plain)


def _may_be_id(token: str) -> bool:
    """Whether letters and digits of one case are mixed, as in `3f9a1c2` and `x7k2p9qd`, but also in `h100x8bs32`."""
    letters = _LETTERS.findall(token.lower())
    if not letters or token.isalpha() or not (token.islower() or token.isupper()):
        return False
    return _is_hash(token) or not ROLES.intersection(letters)


def _is_hash(token: str) -> bool:
    return _HEX.fullmatch(token) is not None and _changes(token) >= 2


def _changes(token: str) -> int:
    """Number of changes between letters and digits."""
    return len(_RUN_OF_LIKE.findall(token)) - 1


def is_id(token: str) -> bool:
    """Whether the token is an id: letters and digits mixed as in no meaningful word, rather than letters followed by
    a number."""
    if _UUID.fullmatch(token):
        return True
    if not _may_be_id(token):
        return False
    if _HEX.fullmatch(token):
        return _is_hash(token)
    return _changes(token) >= 4 and (len(token) >= 16 or (len(token) >= 8 and not _SIZES.fullmatch(token)))


@lru_cache(maxsize=10_000)
def ids(name: str) -> tuple[str, ...]:
    """The parts of a name that `without_ids` replaces, in their order."""
    return tuple(name[match.start() : match.end()] for match in _IDS.finditer(without_ids(name)))


def ids_are_random(one: Sequence[str], other: Sequence[str], *, or_numbers: bool = False) -> bool:
    """Whether the ids of two names that are otherwise equal differ like random ones: digits are in other places. In
    `h100x8` and `h200x8` they are in the same places, so these have a meaning. `or_numbers`: they may also differ in
    numbers only."""

    def random(left: str, right: str) -> bool:
        if left == right or (is_id(left) and is_id(right)):
            return True
        return _digits(left) != _digits(right) or (or_numbers and _numbers_off(left) == _numbers_off(right))

    return all(map(random, one, other))


def _digits(token: str) -> list[bool]:
    return [sign.isdigit() for sign in token]


def _numbers_off(token: str) -> str:
    return _NUMBER.sub("#", token.lower())


def numbers(name: str) -> Iterator[tuple[str, tuple[str, str], tuple[str, ...]]]:
    """Yields (number, its surroundings without ids and times, those ids) for each number outside ids and times."""
    name = without_times(name)
    blanked, sure = without_ids(name), _blanked(name, is_id)
    spans = [match.span() for match in _IDS.finditer(blanked)]
    for match in _NUMBER.finditer(sure):
        start, end = next((span for span in spans if span[0] <= match.start() < span[1]), match.span())
        around = (
            (blanked[:start] + name[start : match.start()]).lower(), (name[match.end() : end] + blanked[end:]).lower()
        )  # fmt: skip
        others = tuple(name[span[0] : span[1]] for span in spans if span != (start, end))
        yield match.group(), around, others


def without_times(name: str) -> str:
    """The name with each date and time replaced by one sign."""
    return _STAMPS.sub(lambda match: match.group() if _UUID.fullmatch(match.group()) else _STAMP, name)


def may_be_alike(one: str, other: str) -> bool:
    """Whether two runs may be alike by their names: these give neither different batch sizes nor different devices."""
    left, right = one.lower(), other.lower()
    sizes = [set(map(int, _BATCH.findall(name))) for name in (left, right)]
    if all(sizes) and sizes[0] != sizes[1]:
        return False
    devices = [(set(pattern.findall(left)), set(pattern.findall(right))) for pattern in (_KIND, _DEVICE)]
    return all(not ours or not theirs or ours & theirs for ours, theirs in devices)
