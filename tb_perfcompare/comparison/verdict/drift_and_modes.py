"""Sentences on drift of the steps over time and on bimodal step times, which no single shift describes."""

from __future__ import annotations

import numpy as np

from tb_perfcompare.comparison.result.wording import percent_text, time_text
from tb_perfcompare.comparison.statistics.autocorrelation import Captures
from tb_perfcompare.comparison.statistics.drift import drift
from tb_perfcompare.comparison.statistics.noise_floor import Times
from tb_perfcompare.comparison.statistics.two_groups import two_groups
from tb_perfcompare.comparison.verdict.words import SIDES, Words
from tb_perfcompare.model.arrays import unique

_NAMED = 3
"""Number of drifts that the sentence names; notes name all."""


def two_groups_named(times: Times, captures: Captures, words: Words) -> str:
    """Clause on sides with bimodal step times: "; bimodal: the steps of the candidate fall into two groups, 8 around
    123 ms and 4 around 176 ms"; "" if there are none."""
    clauses = []
    for word, side, capture in zip(SIDES, times, captures, strict=True):
        groups = two_groups(side, capture)
        if groups is not None:
            clauses.append(
                f"the {words.noun}s of the {word} fall into two groups, {groups.low_count} around "
                f"{time_text(groups.low_ns / 1000)} and {groups.high_count} around {time_text(groups.high_ns / 1000)}"
            )
    return f"; bimodal: {' and '.join(clauses)}" if clauses else ""


def drifts_named(times: Times, captures: Captures, words: Words) -> str:
    """Clause on drifts: "; drift: from cycle 12 on, candidate cycles are 5.20 % shorter"; "" if there are none."""
    clauses = []
    for place, word in enumerate(SIDES):
        for which in unique(captures[place]).tolist():
            places = np.flatnonzero(captures[place] == which)
            changed = drift(times[place][places])
            if changed is not None:
                start = int(places[changed.start])
                label = words.labels[place][start] if words.labels else str(start + 1)
                how = f"{percent_text(abs(changed.shift))} {'longer' if changed.shift > 0 else 'shorter'}"
                clauses.append(f"from {words.noun} {label} on, {word} {words.noun}s are {how}")
    if not clauses:
        return ""
    more = f" and {len(clauses) - _NAMED} more" if len(clauses) > _NAMED else ""
    return f"; drift: {', '.join(clauses[:_NAMED])}{more}"
