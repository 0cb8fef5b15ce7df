"""Range arithmetic and time stamps against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.compat.events.intervals import Ranges, intersect, running_total, subtract, union
from tb_perfcompare.analysis.compat.events.stream import microseconds

spans = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)).map(lambda s: (s[0], s[0] + s[1])), max_size=8)


def ranges(items: list[tuple[int, int]]) -> Ranges:
    table = np.array(items, dtype=np.int64).reshape(-1, 2)
    return union(table[:, 0], table[:, 1])


def cells(items: Ranges) -> set[int]:
    """Unit cells the ranges cover."""
    pairs = zip(items.start.tolist(), items.end.tolist(), strict=True)
    return {cell for start, end in pairs for cell in range(start, end)}


@given(spans, spans)
def test_ranges_behave_like_sets(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    a, b = ranges(left), ranges(right)
    assert cells(a) == {cell for start, end in left for cell in range(start, end)}
    assert cells(intersect(a, b)) == cells(a) & cells(b)
    assert cells(subtract(a, b)) == cells(a) - cells(b)


@given(spans, spans)
def test_ranges_stay_sorted_and_disjoint(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    a, b = ranges(left), ranges(right)
    for result in (a, intersect(a, b), subtract(a, b)):
        assert (result.start <= result.end).all()
        assert (result.end[:-1] <= result.start[1:]).all()
        assert result.total() == len(cells(result))


def test_an_empty_range_inside_a_longer_one_cuts_it() -> None:
    slot, point = ranges([(0, 10)]), ranges([(4, 4)])
    assert intersect(slot, point).start.tolist() == [4]
    assert subtract(slot, point).end.tolist() == [4, 10]


@given(st.lists(st.floats(0, 1e15)))
def test_totals_are_added_left_to_right(values: list[float]) -> None:
    total: float = 0
    for value in values:
        total += value
    assert running_total(np.array(values)) == total


@given(st.integers(-(10**18), 2 * 10**18))
def test_fractional_stamps_are_the_doubles_of_their_decimal_text(ns: int) -> None:
    whole, rest = divmod(abs(ns), 1000)
    written = float(f"{'-' if ns < 0 else ''}{whole}.{rest:03d}")
    assert microseconds(np.array([ns]), fractional=True).item() == written


@pytest.mark.parametrize(("ns", "us"), [(1_700_000_000_123_456_000, 1_700_000_000_123_456), (5000, 5)])
def test_whole_stamps_stay_integers(ns: int, us: int) -> None:
    value = microseconds(np.array([ns]), fractional=False).item()
    assert (value, type(value)) == (us, int)
