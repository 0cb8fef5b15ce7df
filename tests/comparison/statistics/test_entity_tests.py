"""Which rows of a table really changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.entity_tests import (
    CHANGES,
    Change,
    EntityTests,
    entity_tests,
    floor_ns,
    robust_z,
)
from tb_perfcompare.comparison.statistics.estimate import estimate_shift
from tb_perfcompare.comparison.statistics.multiple_testing import holm, q_values
from tb_perfcompare.comparison.statistics.row_shifts import row_shifts
from tests.growth import LARGER, grows_no_faster

Ints = NDArray[np.int64]
OPTIONS = CompareOptions()


def found_in(baseline: Ints, candidate: Ints, least_ns: float = 0.0, options: CompareOptions = OPTIONS) -> EntityTests:
    captures = np.zeros(baseline.shape[1], dtype=np.int32), np.zeros(candidate.shape[1], dtype=np.int32)
    present = baseline.any(axis=1), candidate.any(axis=1)
    delta = candidate.mean(axis=1) - baseline.mean(axis=1)
    return entity_tests(baseline, candidate, captures, present, delta, least_ns, options)


def changes_of(found: EntityTests) -> tuple[Change, ...]:
    return tuple(CHANGES[number] for number in found.changes)


def change_of(baseline: list[int], candidate: list[int], least_ns: float = 0.0) -> Change:
    (change,) = changes_of(found_in(np.array([baseline]), np.array([candidate]), least_ns))
    return change


@pytest.mark.parametrize(
    ("baseline", "candidate", "least_ns", "change"),
    [
        ([12, 10, 14, 11, 13], [32, 30, 34, 31, 33], 0, Change.SLOWER),
        ([32, 30, 34, 31, 33], [12, 10, 14, 11, 13], 0, Change.FASTER),
        ([12, 10, 14, 11, 13], [32, 30, 34, 31, 33], 100, Change.SLOWER_NEGLIGIBLE),
        ([10, 12, 11, 13, 14], [12, 11, 13, 10, 15], 1, Change.UNDETERMINED),
        ([10, 12, 11, 13, 14], [14, 13, 11, 12, 10], 1, Change.UNCHANGED),
        ([0, 0, 0, 0, 0], [5, 0, 0, 0, 0], 0, Change.ADDED),
        ([5, 5, 5, 5, 5], [0, 0, 0, 0, 0], 0, Change.REMOVED),
        ([10], [30], 0, Change.UNDETERMINED),
        ([10], [10], 0, Change.UNCHANGED),
    ],
)
def test_the_change_of_a_row(baseline: list[int], candidate: list[int], least_ns: float, change: Change) -> None:
    assert change_of(baseline, candidate, least_ns) is change


def test_one_observation_has_no_p() -> None:
    found = found_in(np.array([[5]]), np.array([[9]]))
    assert np.isnan([found.p[0], found.q[0], found.shift_ns[0], found.low_ns[0]]).all()


def test_no_rows_have_no_changes() -> None:
    assert changes_of(found_in(np.zeros((0, 4), dtype=np.int64), np.zeros((0, 5), dtype=np.int64))) == ()


@given(
    st.integers(2, 9).flatmap(
        lambda n: st.tuples(
            arrays(np.int64, (3, n), elements=st.integers(0, 40)),
            arrays(np.int64, (3, n + 1), elements=st.integers(0, 40)),
        )
    )
)
def test_rows_together_equal_each_row_alone(sides: tuple[Ints, Ints]) -> None:
    captures = tuple(np.zeros(side.shape[1], dtype=np.int32) for side in sides)
    found = row_shifts(*sides, captures, 0.05)
    for row in range(3):
        # one more on both sides changes no difference, and times may not be zero
        alone = estimate_shift(sides[0][row] + 1, sides[1][row] + 1, 0.05).difference
        if sorted(sides[0][row]) == sorted(sides[1][row]):
            assert (found.shift[row], found.low[row], found.high[row], found.p[row]) == (0, 0, 0, 1)
            continue
        assert found.shift[row] == float(alone.estimate_ns)
        if alone.level is None:
            assert np.isnan(found.low[row])
        else:
            assert (found.low[row], found.high[row]) == (alone.low_ns, alone.high_ns)


def test_a_row_that_looks_independent_by_chance_counts_as_autocorrelated_as_the_others() -> None:
    rising = np.arange(0, 1200, 100)
    mixed = rising[[3, 9, 1, 6, 11, 0, 5, 8, 2, 10, 4, 7]]
    sides = np.stack([rising, rising, mixed]), np.stack([rising, rising, mixed + 550])
    captures = np.zeros(12, dtype=np.int32), np.zeros(12, dtype=np.int32)
    alone, among = (row_shifts(*sides, captures, 0.05, alike=alike) for alike in ((), (slice(None),)))
    assert alone.p[2] < 0.05 < among.p[2]
    assert alone.high[2] < among.high[2]


def test_rows_that_vary_between_captures_are_not_significant() -> None:
    """Two captures per side of ten steps: steps within a capture agree, captures do not."""
    random = np.random.default_rng(5)
    captures = (np.repeat([0, 1], 10).astype(np.int32),) * 2
    levels = np.array([[1000, 1400, 1450, 1800], [1000, 1010, 2000, 2010]])
    values = np.repeat(levels, 10, axis=1) + random.integers(-20, 20, (2, 40))
    found = row_shifts(values[:, :20], values[:, 20:], captures, 0.05)
    assert found.p[0] > 0.05 > found.p[1]
    assert found.low[0] < 0 < found.low[1]


@given(arrays(np.int64, (4, 7), elements=st.integers(0, 30)), arrays(np.int64, (4, 6), elements=st.integers(0, 30)))
def test_swapping_the_sides_mirrors_every_figure(a: Ints, b: Ints) -> None:
    forward, swapped = found_in(a, b, 3.0), found_in(b, a, 3.0)
    assert np.array_equal(forward.p, swapped.p) and np.array_equal(forward.q, swapped.q)
    assert np.array_equal(forward.shift_ns, -swapped.shift_ns + 0.0)
    assert np.array_equal(forward.low_ns, -swapped.high_ns, equal_nan=True)
    mirror = {Change.SLOWER: Change.FASTER, Change.FASTER: Change.SLOWER, Change.ADDED: Change.REMOVED,
              Change.REMOVED: Change.ADDED, Change.SLOWER_NEGLIGIBLE: Change.FASTER_NEGLIGIBLE,
              Change.FASTER_NEGLIGIBLE: Change.SLOWER_NEGLIGIBLE}  # fmt: skip
    assert changes_of(forward) == tuple(mirror.get(change, change) for change in changes_of(swapped))


@given(arrays(np.int64, (5, 6), elements=st.integers(0, 10**12)))
def test_a_side_against_itself_is_unchanged(values: Ints) -> None:
    found = found_in(values, values)
    assert set(changes_of(found)) == {Change.UNCHANGED}
    assert not found.shift_ns.any() and not found.low_ns.any() and not found.high_ns.any()
    assert (found.q == 1).all()


@given(st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), max_size=40))
def test_q_values_are_those_of_scipy(values: list[float]) -> None:
    from scipy.stats import false_discovery_control

    p = np.array(values, dtype=np.float64)
    real = p[~np.isnan(p)]
    got = q_values(p)
    assert np.isnan(got).sum() == np.isnan(p).sum()
    if len(real):
        assert np.allclose(got[~np.isnan(p)], false_discovery_control(real), rtol=1e-12, atol=0)


def test_holm_by_hand() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.5])).tolist() == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm(np.array([0.4, 0.9])).tolist() == pytest.approx([0.8, 0.9])


def test_the_negligible_floor_grows_with_the_step() -> None:
    assert floor_ns(1e6, CompareOptions()) == 5000
    assert floor_ns(1e9, CompareOptions()) == 2e6


def test_z_is_never_infinite() -> None:
    assert robust_z(np.zeros((1, 4), dtype=np.int64), np.full((1, 4), 10**15)).tolist() == [99.0]
    assert robust_z(np.full((1, 4), 7), np.full((1, 4), 7)).tolist() == [0.0]


def test_only_the_planted_change_is_found() -> None:
    random = np.random.default_rng(3)
    sides = [np.rint(random.lognormal(0, 0.05, (200, 12)) * 10**6).astype(np.int64) for _ in range(2)]
    sides[1][17] += 400_000
    found = found_in(*sides, 5000.0)
    assert [row for row, change in enumerate(changes_of(found)) if change is Change.SLOWER] == [17]


@pytest.mark.parametrize("steps", [50, 100])
def test_time_grows_in_proportion_to_the_rows(steps: int) -> None:
    random = np.random.default_rng(1)
    few, many = ([random.integers(0, 10**6, (rows, steps)) for _ in range(2)] for rows in (500, 500 * LARGER))
    assert grows_no_faster(lambda: found_in(*few), lambda: found_in(*many))


def test_a_row_of_equal_means_has_no_direction() -> None:
    """Nine of ten steps are clearly longer, one makes up for them; every change is material."""
    baseline, candidate = [100] * 10, [110] * 9 + [10]
    assert change_of(baseline, candidate) is change_of(candidate, baseline) is Change.UNCHANGED


@pytest.mark.parametrize("zeros", [0.0, 0.6, 1.0])
def test_both_algorithms_give_the_same_shifts(monkeypatch: pytest.MonkeyPatch, zeros: float) -> None:
    draw = np.random.default_rng(7)
    sides = [draw.normal(size, 5_000, (3, count)).astype(np.int64) for size, count in ((1e6, 120), (1.002e6, 150))]
    for side in sides:
        side[draw.random(side.shape) < zeros] = 0
    plain = found_in(*sides)
    monkeypatch.setattr("tb_perfcompare.comparison.statistics.row_shifts._DENSE_PAIRS", 0)
    monkeypatch.setattr("tb_perfcompare.comparison.statistics.hodges_lehmann.DENSE_LIMIT", 0)
    sparing = found_in(*sides)
    for field in ("shift_ns", "low_ns", "high_ns"):
        np.testing.assert_array_equal(getattr(sparing, field), getattr(plain, field))
