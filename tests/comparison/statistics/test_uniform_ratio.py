"""A uniform change is one of most of the work of both sides, whichever side is called the baseline."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.comparison.statistics.uniform_ratio import uneven_ratios, uniform_ratio
from tb_perfcompare.model.summary.tables import GroupTable

Row = tuple[int, int]
"""Calls and ns of each call."""


def kernels(rows: dict[str, Row], steps: int = 1) -> GroupTable:
    names = tuple(rows)
    calls = np.array([[calls] * steps for calls, _ in rows.values()], dtype=np.int64).reshape(len(names), steps)
    each = np.array([[ns] for _, ns in rows.values()], dtype=np.int64).reshape(len(names), 1)
    return GroupTable(("name",), tuple((name,) for name in names), names, calls, {"total": calls * each})


def rows(names: str, ns: int) -> dict[str, Row]:
    return {name: (1, ns) for name in names}


@pytest.mark.parametrize(
    ("new_ns", "ratio"),
    [(0, 1.3), (7_000, 1.3), (9_000, None)],
    ids=["the same kernels", "a new kernel", "a new kernel takes most of one side"],
)
def test_the_common_kernels_are_most_of_the_work_of_both_sides(new_ns: int, ratio: float | None) -> None:
    few, more = kernels(rows("abcdef", 1_000)), kernels(rows("abcdef", 1_300) | rows("g", new_ns))
    assert uniform_ratio(few, more) == (None if ratio is None else pytest.approx(ratio))
    assert uniform_ratio(more, few) == (None if ratio is None else pytest.approx(1 / ratio))


@pytest.mark.parametrize(("products_ns", "ratio"), [(1_000, None), (1_040, 1.07)])
def test_three_quarters_of_the_time_follow_a_uniform_ratio(products_ns: int, ratio: float | None) -> None:
    """Elementwise kernels take 7 % longer: a slower device if products take longer, too."""
    before = kernels(rows("abcdef", 1_000) | rows("xyz", 1_000))
    after = kernels(rows("abcdef", 1_070) | rows("xyz", products_ns))
    assert uniform_ratio(before, after) == (None if ratio is None else pytest.approx(ratio))


@pytest.mark.parametrize(
    ("slower", "ratios"),
    [((1.15, 1.5, 1.5, 2, 2, 4, 4, 4), (1.5, 4.0)), ((8, 1, 1, 1, 1, 1, 1, 1), None), ((1, 1, 1, 1, 2, 2, 4, 4), None)],
    ids=["an older CPU", "one operator alone", "half of them"],
)
def test_nearly_all_that_is_slower_by_unlike_ratios_is_uneven(
    slower: tuple[float, ...], ratios: tuple[float, float] | None
) -> None:
    """Operators that take equally long on the slower side."""
    after = kernels(rows("abcdefgh", 4_000))
    before = kernels({name: (1, round(4_000 / by)) for name, by in zip("abcdefgh", slower, strict=True)})
    forth, back = uneven_ratios(before, after), uneven_ratios(after, before)
    assert (forth is None, back is None) == (ratios is None, ratios is None)
    if ratios is not None:
        assert forth == pytest.approx(ratios, rel=0.01)
        assert back == pytest.approx(tuple(1 / ratio for ratio in ratios), rel=0.01)


SIDES = st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.integers(0, 3), st.integers(0, 1_000)), min_size=3)


@given(a=SIDES, b=SIDES, steps=st.integers(1, 3), ratio=st.sampled_from([1.0, 1.05, 1.3, 3.0]), like=st.booleans())
def test_exchanging_the_sides_gives_the_reciprocal(
    a: dict[str, Row], b: dict[str, Row], steps: int, ratio: float, like: bool
) -> None:
    if like:
        b = b | {name: (calls, round(ns * ratio)) for name, (calls, ns) in a.items()}
    tables = kernels(a), kernels(b, steps)
    forth, back = uniform_ratio(*tables), uniform_ratio(*tables[::-1])
    assert (forth is None) == (back is None)
    assert forth is None or back == pytest.approx(1 / forth)
