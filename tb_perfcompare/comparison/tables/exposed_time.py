"""Exposed time of the rows of a table in each step, taken from the ledger, so that rows never sum to more than the
step."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tb_perfcompare.model.arrays import Flags, Ints
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, CPU_EXEC, DEVICE_CATEGORIES, RUNTIME
from tb_perfcompare.model.summary.split_time import SplitTime
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.text_numbers import JoinedRows, parts_of, rows_of

_ON_DEVICE = np.array(sorted(DEVICE_CATEGORIES), dtype=np.int8)
_DEVICE_LABELS = tuple(CATEGORY_LABELS[category] for category in sorted(DEVICE_CATEGORIES))
_OPERATOR_LABELS = (
    *_DEVICE_LABELS, RUNTIME, CPU_EXEC,
)  # fmt: skip


def exposed_time(name: str, joined: JoinedRows, summary: Summary) -> Ints | None:
    """(rows, steps) nanoseconds; None if the ledger of this recording does not distinguish the rows of this table."""
    return _OF_TABLE[name](joined, summary) if name in _OF_TABLE else None


def _of_entities(joined: JoinedRows, summary: Summary) -> Ints:
    """Exposed time of device work, all entries of a name together."""
    owned = summary.owned
    first, names = joined.parts[0], joined.numbers.of(owned.key)
    row_of = np.full(len(joined.numbers), -1, dtype=np.int64)
    row_of[first] = np.arange(len(joined))  # the last of the rows that share a name
    rows = np.where(np.isin(owned.category, _ON_DEVICE), row_of[names], -1)
    own = np.zeros((len(joined), len(summary.steps)), dtype=np.int64)
    np.add.at(own, rows[rows >= 0], owned.time_ns[rows >= 0])
    # rows that share a name show the same time
    shared: Ints = own[row_of[first]]
    return shared


def _of_operators(joined: JoinedRows, summary: Summary) -> Ints | None:
    """Exposed time of operators: their own host work, API calls and device work that belong to them."""
    (none,) = joined.numbers.of(("",)).tolist()

    def rows(entity: Ints, caller: Ints) -> Ints:
        return rows_of(joined, (np.where(caller == none, entity, caller),))

    return _of_parts(joined, summary, _OPERATOR_LABELS, rows)


def _of_launched(joined: JoinedRows, summary: Summary) -> Ints | None:
    """Exposed time of kernels by the operator that launched them."""

    def rows(entity: Ints, caller: Ints) -> Ints:
        own = rows_of(joined, (entity, caller))
        no_operator = rows_of(joined, (entity, np.full(len(entity), joined.numbers.of(("",))[0])))
        return np.where(own < 0, no_operator, own)

    return _of_parts(joined, summary, _DEVICE_LABELS, rows)


def _of_parts(
    joined: JoinedRows, summary: Summary, labels: tuple[str, ...], rows: Callable[[Ints, Ints], Ints]
) -> Ints | None:
    """Exposed time of the parts of these categories in the rows of their entity and caller; None if operators were not
    recorded or small parts are pooled."""
    parts = summary.owned.parts
    if parts is None or parts.pooled or "operator" not in parts.recorded_keys:
        return None
    category, entity, caller, _ = map(joined.numbers.of, parts_of(parts.keys, 4))
    counted = np.isin(category, joined.numbers.of(labels))
    return _sums_by_row(joined, summary, parts, np.where(counted, rows(entity, caller), -1))


def _of_modules(joined: JoinedRows, summary: Summary) -> Ints | None:
    """Exposed time of modules, without the modules inside them."""
    if summary.modules is None or summary.modules.pooled:
        return None
    paths, _ = parts_of(summary.modules.keys, 2)
    names = joined.numbers.of([path.rpartition("/")[2] for path in paths])
    return _sums_by_row(joined, summary, summary.modules, rows_of(joined, (names,)))


def _sums_by_row(joined: JoinedRows, summary: Summary, split: SplitTime, rows: Ints) -> Ints:
    """Sums the split by row and step; `rows` maps each key of the split to a row, -1 for none."""
    own = np.zeros((len(joined), len(summary.steps)), dtype=np.int64)
    row = rows[split.row]
    there: Flags = row >= 0
    np.add.at(own, (row[there], split.step[there]), split.time_ns[there])
    return own


_OF_TABLE: Mapping[str, Callable[[JoinedRows, Summary], Ints | None]] = {
    "kernels": _of_entities,
    "memcpy": _of_entities,
    "communication": _of_entities,
    "kernels_by_operator": _of_launched,
    "operators": _of_operators,
    "modules": _of_modules,
}
