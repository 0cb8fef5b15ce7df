"""Paths through a forest and sums to ancestors, compared with naive loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_perfcompare.analysis.columns.nesting import least_below
from tb_perfcompare.analysis.columns.paths import cells_upwards, found_paths, nearest
from tests.analysis.passes_tools import FORMS, form

both_forms = pytest.mark.parametrize("compiled", FORMS)


@st.composite
def forests(draw: st.DrawFn) -> list[int]:
    """The parent of each row, an earlier row or -1."""
    return [draw(st.integers(-1, row - 1)) for row in range(draw(st.integers(0, 12)))]


def levels(above: list[int]) -> list[int]:
    found: list[int] = []
    for upper in above:
        found.append(found[upper] + 1 if upper >= 0 else 0)
    return found


@both_forms
def test_rows_of_one_name_with_one_parent_are_one_node(compiled: bool) -> None:
    """
    step - a - b     two calls of a, and each calls b; c is not requested
         - a - b
         - c
    """
    above, key = np.array([-1, 0, -1, 2, -1]), np.array([0, 1, 0, 1, 2])
    wanted = np.array([False, True, False, True, False])
    with form(compiled):
        found = found_paths(above, np.zeros(5, np.int64), key, wanted, np.array([0]))
    assert found.node.tolist() == [1, 2, 1, 2, -1]
    assert (found.parent.tolist(), found.key.tolist(), found.depth.tolist()) == ([0, 1], [0, 1], [1, 2])


@both_forms
def test_more_paths_than_the_initial_capacity_are_found(compiled: bool) -> None:
    """one row with 9,000 names below it"""
    above, key = np.append(-1, np.zeros(9_000, np.int64)), np.append(0, np.arange(9_000)[::-1])
    with form(compiled):
        found = found_paths(above, np.zeros(9_001, np.int64), key, np.ones(9_001, bool), np.array([0]))
    assert found.node.tolist() == [1, *range(9_001, 1, -1)]
    assert found.key.tolist() == [0, *range(9_000)]


@both_forms
@given(above=forests(), data=st.data())
def test_paths_are_numbered_by_level_then_parent_then_key(
    compiled: bool, above: list[int], data: st.DataObject
) -> None:
    def numbers(most: int) -> list[int]:
        return data.draw(st.lists(st.integers(0, most), min_size=len(above), max_size=len(above)))

    root, key, wanted = numbers(2), numbers(3), [bool(number) for number in numbers(1)]
    depth = [0, 4, 1]
    columns = np.array(above, np.int32), np.array(root, np.int64), np.array(key, np.int32), np.array(wanted, bool)
    with form(compiled):
        found = found_paths(*columns, np.array(depth))
    used = list(wanted)
    for row in reversed(range(len(above))):
        if used[row] and above[row] >= 0:
            used[above[row]] = True
    node = [-1] * len(above)
    nodes: list[tuple[int, int, int]] = []
    level = levels(above)
    for now in range(len(above)):
        here = [row for row in range(len(above)) if used[row] and level[row] == now]
        pairs = {row: (node[above[row]] if above[row] >= 0 else root[row], key[row]) for row in here}
        for upper, name in sorted(set(pairs.values())):
            deep = depth[upper] if upper < 3 else nodes[upper - 3][2]
            nodes.append((upper, name, deep + 1))
            for row in here:
                node[row] = 2 + len(nodes) if pairs[row] == (upper, name) else node[row]
    assert found.node.tolist() == node
    assert list(zip(found.parent.tolist(), found.key.tolist(), found.depth.tolist(), strict=True)) == nodes


@given(above=forests(), data=st.data())
def test_cells_are_added_to_all_ancestors(above: list[int], data: st.DataObject) -> None:
    rows = st.integers(0, len(above) - 1) if above else st.nothing()
    drawn = data.draw(st.lists(st.tuples(rows, st.integers(0, 2), st.integers(-3, 3)), max_size=8 if above else 0))
    columns = [np.array([cell[i] for cell in drawn], dtype=np.int64) for i in range(3)]
    row, column, value = cells_upwards(np.array(above, np.int64), *columns, 3)
    found = np.zeros((len(above), 3), dtype=np.int64)
    np.add.at(found, (row, column), value)
    expected = np.zeros_like(found)
    for at, within, amount in drawn:
        while at >= 0:
            expected[at, within] += amount
            at = above[at]
    assert found.tolist() == expected.tolist()


@both_forms
@given(above=forests(), data=st.data())
def test_least_below_is_the_minimum_of_all_descendants(compiled: bool, above: list[int], data: st.DataObject) -> None:
    own = data.draw(st.lists(st.integers(-5, 5), min_size=len(above), max_size=len(above)))
    least = list(own)
    for row in reversed(range(len(above))):
        if above[row] >= 0:
            least[above[row]] = min(least[above[row]], least[row])
    with form(compiled):
        found = least_below(np.array(above, np.int32), np.array(levels(above), np.int32), np.array(own, np.int64))
    assert found.tolist() == least


def test_nearest_is_the_nearest_selected_ancestor() -> None:
    chosen = np.array([False, True, False, True, False, False])
    assert nearest(np.array([-1, 0, 1, 2, 3, -1]), chosen).tolist() == [-1, 1, 1, 3, 3, -1]
