"""The Mann-Whitney test against scipy, published tables and counting."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from tb_perfcompare.comparison.statistics.autocorrelation import INFLATION_IGNORED
from tb_perfcompare.comparison.statistics.rank_test import EXACT_LIMIT, batched_rank_test, interval_rank, smallest_p

Sample = NDArray[np.int64]


def rows(*values: int) -> Sample:
    return np.array([values], dtype=np.int64)


def without_ties(generator: np.random.Generator, n: int, m: int) -> tuple[Sample, Sample]:
    pool = generator.permutation(10 * (n + m))[: n + m].astype(np.int64)
    return pool[np.newaxis, :n], pool[np.newaxis, n:]


def orderings_by_u(n: int, m: int) -> Counter[int]:
    """U of every ordering of n baseline and m candidate values, counted one by one."""
    counts: Counter[int] = Counter()
    for places in itertools.combinations(range(n + m), m):
        counts[sum(place - i for i, place in enumerate(places))] += 1
    return counts


@pytest.mark.parametrize("trial", range(12))
def test_p_equals_scipy_without_ties(trial: int) -> None:
    generator = np.random.default_rng(trial)
    n, m = generator.integers(2, 61, size=2).tolist()
    a, b = without_ties(generator, n, m)
    method = "exact" if max(n, m) <= EXACT_LIMIT else "asymptotic"
    expected = scipy.stats.mannwhitneyu(b[0], a[0], method=method)
    ours = batched_rank_test(a, b, ordered=False)
    assert ours.twice_u[0] == 2 * expected.statistic
    assert ours.p[0] == pytest.approx(expected.pvalue, rel=1e-9)
    assert bool(ours.countable[0]) == (method == "exact")


@pytest.mark.parametrize("trial", range(12))
def test_p_equals_scipy_with_ties(trial: int) -> None:
    generator = np.random.default_rng(trial)
    n, m = generator.integers(2, 61, size=2).tolist()
    a, b = generator.integers(0, 6, size=(1, n)), generator.integers(0, 7, size=(1, m))
    b[0, 0] = a[0, 0]
    expected = scipy.stats.mannwhitneyu(b[0], a[0], method="asymptotic")
    ours = batched_rank_test(a, b, ordered=False)
    assert ours.twice_u[0] == 2 * expected.statistic
    assert not ours.countable[0]
    assert ours.p[0] == pytest.approx(expected.pvalue, rel=1e-9)


def test_equal_values_have_p_one() -> None:
    test = batched_rank_test(rows(5, 5, 5), rows(5, 5, 5, 5))
    assert (test.p[0], test.cliffs_delta[0], test.tie_factor[0], test.neighbors.inflation[0]) == (1.0, 0.0, 0.0, 1.0)


def test_one_value_on_each_side_has_p_one() -> None:
    test = batched_rank_test(rows(5), rows(7))
    assert (test.p[0], test.cliffs_delta[0], test.neighbors.inflation[0]) == (1.0, 1.0, 1.0)


def test_a_batch_equals_its_rows_alone() -> None:
    generator = np.random.default_rng(7)
    a, b = generator.integers(0, 40, size=(30, 12)), generator.integers(0, 40, size=(30, 9))
    a[0], b[0] = 2 * generator.permutation(12), 2 * generator.permutation(9) + 1
    together = batched_rank_test(a, b)
    assert together.countable.any()
    assert not together.countable.all()
    for i in range(30):
        alone = batched_rank_test(a[i : i + 1], b[i : i + 1])
        for field in ("twice_u", "cliffs_delta", "tie_factor", "countable", "p_alone", "p"):
            assert getattr(together, field)[i] == getattr(alone, field)[0]
        assert together.neighbors.rho[i] == alone.neighbors.rho[0]


def test_exact_p_and_interval_rank_against_counting_every_ordering() -> None:
    for n, m in itertools.product(range(1, 7), repeat=2):
        counts, total = orderings_by_u(n, m), math.comb(n + m, n)
        for alpha in (0.01, 0.05, 0.1, 0.3):
            k, level = interval_rank(n, m, alpha, exact=True)
            # k is the largest with P(U <= k-1) <= alpha/2; integers, so that 1/20 is 1/20
            tails = [sum(counts[u] for u in range(k)) for k in range(1, n * m // 2 + 2)]
            assert k == sum(1 for tail in tails if 2 * tail * 100 <= round(100 * alpha) * total)
            assert level is None if k == 0 else level == pytest.approx(1 - 2 * tails[k - 1] / total)
        assert smallest_p(n, m) == min(1.0, 2 / total)


@pytest.mark.parametrize(
    ("n", "m", "critical_u"),
    [(3, 5, 0), (4, 6, 2), (5, 5, 2), (5, 10, 8), (6, 6, 5), (8, 8, 13), (10, 10, 23), (12, 12, 37), (20, 20, 127)],
)
def test_interval_rank_against_the_printed_table_of_critical_values(n: int, m: int, critical_u: int) -> None:
    # the table gives the largest U that is significant at 0.05 two-sided
    assert interval_rank(n, m, 0.05, exact=True)[0] == critical_u + 1


def test_r_help_page_example() -> None:
    # the two samples of R's ?wilcox.test, in hundredths: W = 35, one-sided p = 0.1272
    x = rows(80, 83, 189, 104, 145, 138, 191, 164, 73, 146)
    y = rows(115, 88, 90, 74, 121)
    test = batched_rank_test(y, x, ordered=False)
    assert test.twice_u[0] == 2 * 35
    assert test.p[0] == pytest.approx(2 * 0.1272, abs=1e-4)


@pytest.mark.parametrize(("n", "m", "level"), [(3, 3, None), (2, 5, None), (4, 4, 1 - 2 / 70), (1, 39, 0.95)])
def test_levels_of_few_steps(n: int, m: int, level: float | None) -> None:
    assert interval_rank(n, m, 0.05, exact=True)[1] == (None if level is None else pytest.approx(level))


def test_ties_make_no_interval_where_p_cannot_be_significant() -> None:
    # the normal approximation alone would find k = 1 here, but complete separation has p = 0.056
    assert smallest_p(2, 7) > 0.05
    assert interval_rank(2, 7, 0.05, exact=False, tie_factor=0.7) == (0, None)


def test_normal_rank_approaches_the_exact_one() -> None:
    for n in (20, 35, 50):
        exact, normal = interval_rank(n, n, 0.05, exact=True), interval_rank(n, n, 0.05, exact=False)
        assert abs(exact[0] - normal[0]) <= 1
        assert normal[1] == pytest.approx(0.95, abs=0.006)


def test_p_of_autocorrelated_steps() -> None:
    test = batched_rank_test(rows(1, 2, 3, 4), rows(11, 12, 13, 14))
    inflation = test.neighbors.inflation[0]
    assert inflation > INFLATION_IGNORED
    z = (16 - 8) / math.sqrt(16 * 9 / 12) / inflation
    assert test.p[0] == pytest.approx(2 * scipy.stats.t.sf(z, 4))
    assert test.p_alone[0] == 2 / 70


def test_a_small_inflation_is_ignored() -> None:
    test = batched_rank_test(rows(1, 4, 2, 3), rows(11, 14, 12, 13))
    assert test.neighbors.inflation[0] <= INFLATION_IGNORED
    assert test.p[0] == test.p_alone[0] == 2 / 70


def test_different_levels_of_captures_are_not_autocorrelation() -> None:
    # two captures of one side, each without order in itself, far apart
    a = rows(10, 13, 11, 12, 50, 53, 51, 52)
    b = rows(30, 33, 31, 32)
    captures = np.repeat([0, 1], 4).astype(np.int32), np.zeros(4, dtype=np.int32)
    assert batched_rank_test(a, b).neighbors.inflation[0] > 1.25
    assert batched_rank_test(a, b, captures=captures).neighbors.inflation[0] <= INFLATION_IGNORED


def test_ten_thousand_entities_in_one_batch() -> None:
    generator = np.random.default_rng(3)
    a = generator.integers(0, 10**6, size=(10_000, 50)) * generator.integers(0, 2, size=(10_000, 50))
    b = generator.integers(0, 10**6, size=(10_000, 50))
    test = batched_rank_test(a, b)
    picked = [0, 4_999, 9_999]
    for i in picked:
        expected = scipy.stats.mannwhitneyu(b[i], a[i], method="asymptotic").statistic
        assert test.twice_u[i] == 2 * expected
    assert np.isfinite(test.p).all()
    assert ((test.p >= 0) & (test.p <= 1)).all()
