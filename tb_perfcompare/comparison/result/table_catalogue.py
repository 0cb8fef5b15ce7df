"""What can be done with each table, in the order in which the tables are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tb_perfcompare.comparison.result.plain_values import as_plain


@dataclass(frozen=True, slots=True)
class TableFacts:
    """order       place among the tables
    per_step    rows have times of their own in every step
    callers     traces tell from where the rows were called, or in which other tables they are
    adds_up     sums over rows say something: rows do not lie in each other, nor are they times of the same steps
    categories  parts of the step that a row's name is an entry of, in the ledger
    """

    order: int
    per_step: bool = False
    callers: bool = False
    adds_up: bool = True
    categories: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return as_plain(self)  # type: ignore[no-any-return]


_PER_STEP = {"functions"}
_ENTITIES = {
    "operators": ("CPU Exec",), "operators_by_shape": (), "operators_by_type": (), "modules": (),
    "kernels": ("Kernel", "Communication"), "kernels_by_operator": ("Kernel", "Communication"),
    "kernels_by_launch": (), "communication": ("Communication",), "memcpy": ("Memcpy", "Memset"),
}  # fmt: skip
_ADD_NOTHING = {"call_tree", "ranks"}
_ORDER = (
    "categories", "ranks", "call_tree", "functions", "operators", "operators_by_shape", "operators_by_type", "kernels",
    "kernels_by_operator", "kernels_by_launch", "alignment", "launches", "modules", "modules_ledger", "communication",
    "memcpy", "memory", "memory_operators", "memory_curves", "bound", "counters", "steps", "device", "environment",
    "recommendations",
)  # fmt: skip


def _facts(order: int, name: str) -> TableFacts:
    entities = name in _ENTITIES
    return TableFacts(
        order, entities or name in _PER_STEP, entities, name not in _ADD_NOTHING, _ENTITIES.get(name, ())
    )


TABLES = {name: _facts(order, name) for order, name in enumerate(_ORDER)}


def table_facts(name: str) -> TableFacts:
    """Of a table that is not in the catalogue: it comes last, and has its cells alone."""
    return TABLES.get(name) or TableFacts(len(TABLES))
