"""Rows kept as columns equal the original rows, however they are accessed."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from tb_perfcompare.comparison.result.table import ColumnRows, Row, cells_of, numbers_of, picked

MANY = 1_300
"""More than two blocks."""

ROWS: tuple[Row, ...] = tuple((f"r{n}", None if n % 7 == 3 else n / 4, n % 2 == 0, -0.0) for n in range(MANY))


def kept_as_columns() -> ColumnRows:
    name, number, flag, zero = zip(*ROWS, strict=True)
    numbers = np.array([np.nan if cell is None else cell for cell in number], dtype=np.float64)
    return ColumnRows((name, numbers, flag, np.array(zero)), MANY)


def test_rows_are_those_of_the_columns() -> None:
    rows = kept_as_columns()
    assert len(rows) == MANY
    assert tuple(rows) == ROWS
    assert repr(rows[:9]) == repr(ROWS[:9])
    assert rows == ROWS and rows != ROWS[1:] and rows != "rows"
    assert hash(rows) == hash(ROWS)


@pytest.mark.parametrize("at", [0, 3, -1, MANY - 1])
def test_one_row_by_index(at: int) -> None:
    assert kept_as_columns()[at] == ROWS[at]


@pytest.mark.parametrize("at", [slice(None), slice(5), slice(600, 2_000), slice(None, None, 40), slice(9, 3)])
def test_rows_by_slice(at: slice) -> None:
    assert kept_as_columns()[at] == ROWS[at]


@pytest.mark.parametrize("at", [MANY, -MANY - 1])
def test_an_index_beyond_the_last_row_is_an_error(at: int) -> None:
    with pytest.raises(IndexError):
        kept_as_columns()[at]


@pytest.mark.parametrize("numbers", [range(7, 900), range(0), [5, 3, 1_299], []])
def test_picked_rows_equal_those_of_a_tuple(numbers: range | list[int]) -> None:
    mine, plain = picked(kept_as_columns(), numbers), picked(ROWS, numbers)
    assert tuple(mine) == tuple(plain) == tuple(ROWS[number] for number in numbers)


def test_cells_of_a_column() -> None:
    rows = kept_as_columns()
    for column in range(4):
        assert list(cells_of(rows, column)) == list(cells_of(ROWS, column))
    assert numbers_of(rows, 0) is None and numbers_of(ROWS, 1) is None
    numbers = numbers_of(rows, 1)
    assert numbers is not None and np.isnan(numbers[3])


def test_rows_survive_pickling() -> None:
    assert pickle.loads(pickle.dumps(kept_as_columns())) == ROWS
