"""Rows joined by equal integers: the last row in a given order wins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.columns.numbering import last_equal
from tb_perfcompare.model.events import ABSENT

FAR = 2**62
IDS = st.lists(st.tuples(st.sampled_from((0, 1, 2, 3, 50, -4)), st.integers(0, 3)), max_size=12)


@pytest.mark.parametrize("far", [0, FAR])
@given(rows=IDS, wanted=st.lists(st.sampled_from((0, 1, 2, 7, 50, -4, FAR, -FAR, ABSENT)), max_size=8))
def test_the_last_equal_row_in_the_given_order_is_found(
    far: int, rows: list[tuple[int, int]], wanted: list[int]
) -> None:
    keys = np.array([key for key, _ in rows] + [far] * bool(far), dtype=np.int64)
    when = np.array([time for _, time in rows] + [0] * bool(far), dtype=np.int64)
    found = last_equal(keys, np.array(wanted, dtype=np.int64), lambda: np.argsort(when, kind="stable"))
    latest = {int(keys[i]): i for i in np.argsort(when, kind="stable").tolist()}
    assert found.tolist() == [latest.get(key, -1) for key in wanted]


def test_the_order_of_unique_keys_is_not_computed() -> None:
    keys = np.array([5, 3, FAR, 4])
    for unique in (keys, keys[[0, 1, 3]]):
        assert last_equal(unique, unique, lambda: pytest.fail("computed")).tolist() == list(range(len(unique)))
