"""Blocks that a report is made of, which text, Markdown and HTML render, and those of a single table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.render.grid import Grid, grid_of, sums_line
from tb_perfcompare.render.printable import printable

if TYPE_CHECKING:
    from tb_perfcompare.comparison.result.comparison import View
    from tb_perfcompare.comparison.result.table import Table
    from tb_perfcompare.model.note import Note


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `level` 1 is the verdict, 2 a section."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One or more sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Rows of (name, value); a row with an empty name continues the one before."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Items of (sentence, detail in smaller type or ""), numbered if their order matters. A page folds the items after
    the first `open` ones; None: folds none."""

    items: tuple[tuple[str, str], ...]
    numbered: bool = False
    open: int | None = None


Block = Heading | Paragraph | Facts | Listing | Grid


def table_blocks(table: Table, *, top: int | None, sums: Mapping[str, float | None] | None = None) -> tuple[Block, ...]:
    """Builds a heading and the table; `sums` are over all rows, by column."""
    grid = grid_of(table, top=top, brief=False)
    total = sums_line(table, sums or {})
    return (Heading(printable(table.title)), replace(grid, notes=(*total, *grid.notes)))


def view_blocks(view: View, *, top: int | None) -> tuple[Block, ...]:
    """Builds the blocks of one table of a single run, with its sums and the run's notes."""
    return (*table_blocks(view.table, top=top, sums=view.sums), *notes_section(view.notes))


def notes_section(notes: Iterable[Note]) -> tuple[Block, ...]:
    """Lists the notes that affect a table shown without the report; () if there are none."""
    items = tuple((printable(note.sentence), "") for note in notes)
    return (Heading("Notes"), Listing(items)) if items else ()
