"""Properties of each table. The page orders the tables itself (frontend/src/views.ts)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

LEDGER = "ledger"
"""Name by which the ledger is requested as a table."""


class TableFacts(TypedDict):
    """Properties of a table."""

    per_step: Annotated[bool, "whether rows have a time for each step"]
    callers: Annotated[bool, "whether traces record the callers of rows, or related rows of other tables"]
    adds_up: Annotated[bool, "whether rows can be summed: they neither overlap nor are means"]
    categories: Annotated[Sequence[str], "ledger categories in which a row's name is an entry"]


def _facts(*categories: str, per_step: bool = False, callers: bool = False, adds_up: bool = True) -> TableFacts:
    return {"per_step": per_step, "callers": callers, "adds_up": adds_up, "categories": list(categories)}


def _entities(*categories: str) -> TableFacts:
    return _facts(*categories, per_step=True, callers=True)


TABLES = {
    "operators": _entities("CPU Exec"),
    "operators_by_shape": _entities(),
    "operators_by_type": _entities(),
    "modules": _entities(),
    "kernels": _entities("Kernel", "Communication"),
    "kernels_by_operator": _entities("Kernel", "Communication"),
    "kernels_by_launch": _entities(),
    "kernels_by_module": _entities(),
    "kernels_by_type": _entities(),
    "communication": _entities("Communication"),
    "communication_by_message": _facts(per_step=True),
    "memcpy": _entities("Memcpy", "Memset"),
    "device_timeline": _facts(per_step=True, adds_up=False),
    "critical_path": _facts(per_step=True),
    "functions": _facts(per_step=True),
    "call_tree": _facts(adds_up=False),
    "ranks": _facts(adds_up=False),
    "work_by_family": _facts(),
    "kernel_metrics": _facts(adds_up=False),
    "iteration_kinds": _facts(adds_up=False),
}
"""Properties by table. Tables that are not listed have the defaults: cells that add up, and nothing else."""


def table_facts(name: str) -> TableFacts:
    """Returns the properties of the table with this name."""
    return TABLES.get(name) or _facts()
