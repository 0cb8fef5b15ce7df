"""The tables of rates as they stand in the documents, between two comments."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.simulation.parts import parts_tables
from tests.simulation.tables import admission_table, entity_tables, statistics_tables

DOCS = Path(__file__).parents[2] / "docs"
BEGIN, END = "<!-- measured by python -m tests.simulation -->\n", "<!-- end of measured -->\n"
TABLES: dict[str, Callable[[], str]] = {
    "statistics.md": statistics_tables,
    "entity_tests.md": entity_tables,
    "admission.md": admission_table,
}

_BLOCK = re.compile(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", re.DOTALL)


PARTS_BEGIN = BEGIN.replace(" -->", ", parts -->")
"""Begins the tables of program and machine, which take minutes: test_parts.py holds a short run of the same worlds
against what is promised."""

_PARTS = re.compile(f"(?<={re.escape(PARTS_BEGIN)}).*?(?={re.escape(END)})", re.DOTALL)


def shown(name: str) -> str:
    """What a document shows."""
    (block,) = _BLOCK.findall((DOCS / name).read_text("utf-8"))
    return str(block)


def write() -> None:
    for name, table in TABLES.items():
        path = DOCS / name
        text, measured = path.read_text("utf-8"), f"\n{table()}\n"
        path.write_text(_BLOCK.sub(lambda _, measured=measured: measured, text), "utf-8")
    write_parts()


def write_parts() -> None:
    """The tables of program and machine alone: `python -m tests.simulation parts`."""
    path = DOCS / "statistics.md"
    measured = f"\n{parts_tables()}\n"
    path.write_text(_PARTS.sub(lambda _: measured, path.read_text("utf-8"), count=1), "utf-8")
