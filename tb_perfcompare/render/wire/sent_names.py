"""Short forms of the names in a table's rows, sent next to them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tb_perfcompare.comparison.result.table import Table, cells_of
from tb_perfcompare.model.names.short_names import short_forms
from tb_perfcompare.render.wire.wire_rows import rows_that_fit

_OTHER_NAME = "candidate_name"
"""Column with the name of the kernel that replaces the row's."""


def name_columns(table: Table) -> tuple[int, ...]:
    """Indices of the columns with names: the first key, or the first text if that key is none, and _OTHER_NAME."""
    texts = [index for index, column in enumerate(table.columns) if column.kind == "text" and column.role != "status"]
    keys = [index for index, column in enumerate(table.columns) if column.role == "key"]
    first = keys[:1] if keys and keys[0] in texts else texts[:1] if keys else []
    return (*first, *([table.places[_OTHER_NAME]] if _OTHER_NAME in table.places else []))


def short_names_of(table: Table, named: Sequence[int]) -> dict[str, str]:
    """Name -> short form, for those names of a table that have one. All rows count, whichever are sent: a name has the
    same form on every page."""
    return short_forms(str(cell) for index in named for cell in cells_of(table.rows, index))


def names_that_fit(
    short: Mapping[str, str], rows: Iterable[Sequence[Any]], named: Sequence[int], room: int
) -> tuple[dict[str, str], int]:
    """Returns (short forms of the names in these rows, as many of the first ones as fit into `room` bytes; the bytes
    that they take at most)."""
    found = (row[index] for row in rows for index in named)
    sent = {name: short[name] for name in found if name in short}
    fitting, used = rows_that_fit(sent.items(), room)
    return dict(itertools.islice(sent.items(), len(fitting))), used
