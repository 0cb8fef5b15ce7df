"""The tables of rates as the documents show them, each between two comments."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.simulation.lengths import length_tables
from tests.simulation.mixes import mix_tables
from tests.simulation.parts import parts_tables
from tests.simulation.sequential import sequential_tables
from tests.simulation.tables import admission_table, entity_tables, statistics_tables

DOCS = Path(__file__).parents[2] / "docs" / "method"
AB_PAGE = DOCS.parent / "guide" / "ab.md"
END = "<!-- end of measured -->\n"
TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "steps": ("accuracy.md", statistics_tables),
    "rows": ("accuracy.md", entity_tables),
    "drift": ("admission.md", admission_table),
}
"""Name in the opening comment -> its page, and what measures it."""


PARTS_BEGIN = "<!-- parts, measured by python -m tests.simulation -->\n"
"""Begins the tables of program and machine, which take minutes: test_parts.py holds a short run of the same worlds
against what is promised."""


def table_on_page(name: str) -> str:
    """What the page shows."""
    (block,) = _block(name).findall((DOCS / TABLES[name][0]).read_text("utf-8"))
    return str(block)


def write() -> None:
    for name, (page, table) in TABLES.items():
        path = DOCS / page
        text, measured = path.read_text("utf-8"), f"\n{table()}\n"
        path.write_text(_block(name).sub(lambda _, measured=measured: measured, text), "utf-8")
    write_parts()


def _block(name: str) -> re.Pattern[str]:
    begin = f"<!-- {name}, measured by python -m tests.simulation -->\n"
    return re.compile(f"(?<={re.escape(begin)}).*?(?={re.escape(END)})", re.DOTALL)


def write_parts() -> None:
    """The tables of program and machine alone: `python -m tests.simulation parts`."""
    _write(DOCS / "program_or_machine.md", PARTS_BEGIN, parts_tables())


LOOKS_BEGIN = "<!-- looks, measured by python -m tests.simulation sequential -->\n"
"""Begins the tables of experiments that look after each round; test_sequential.py has a short run."""


def write_looks() -> None:
    """The tables of experiments alone: `python -m tests.simulation sequential`, half an hour."""
    _write(AB_PAGE, LOOKS_BEGIN, sequential_tables())


MIXES_BEGIN = "<!-- mixes, measured by python -m tests.simulation mixes -->\n"
"""Begins the tables of several kinds of iterations, which take minutes; test_mixes.py has a short run."""


def write_mixes() -> None:
    """The tables of several kinds of iterations alone: `python -m tests.simulation mixes`."""
    _write(DOCS / "accuracy.md", MIXES_BEGIN, mix_tables())


LENGTHS_BEGIN = "<!-- lengths, measured by python -m tests.simulation lengths -->\n"
"""Begins the table of steps of random length, which takes minutes; tests/comparison/amount has single pairs."""


def write_lengths() -> None:
    """The table of steps of random length alone: `python -m tests.simulation lengths`."""
    _write(DOCS / "amount_of_work.md", LENGTHS_BEGIN, length_tables())


def _write(page: Path, begin: str, tables: str) -> None:
    block = re.compile(f"(?<={re.escape(begin)}).*?(?={re.escape(END)})", re.DOTALL)
    page.write_text(block.sub(lambda _: f"\n{tables}\n", page.read_text("utf-8"), count=1), "utf-8")
