"""Verdict if one side alone recorded options that lengthen its steps."""

from __future__ import annotations

import math
from dataclasses import replace

from tb_perfcompare.comparison.pace.words.sentence import with_sentence
from tb_perfcompare.comparison.result.headline import Basis, Headline, RecordedMore, Verdict
from tb_perfcompare.comparison.verdict.rules import weaker_verdict
from tb_perfcompare.number_text import rough


def with_recorded_more(headline: Headline, more: RecordedMore | None) -> Headline:
    """Returns the headline with these options. If the side that recorded them is the slower one, the verdict stays
    only if the interval is entirely beyond what they can cost. It becomes "probably" if only the estimate is, else
    inconclusive. Rule: docs/method/statistics.md#profiler-options-of-one-side."""
    if more is None:
        return headline
    headline, way = replace(headline, recorded_more=more), headline.verdict.way
    if way != more.way:
        return headline
    clause = f"only the {more.side} recorded {', '.join(more.options)}"
    nearest, estimate = (_longer(change, way) for change in _change(headline, way))
    if headline.counted is not None or nearest > more.cost:  # counts are the same, whatever was recorded
        return _with_clause(headline, clause)
    reason = f"{clause}, which can make its steps up to {rough(more.cost)} longer; {headline.reason}"
    if estimate > more.cost:
        verdict = weaker_verdict(headline.verdict)
        counts = None if headline.certainty is None else headline.certainty.captures
        return _with_clause(with_sentence(replace(headline, verdict=verdict), counts), clause, reason)
    sentence = f"Inconclusive: {clause}, which can make its steps up to {rough(more.cost)} longer."
    return replace(headline, verdict=Verdict.INCONCLUSIVE, sentence=sentence, reason=reason)


def _with_clause(headline: Headline, clause: str, reason: str = "") -> Headline:
    sentence = f"{headline.sentence.removesuffix('.')}; {clause}."
    return replace(headline, sentence=sentence, reason=reason or headline.reason)


def _change(headline: Headline, way: int) -> tuple[float, float]:
    """(end of the interval nearest to zero, estimate) of the change that the verdict is about, as fractions."""
    part = {Basis.PROGRAM: headline.program, Basis.MACHINE: headline.machine}.get(headline.basis) or headline.shift
    if part is None:
        return 0.0, 0.0
    at_least = None if headline.recorded is None or headline.basis is not Basis.RECORDED else headline.recorded.at_least
    nearest = part.low if way > 0 else part.high
    return (nearest if at_least is None else at_least), part.estimate


def _longer(change: float, way: int) -> float:
    """By which fraction the slower side takes longer than the other, given the candidate's change."""
    if way > 0:
        return change
    return 1 / (1 + change) - 1 if change > -1 else math.inf
