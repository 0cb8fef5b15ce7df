"""Numbering of codes, sums by them and joins of equal integers, compared with Python's collections."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.columns import grouping, numbering
from tb_perfcompare.analysis.columns.grouping import Cells, added_cells
from tb_perfcompare.analysis.columns.numbering import (
    factorize,
    gather,
    last_equal,
    numbered_pairs,
    rows_where,
    scatter_add,
)
from tb_perfcompare.model import arrays
from tb_perfcompare.model.arrays import chunks
from tb_perfcompare.model.events import ABSENT
from tests.analysis.passes_tools import FORMS, form

both_forms = pytest.mark.parametrize("compiled", FORMS)
PAIRS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from((0, 1, 7, 90_000))), max_size=30)
FAR = 2**62
IDS = st.lists(st.tuples(st.sampled_from((0, 1, 2, 3, 50, -4)), st.integers(0, 3)), max_size=12)
ROWS = st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 2), st.integers(-9, 9)), max_size=20)


@both_forms
@pytest.mark.parametrize("large", [8, 90_000])
@given(pairs=PAIRS, dtype=st.sampled_from((np.int8, np.int32, np.int64)))
def test_codes_are_numbered_in_ascending_order(
    compiled: bool, large: int, pairs: list[tuple[int, int]], dtype: type
) -> None:
    pairs = [(first, min(second, large)) for first, second in pairs]
    first, second = (np.array([pair[i] for pair in pairs], dtype=np.int64) for i in range(2))
    with form(compiled):
        codes, place = factorize(first.astype(dtype), 5)
        both, at = numbered_pairs(first.astype(dtype), 5, second, large + 1)
    assert codes.tolist() == sorted(set(first.tolist()))
    assert codes[place].tolist() == first.tolist()
    assert [divmod(code, large + 1) for code in both.tolist()] == sorted(set(pairs))
    assert [divmod(code, large + 1) for code in both[at].tolist()] == pairs


def test_many_distinct_codes_are_numbered() -> None:
    codes = np.random.default_rng(3).integers(0, 1 << 40, 5_000)
    found, place = factorize(np.concatenate([codes, codes[::-1]]), 1 << 40)
    assert found.tolist() == sorted(set(codes.tolist()))
    assert found[place].tolist() == [*codes.tolist(), *codes[::-1].tolist()]


@both_forms
@given(rows=ROWS)
def test_values_are_summed_by_row_and_column(compiled: bool, rows: list[tuple[int, int, int]]) -> None:
    row, column, value = (np.array([cell[i] for cell in rows], dtype=np.int64) for i in range(3))
    expected: Counter[tuple[int, int]] = Counter()
    count: Counter[tuple[int, int]] = Counter()
    for r, c, v in rows:
        if r >= 0 and c >= 0:
            expected[r, c] += v
            count[r, c] += 1
    with form(compiled):
        sums = scatter_add(row.astype(np.int32), 4, column, 3, value)
        counted = scatter_add(row, 4, column.astype(np.int32), 3)
        backwards = np.arange(len(rows))[::-1]
        looked_up = scatter_add(
            (row[::-1].copy(), backwards), 4, (column, np.arange(len(rows))), 3, (value, backwards[::-1])
        )
    assert sums.tolist() == [[expected[r, c] for c in range(3)] for r in range(4)]
    assert counted.tolist() == [[count[r, c] for c in range(3)] for r in range(4)]
    assert looked_up.tolist() == sums.tolist()


@both_forms
def test_negative_indices_are_skipped(compiled: bool) -> None:
    """rows 1, none, 0; values 5, 6, none"""
    with form(compiled):
        sums = scatter_add((np.array([0, 1]), np.array([1, -1, 0])), 2, value=(np.array([5, 6]), np.array([0, 1, -1])))
    assert sums.tolist() == [[0], [5]]


@both_forms
@pytest.mark.parametrize("small", [0, 1 << 16])
@given(rows=ROWS, more=ROWS)
def test_cells_without_time_and_calls_are_left_out(
    compiled: bool, small: int, rows: list[tuple[int, int, int]], more: list[tuple[int, int, int]]
) -> None:
    parts: list[Cells] = []
    for listed in (rows, more):
        row, step, value = (np.array([cell[i] for cell in listed], dtype=np.int64) for i in range(3))
        parts.append((row, (step, np.arange(len(step))), value))
    with form(compiled), pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_SMALL", small)
        found = added_cells(4, 3, parts, [(parts[0][0], parts[0][1], None)])
    time: Counter[tuple[int, int]] = Counter()
    calls = Counter((r, s) for r, s, _ in rows if r >= 0 and s >= 0)
    for r, s, v in (*rows, *more):
        if r >= 0 and s >= 0:
            time[r, s] += v
    expected = [(r, s, time[r, s], calls[r, s]) for r in range(4) for s in range(3) if time[r, s] or calls[r, s]]
    columns = (found.row.tolist(), found.step.tolist(), found.time_ns.tolist(), found.calls.tolist())
    assert list(zip(*columns, strict=True)) == expected


def test_chunks_cover_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_PORTION", 3)
    assert list(chunks(7)) == [slice(0, 3), slice(3, 6), slice(6, 7)]
    assert list(chunks(0)) == [slice(0, 0)]
    assert gather(np.array([7, 8, 9]), np.array([2, 0, -1, 1], dtype=np.int32)).tolist() == [9, 7, 9, 8]


@both_forms
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int16, np.int32, np.int64, np.float64])
def test_gather_equals_indexing(compiled: bool, dtype: type) -> None:
    values = (np.arange(300) % 5).astype(dtype)
    many = np.arange(numbering._MANY, dtype=np.int32) % 600 - 300
    for at in (np.arange(-300, 300), many, many[::-1], many[:9]):
        with form(compiled):
            found, spread = gather(values, at), gather(values[::3], at // 3)
        assert found.flags.writeable and found.dtype == dtype and np.array_equal(found, values[at])
        assert np.array_equal(spread, values[::3][at // 3])


@given(st.lists(st.booleans(), max_size=12))
def test_rows_where_gives_the_true_rows(chosen: list[bool]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_PORTION", 5)
        assert rows_where(np.array(chosen, dtype=np.bool_)).tolist() == [i for i, flag in enumerate(chosen) if flag]


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
