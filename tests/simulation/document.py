"""The tables of measured rates in rates.md, each between two comments; the documents cite their main figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.simulation.lengths import length_tables
from tests.simulation.mixes import mix_tables
from tests.simulation.parts import parts_tables
from tests.simulation.sequential import sequential_tables
from tests.simulation.tables import admission_table, entity_tables, statistics_tables

RATES = Path(__file__).parent / "rates.md"
SAMPLED: dict[str, Callable[[], str]] = {
    "steps": statistics_tables, "rows": entity_tables, "drift": admission_table,
}  # fmt: skip
"""Name in the opening comment -> what measures it. The suite holds a sample against these."""
TABLES = SAMPLED | {
    "parts": parts_tables, "sequential": sequential_tables, "mixes": mix_tables, "lengths": length_tables,
}  # fmt: skip
"""Also those that take minutes (sequential: half an hour), of whose worlds the suite runs a few."""


def table_on_page(name: str) -> str:
    """What the page shows."""
    (block,) = _block(name).findall(RATES.read_text("utf-8"))
    return str(block)


def write(names: Iterable[str]) -> None:
    """Measures the named tables and replaces them."""
    for name in names:
        measured = f"\n{TABLES[name]()}\n"
        RATES.write_text(_block(name).sub(lambda _, measured=measured: measured, RATES.read_text("utf-8")), "utf-8")


def _block(name: str) -> re.Pattern[str]:
    return re.compile(f"(?<=<!-- {name} -->\n).*?(?=<!-- end of measured -->\n)", re.DOTALL)
