"""Rewrites command-line options and names of tables in messages as the page's controls for the same."""

from __future__ import annotations

from typing import TypeVar, cast

from tb_perfcompare.comparison.result.table_places import VIEWS
from tb_perfcompare.lazy_regex import regex

_CONTROLS = {
    "all-steps": "a range in “steps”",
    "baseline-steps": "“steps” of A",
    "candidate-steps": "“steps” of B",
    "kind": "“kind”",
    "launches": "“utilization”",
    "span": "“span”",
    "step-marker": "“step marker”",
    "step-window": "“step ends at”",
    "steps": "“steps”",
    "worker": "“worker”",
}
_TABLES = {
    table: f"“{rows} by {group}”" for kinds in VIEWS.values() for rows, tables in kinds.items()
    for table, group in tables.items() if rows and group
}  # fmt: skip
_TABLE = regex(rf"\btable ({'|'.join(_TABLES)})\b")
_OPTION = regex(rf"--({'|'.join(_CONTROLS)})\b(?!-)(?: [A-Z]+\b)?")

T = TypeVar("T")


def for_page(value: T) -> T:
    """Replaces command-line options and `table NAME` by page controls in a text, or in all texts of plain values.

    Values of the key `arguments` stay: they are command-line arguments.
    """
    if isinstance(value, str):
        text = _OPTION.sub(lambda option: _CONTROLS[option[1]], value) if "--" in value else value
        return cast("T", _TABLE.sub(lambda table: _TABLES[table[1]], text) if "table " in text else text)
    if isinstance(value, dict):
        return cast("T", {key: item if key == "arguments" else for_page(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return cast("T", [for_page(item) for item in value])
    return value
