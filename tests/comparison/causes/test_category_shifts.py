"""How far a category's exposed time per step moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_perfcompare import Comparison, compare
from tests.drawn_runs import write_pair


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """The candidate's loader takes 500 us longer in each of eight steps."""
    return write_pair(tmp_path)


def shifts(comparison: Comparison) -> dict[str, tuple[float | None, ...]]:
    frame = comparison.tables["categories"]
    names = [column.name for column in frame.columns]
    at = [names.index(name) for name in ("shift_low_us", "shift_us", "shift_high_us")]
    return {str(row[0]): tuple(row[index] for index in at) for row in frame.rows}  # type: ignore[misc]


def test_the_category_that_moved_and_one_that_did_not(pair: tuple[Path, Path]) -> None:
    found = shifts(compare(*pair))
    assert found["DataLoader"] == (500.0, 500.0, 500.0)
    assert found["Kernel"] == (0.0, 0.0, 0.0)
    low, middle, high = found["Other"]
    assert low is not None and middle is not None and high is not None
    assert low <= middle <= high


def test_swapping_the_sides_negates_and_exchanges_the_ends(pair: tuple[Path, Path]) -> None:
    one, other = shifts(compare(*pair)), shifts(compare(*reversed(pair)))
    for label, (low, middle, high) in one.items():
        assert low is not None and middle is not None and high is not None
        assert other[label] == (-high, -middle, -low), label


def test_one_step_has_no_shifts(pair: tuple[Path, Path]) -> None:
    assert set(shifts(compare(*pair, steps=(3, 3))).values()) == {(None, None, None)}
