"""Figures inside sentences. Tables and charts format their own numbers; sentences are part of the comparison."""

from __future__ import annotations

from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.model.names.short_names import short_name, short_names

_SCALES = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"))
_NAME_LIMIT = 80


def time_text(us: float) -> str:
    """Three significant digits in the unit that fits: 58.1 ms."""
    size = abs(us)
    for scale, unit in _SCALES:
        if size >= scale:
            return f"{_three(size / scale)} {unit}"
    return f"{_three(size * 1e3)} ns" if size else "0 µs"


def _three(value: float) -> str:
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f}"


def signed_time(us: float) -> str:
    """ "+3.20 ms", "-58.1 ms"."""
    return f"{'+' if us > 0 else '-' if us < 0 else ''}{time_text(us)}"


def times_text(before: float, after: float) -> str:
    """ "2.75 → 21.1 ms", with both units where they differ, a single figure where both are written alike."""
    one, two = time_text(before), time_text(after)
    if one == two:
        return one
    (number, unit), (_, other) = one.split(), two.split()
    return f"{number if unit == other else one} → {two}"


def numbers_text(before: float, after: float) -> str:
    """ "1 → 3" of calls per step."""
    return f"{number_text(before)} → {number_text(after)}"


def many(count: int, noun: str) -> str:
    """ "1 kernel", "3 kernels"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def short(name: str) -> str:
    """A kernel's name without what a sentence can do without, cut in the middle if it is still long."""
    return _cut(short_name(name))


def short_apart(*names: str) -> list[str]:
    """The same of all names of one sentence: different ones stay different, unless they differ where both are cut."""
    return [_cut(name) for name in short_names(names)]


def _cut(name: str) -> str:
    if len(name) <= _NAME_LIMIT:
        return name
    head = _NAME_LIMIT * 2 // 3
    return f"{name[:head]}…{name[-(_NAME_LIMIT - head - 1) :]}"


def number_text(value: float) -> str:
    """Calls per step: whole numbers without a fraction."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def calls_text(value: float, per: str) -> str:
    """ "1 call per step", "2.50 calls per step"; `per` is " per step" or "" for a source without steps."""
    return f"{number_text(value)} {'call' if value == 1 else 'calls'}{per}"


VERDICT_WORDS = {
    Verdict.SLOWER: "slower",
    Verdict.FASTER: "faster",
    Verdict.SAME: "same",
    Verdict.PROBABLY_SLOWER: "probably slower",
    Verdict.PROBABLY_FASTER: "probably faster",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.WITHHELD: "not comparable",
}
"""The words of a verdict, on every face."""


def verdict_word(verdict: Verdict) -> str:
    """The same at the beginning of a sentence."""
    return VERDICT_WORDS[verdict].capitalize()
