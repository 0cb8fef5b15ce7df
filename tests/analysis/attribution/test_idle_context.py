"""What lies around a gap: found among times in their order."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.attribution.owned_parts import _places

TIMES = st.lists(st.integers(0, 9), max_size=20)


@pytest.mark.parametrize("side", ["left", "right"])
@given(times=TIMES, wanted=TIMES)
def test_places_are_those_of_a_search_in_a_sorted_copy(
    times: list[int], wanted: list[int], side: Literal["left", "right"]
) -> None:
    unordered, sought = np.array(times, dtype=np.int64), np.array(wanted, dtype=np.int64)
    order = np.argsort(unordered, kind="stable").astype(np.int32)
    found = _places(unordered, order, sought, side)
    assert found.tolist() == np.searchsorted(np.sort(unordered), sought, side).tolist()
