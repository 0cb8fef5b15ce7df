"""Cells of owned time: adding up, and keeping the largest rows with and without their keys at hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.model.summary import split_time as module
from tb_perfcompare.model.summary.split_time import SplitTime, add_cells, listed, split_time

KEYS = [(group, name) for group in "pq" for name in "abcdef"]
CELLS = st.lists(
    st.tuples(st.integers(0, len(KEYS) - 1), st.integers(0, 3), st.integers(0, 5), st.integers(0, 2)), max_size=30
)


def plain(split: SplitTime) -> tuple[object, ...]:
    cells = zip(split.row.tolist(), split.step.tolist(), split.time_ns.tolist(), split.calls.tolist(), strict=True)
    return split.keys, list(cells)


@pytest.mark.parametrize("sparse", [False, True])
@given(drawn=CELLS, most=st.integers(1, 6))
def test_the_largest_rows_are_the_same_with_and_without_keys(
    sparse: bool, drawn: list[tuple[int, int, int, int]], most: int
) -> None:
    row, step, time, calls = (np.array([cell[i] for cell in drawn], dtype=np.int64) for i in range(4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "is_sparse", lambda size, count, most=8: sparse and size > 0)
        after = split_time(KEYS, row, step, time, calls).largest(most, lambda key: (key[0], "rest"))
        cells = add_cells(len(KEYS), [(row, step, time)], [(row, step, calls)])
        group = np.arange(len(KEYS)) // 6
        kept, is_rest, pooled = cells.largest(most, lambda rows, many: np.sort(rows)[:many], group)
        keys = [(key[0], "rest") if rest else key for key, rest in zip(KEYS, is_rest.tolist(), strict=True)]
        before = kept.named(listed(keys))
    assert plain(before) == plain(after)
    assert pooled == after.pooled


@given(CELLS)
def test_cells_at_the_same_place_are_added(drawn: list[tuple[int, int, int, int]]) -> None:
    row, step, time, calls = (np.array([cell[i] for cell in drawn], dtype=np.int64) for i in range(4))
    cells = add_cells(len(KEYS), [(row, step, time)], [(row, step, calls)])
    expected: dict[tuple[int, int], list[int]] = {}
    for r, s, t, c in drawn:
        both = expected.setdefault((r, s), [0, 0])
        both[0] += t
        both[1] += c
    got = zip(cells.row.tolist(), cells.step.tolist(), cells.time_ns.tolist(), cells.calls.tolist(), strict=True)
    assert {(r, s): [t, c] for r, s, t, c in got} == {at: both for at, both in expected.items() if any(both)}
