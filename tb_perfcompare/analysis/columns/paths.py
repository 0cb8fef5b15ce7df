"""Trees whose parents come before their children: distinct paths of names through a forest, and sums upwards.

Algorithms go level by level, so their time grows with the depth as well as with the number of rows.
"""

from __future__ import annotations

import numpy as np

from tb_perfcompare.analysis.columns.native_passes import compiled, indices, packed, unpacked
from tb_perfcompare.analysis.columns.nesting import by_level
from tb_perfcompare.analysis.columns.numbering import gather
from tb_perfcompare.model.arrays import AnyInts, Flags, Ints, Ints32, NodeIndex, stable_order, unique_places
from tb_perfcompare.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The k distinct paths as new nodes, sorted by depth among the rows, then parent node, then key.

    node    (h,) node of each row, -1 for unused rows
    parent  (k,) parent node
    key     (k,)
    depth   (k,)
    """

    node: NodeIndex
    parent: NodeIndex
    key: Ints32
    depth: Ints32


def found_paths(above: AnyInts, root: AnyInts, key: AnyInts, wanted: Flags, depth: AnyInts) -> Paths:
    """Merges rows of a forest into nodes: rows with the same key below the same node become one node.

    above   (h,) parent row, which comes earlier; -1 at the top
    root    (h,) existing node that a top-level row goes below
    key     (h,) not negative
    wanted  (h,) bool rows that are used; their ancestors are used as well
    depth   (f,) depth of the existing nodes; new ones are numbered from f on
    """
    module, size, width = compiled(), len(depth), int(key.max(initial=0)) + 1
    if module is None:
        node, parent, key, level = _numbered_in_python(above, root, key, wanted, size)
    else:
        columns = module.paths(
            indices(above), packed(root, np.int32), packed(key, np.int32), wanted.view(np.int8), size
        )
        node, parent, key, level = (unpacked(column, np.int32) for column in columns)
    # nodes are in order of occurrence: number them level by level
    number = np.append(np.arange(size), np.zeros(len(level), dtype=np.int64))
    order = np.empty(len(level), dtype=np.int64)
    depths, first = np.append(depth.astype(np.int64), order), 0
    for rows in by_level(level):
        upper = number[parent[rows]]
        rows = rows[stable_order(upper * width + key[rows])]
        order[first : first + len(rows)] = rows
        number[size + rows] = size + first + np.arange(len(rows))
        depths[size + first : size + first + len(rows)] = depths[number[parent[rows]]] + 1
        first += len(rows)
    number = number.astype(np.int32)
    node = gather(np.append(number, np.int32(-1)), node)
    return Paths(node, number[parent[order]], key[order].astype(np.int32), depths[size:].astype(np.int32))


def _numbered_in_python(
    above: AnyInts, root: AnyInts, key: AnyInts, wanted: Flags, size: int
) -> tuple[Ints32, Ints32, Ints32, Ints32]:
    """(node of each row; parent, key and level of each new node, in order of occurrence)"""
    outer, used = above.tolist(), wanted.tolist()
    for row in range(len(outer) - 1, -1, -1):
        if used[row] and outer[row] >= 0:
            used[outer[row]] = True
    nodes, numbers, levels = [-1] * len(outer), dict[tuple[int, int], int](), list[int]()
    for row, (up, top, own) in enumerate(zip(outer, root.tolist(), key.tolist(), strict=True)):
        if used[row]:
            parent = nodes[up] if up >= 0 else top
            nodes[row] = size + numbers.setdefault((parent, own), len(numbers))
            if len(levels) < len(numbers):
                levels.append(levels[parent - size] + 1 if up >= 0 else 0)
    new = np.array(list(numbers), dtype=np.int32).reshape(-1, 2)
    return np.array(nodes, np.int32), new[:, 0], new[:, 1], np.array(levels, np.int32)


def _levels(above: AnyInts) -> Ints:
    """(h,) Number of ancestors of each row."""
    level = (above >= 0).astype(np.int64)
    further = above.astype(np.int64)
    while (further >= 0).any():  # doubles the distance each time
        exists = further >= 0
        level = level + np.where(exists, level[further], 0)
        further = np.where(exists, further[further], -1)
    return level


def nearest(parent: NodeIndex, chosen: Flags) -> Ints32:
    """(n,) The row itself if chosen, else its nearest chosen ancestor; -1 without one."""
    home = np.where(chosen, np.arange(len(parent), dtype=np.int32), parent)
    home = np.append(home, -1).astype(np.int32)  # the last entry is for no row
    while True:  # doubles the distance each time
        further = gather(home, home)
        if np.array_equal(further, home):
            return home[:-1]
        home = further


def cells_upwards(parent: AnyInts, row: AnyInts, column: AnyInts, value: Ints, columns: int) -> tuple[Ints, Ints, Ints]:
    """Adds each cell (row, column, value) to all ancestors of its row; lists each resulting cell once.

    Several given cells may have the same row and column.
    """
    level = _levels(parent)[row]
    none = np.zeros(0, dtype=np.int64)
    code, carried, cells = none, none, [(none, none)]
    for number in range(int(level.max(initial=-1)), -1, -1):
        at_level = np.flatnonzero(level == number)
        above = parent[code // columns].astype(np.int64) * columns + code % columns
        given = row[at_level].astype(np.int64) * columns + column[at_level]
        code, at = unique_places(np.concatenate([above, given]))
        values = np.concatenate([carried, value[at_level]])
        carried = np.zeros(len(code), dtype=np.int64)
        np.add.at(carried, at, values)
        cells.append((code, carried))
    code, carried = (np.concatenate(parts) for parts in zip(*cells, strict=True))
    return code // columns, code % columns, carried
