"""Which part of the ledger is told already: no time is told twice, but two causes within one category both are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tb_perfcompare.comparison.causes.evidence.cause import Part
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext


class Explained:
    """Microseconds per step with their sign, by category and entity."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[str, float]] = {}

    def add(self, explains: Mapping[Part, float]) -> None:
        """These are told now."""
        for (category, entity), us in explains.items():
            parts = self._parts.setdefault(category, {})
            parts[entity] = parts.get(entity, 0.0) + us

    def known(self, explains: Mapping[Part, float]) -> float:
        """How much of these is told already, without sign. Time of one entity can be known as its own or as some of its
        category's; time of no entity in particular as any of its category's."""
        return sum(
            min(abs(us), self._known(*part, us)) for part, us in explains.items() if part[0] in self._parts
        )  # fmt: skip

    def _known(self, category: str, entity: str, us: float) -> float:
        parts = self._parts.get(category, {})
        mine = [parts.get(name, 0.0) for name in ("", entity)] if entity else [*parts.values()]
        return abs(sum(part for part in mine if part * us > 0))

    def left(self, pair: RuleContext, categories: Iterable[str]) -> dict[str, float]:
        """Category -> what is not told of its change."""
        told = self.by_category()
        return {category: pair.exposed(category) - told.get(category, 0.0) for category in categories}

    def by_category(self) -> dict[str, float]:
        """Category -> what is told of it."""
        return {category: sum(parts.values()) for category, parts in self._parts.items()}
