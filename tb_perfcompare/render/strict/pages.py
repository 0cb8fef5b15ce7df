"""The strict answer with the first rows of its tables, and its tables again, from the finished JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.render.wire.pages import first_rows
from tb_perfcompare.render.wire.wire_rows import MOST_BYTES, encoded, fitted, raw


def strict_first(body: bytes) -> bytes:
    """The same answer, cut as a comparison is where it would be larger than MOST_BYTES."""
    if len(body) <= MOST_BYTES:
        return body
    whole: dict[str, Any] = msgspec.json.decode(body)
    tables = strict_tables(body)
    parts = {key: raw(value) for key, value in whole.items() if key != "tables"}
    parts["tables"] = raw({})
    room = MOST_BYTES - len(encoded(parts))
    return fitted(encoded({**parts, "tables": first_rows(tables, room)}), MOST_BYTES)


def strict_tables(body: bytes) -> dict[str, Table]:
    """Its tables by name."""
    found: dict[str, Any] = msgspec.json.decode(body)["tables"]
    return {
        name: Table(
            name, table["title"], msgspec.convert(table["columns"], tuple[Column, ...]),
            tuple(map(tuple, table["rows"])), tuple(table["notes"]),
        )
        for name, table in found.items()
    }  # fmt: skip
