"""What can be done with each table. The order of the tables is the page's (frontend/src/views.ts)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableFacts:
    """per_step    rows have times of their own in every step
    callers     traces tell from where the rows were called, or in which other tables they are
    adds_up     sums over rows say something: rows do not lie in each other, are no times of the same steps, no means
    categories  parts of the step that a row's name is an entry of, in the ledger
    """

    per_step: bool = False
    callers: bool = False
    adds_up: bool = True
    categories: tuple[str, ...] = ()


def _entities(*categories: str) -> TableFacts:
    return TableFacts(per_step=True, callers=True, categories=categories)


TABLES = {
    "operators": _entities("CPU Exec"),
    "operators_by_shape": _entities(),
    "operators_by_type": _entities(),
    "modules": _entities(),
    "kernels": _entities("Kernel", "Communication"),
    "kernels_by_operator": _entities("Kernel", "Communication"),
    "kernels_by_launch": _entities(),
    "communication": _entities("Communication"),
    "memcpy": _entities("Memcpy", "Memset"),
    "functions": TableFacts(per_step=True),
    "call_tree": TableFacts(adds_up=False),
    "ranks": TableFacts(adds_up=False),
    "iteration_kinds": TableFacts(adds_up=False),
}
"""Tables that are not here have nothing but their cells, which add up."""


def table_facts(name: str) -> TableFacts:
    """Of a table of this name."""
    return TABLES.get(name, TableFacts())
