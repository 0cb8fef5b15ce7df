"""Verdicts of several candidates against one baseline, adjusted for their number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.candidates import adjusted
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.multiple_testing import holm
from tb_perfcompare.comparison.verdict.rules import settle

ALPHA = 0.05
CALLS = (Verdict.SLOWER, Verdict.FASTER, Verdict.PROBABLY_SLOWER, Verdict.PROBABLY_FASTER)
HEADLINE = Headline(
    metric="step_time", unit="us", baseline=1.0, candidate=1.0, delta=0.0, ratio=1.0, shift=None, p=None, n=(9, 9),
    verdict=Verdict.SLOWER, reason="", margin=0.01, inflation=1.0, scope="", method="",
)  # fmt: skip


def headline(p: float | None, verdict: Verdict = Verdict.SLOWER) -> Headline:
    return replace(HEADLINE, p=p, verdict=verdict)


def holds(*headlines: Headline | None) -> list[bool | None]:
    return [None if headline is None else headline.stands for headline in adjusted(headlines, ALPHA)]


def test_p_is_adjusted_by_holms_method() -> None:
    found = adjusted([headline(0.04), headline(0.01), headline(0.02)], ALPHA)
    assert [one.p for one in found if one] == pytest.approx([0.04, 0.03, 0.04])
    assert holds(headline(0.04), headline(0.03), headline(0.03)) == [False, False, False]


def test_one_candidate_is_not_adjusted() -> None:
    (one,) = adjusted([headline(0.05)], ALPHA)
    assert one is not None and (one.p, one.stands) == (0.05, True)


def test_a_verdict_without_a_direction_counts_as_a_comparison_but_is_not_judged() -> None:
    assert holds(headline(0.03), headline(0.9, Verdict.SAME), headline(0.2, Verdict.INCONCLUSIVE)) == [
        False,
        None,
        None,
    ]


def test_a_withheld_verdict_is_not_counted() -> None:
    withheld = headline(0.001, Verdict.WITHHELD)
    assert holds(headline(0.05), None, headline(None, Verdict.INCONCLUSIVE), withheld) == [True, None, None, None]
    assert adjusted([], ALPHA) == () and adjusted([None], ALPHA) == (None,)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.randoms())
def test_adjusting_never_lowers_p_and_ignores_the_order_of_candidates(values: list[float], random: object) -> None:
    found = adjusted([headline(p) for p in values], ALPHA)
    for p, one in zip(values, found, strict=True):
        assert one is not None and one.p >= p and one.stands == (one.p <= ALPHA)
    backwards = adjusted([headline(p) for p in reversed(values)], ALPHA)
    assert backwards[::-1] == found
    assert sum(bool(one and one.stands) for one in found) <= sum(p <= ALPHA for p in values)
    assert [one.p for one in found if one] == list(holm(np.array(values)))


def test_tables_of_equal_runs_rarely_have_a_verdict_that_holds() -> None:
    """60 tables of 12 candidates: a direction at 5 % each is common, an adjusted one rare."""
    random = np.random.default_rng(4)
    options = CompareOptions()
    any_verdict = any_stands = 0
    captures = (np.zeros(12, dtype=np.int32), np.zeros(12, dtype=np.int32))

    def run() -> np.ndarray:
        return np.rint(np.exp(random.normal(0, 0.02, 12)) * 1e7).astype(np.int64)

    for _ in range(60):
        baseline = run()
        found = [settle((baseline, run()), captures, options) for _ in range(12)]
        headlines = [headline(one.estimate.p, one.verdict) for one in found]
        any_verdict += any(headline.verdict in CALLS for headline in headlines)
        any_stands += any(headline is not None and headline.stands for headline in adjusted(headlines, ALPHA))
    assert any_verdict >= 5
    assert any_stands <= 4
