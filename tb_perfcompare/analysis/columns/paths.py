"""Trees in which parents come before their children: distinct paths of names through a forest, and sums upwards.

Every function has two forms that give the same: a compiled one (native/trees.c) that goes from row to row, and one in
numpy that goes from level to level, which takes long where a forest is deep.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.native_passes import compiled, indices, packed, unpacked
from tb_perfcompare.analysis.columns.nesting import by_level
from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Ints32, NodeIndex
from tb_perfcompare.model.summary.split_time import distinct
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The different paths: k new nodes, in the order of their depth among the rows, of the node above, of their key.

    node    (h,) node of each row, -1 for rows that are not used
    parent  (k,) node above
    key     (k,)
    depth   (k,)
    """

    node: NodeIndex
    parent: NodeIndex
    key: Ints32
    depth: Ints32


def found_paths(above: AnyInts, root: AnyInts, key: AnyInts, wanted: Flags, depth: AnyInts) -> Paths:
    """Nodes of a forest of h rows: rows of one key below one node are one node.

    above   (h,) an earlier row, -1 at the top
    root    (h,) node, of those there are already, that a row at the top stands below
    key     (h,) not below zero
    wanted  (h,) which rows are used, and with them those above
    depth   (f,) of the nodes that there are already; new ones are numbered from f on
    """
    module = compiled()
    if module is None:
        return _paths_in_numpy(above, root, key, wanted, depth)
    found = module.paths(indices(above), indices(root), indices(key), wanted.view(np.int8), indices(depth))
    return Paths(*(unpacked(column, np.int32) for column in found))


def _paths_in_numpy(above: AnyInts, root: AnyInts, key: AnyInts, wanted: Flags, depth: AnyInts) -> Paths:
    levels = by_level(_levels(above))
    used = wanted.copy()
    for level in reversed(levels[1:]):
        used[above[level[used[level]]]] = True
    width = int(key.max(initial=0)) + 1
    size = len(depth)
    node = np.full(len(above), -1, dtype=np.int64)
    none = np.zeros(0, dtype=np.int64)
    parents, keys, depths = [none], [none], depth.astype(np.int64)
    for number, level in enumerate(levels):
        rows = level[used[level]]
        parent = (node[above[rows]] if number else root[rows]).astype(np.int64)
        code, at = distinct(parent * width + key[rows], size * width)
        upper, own = np.divmod(code, width)
        node[rows] = at + size
        size += len(code)
        parents.append(upper)
        keys.append(own)
        depths = np.concatenate([depths, depths[upper] + 1])
    columns = (node, np.concatenate(parents), np.concatenate(keys), depths[len(depth) :])
    return Paths(*(column.astype(np.int32) for column in columns))


def _levels(above: AnyInts) -> Ints:
    """(h,) how many rows stand above each."""
    level = (above >= 0).astype(np.int64)
    further = above.astype(np.int64)
    while (further >= 0).any():  # twice as far each time
        known = further >= 0
        level = level + np.where(known, level[further], 0)
        further = np.where(known, further[further], -1)
    return level


def nearest(parent: AnyInts, chosen: Flags) -> Ints:
    """(n,) the row itself or the next one above it that is chosen; row 0, above all others, is."""
    rows = np.arange(len(parent))
    home = np.where(chosen, rows, parent)
    while True:  # twice as far each time
        further = home[home]
        if np.array_equal(further, home):
            return home
        home = further


def cells_upwards(
    parent: AnyInts, row: AnyInts, column: AnyInts, value: Ints, columns: int
) -> tuple[AnyInts, AnyInts, Ints]:
    """Cells (row, column, value) of a table, each added to all rows above its own; cells may lie upon each other."""
    module = compiled()
    if module is not None:
        found = module.cells_upwards(indices(parent), indices(row), indices(column), packed(value, np.int64), columns)
        return unpacked(found[0], np.int32), unpacked(found[1], np.int32), unpacked(found[2], np.int64)
    rows, within, values = [row[:0]], [column[:0]], [value[:0]]
    while len(row):
        rows.append(row)
        within.append(column)
        values.append(value)
        row = parent[row]
        row, column, value = row[row >= 0], column[row >= 0], value[row >= 0]
    return np.concatenate(rows), np.concatenate(within), np.concatenate(values)
