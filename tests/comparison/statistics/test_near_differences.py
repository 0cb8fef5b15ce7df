"""A few of very many pairwise differences, found without all of them in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from tb_perfcompare.comparison.statistics import row_shifts
from tb_perfcompare.comparison.statistics.row_shifts import differences_near
from tests.comparison.statistics.test_entity_tests import found_in

Ints = NDArray[np.int64]
FEW_VALUES = st.integers(0, 4)
ANY_VALUES = st.integers(0, 2**62 - 1)


def samples(values: st.SearchStrategy[int]) -> st.SearchStrategy[Ints]:
    return arrays(np.int64, st.integers(1, 300), elements=values)


@given(values=st.sampled_from([FEW_VALUES, ANY_VALUES]), data=st.data())
def test_they_equal_the_sorted_pairwise_differences(values: st.SearchStrategy[int], data: st.DataObject) -> None:
    baseline, candidate = data.draw(samples(values)), data.draw(samples(values))
    everything = np.sort(np.subtract.outer(candidate, baseline).ravel())
    ranks = data.draw(st.lists(st.integers(1, len(everything)), min_size=1, max_size=4))
    assert differences_near(baseline, candidate, ranks).tolist() == everything[np.array(ranks) - 1].tolist()


@pytest.mark.parametrize("zeros", [0.0, 0.6, 1.0])
def test_both_algorithms_give_the_same_shifts(monkeypatch: pytest.MonkeyPatch, zeros: float) -> None:
    draw = np.random.default_rng(7)
    sides = [draw.normal(size, 5_000, (3, count)).astype(np.int64) for size, count in ((1e6, 120), (1.002e6, 150))]
    for side in sides:
        side[draw.random(side.shape) < zeros] = 0
    plain = found_in(*sides)
    monkeypatch.setattr(row_shifts, "_DENSE_PAIRS", 0)
    sparing = found_in(*sides)
    for field in ("shift_ns", "low_ns", "high_ns"):
        np.testing.assert_array_equal(getattr(sparing, field), getattr(plain, field))
