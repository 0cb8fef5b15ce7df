"""Cuts the finished JSON of a strict report to the first rows of its tables, and reads its tables back."""

from __future__ import annotations

from typing import Any

import msgspec

from tb_perfcompare.comparison.result.table import Column, Table
from tb_perfcompare.render.wire.pages import first_rows
from tb_perfcompare.render.wire.wire_rows import MOST_BYTES, encoded, fitted, raw


def strict_first(body: bytes) -> bytes:
    """Returns the report's JSON; if it is larger than MOST_BYTES, with only the first rows of its tables."""
    if len(body) <= MOST_BYTES:
        return body
    answer: dict[str, Any] = msgspec.json.decode(body)
    tables = strict_tables(body)
    parts = {key: raw(value) for key, value in answer.items() if key != "tables"}
    parts["tables"] = raw({})
    room = MOST_BYTES - len(encoded(parts))
    return fitted(encoded({**parts, "tables": first_rows(tables, room)}), MOST_BYTES)


def strict_tables(body: bytes) -> dict[str, Table]:
    """Reads the report's tables from its JSON, by name."""
    tables: dict[str, Any] = msgspec.json.decode(body)["tables"]
    return {
        name: Table(
            name, table["title"], msgspec.convert(table["columns"], tuple[Column, ...]),
            tuple(map(tuple, table["rows"])), tuple(table["notes"]),
        )
        for name, table in tables.items()
    }  # fmt: skip
