"""Causes and the parts of the ledger that they explain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field, replace
from itertools import chain
from math import fsum

from tb_perfcompare.comparison.causes.evidence.amounts import total_by_key
from tb_perfcompare.comparison.causes.evidence.rule_context import RuleContext
from tb_perfcompare.comparison.result.finding import Finding, share_of
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS
from tb_perfcompare.quick_dataclass import dataclass

Part = tuple[str, str]
"""(category, entity) of the ledger; entity "": time of the category in general."""

Explains = Mapping[Part, float]
"""The time that a cause explains, in signed microseconds per step."""

Sentence = Callable[[Explains], str]
"""A cause's sentence, given the time that it explains."""

EXPLAINED = 0.5
"""A cause is left out if earlier causes explain at least this share of its time."""

ROUNDING_US = 1e-6
"""Differences of sums up to this are rounding, microseconds."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A finding and the exposed time it explains, in signed microseconds per step.

    rank       of two causes that explain the same time the one with the smaller rank is reported
    same_work  compares times of the same work, so it does not apply to sides that do different work
    sentence   its sentence if other causes leave less of its time; None if it takes what they leave, or if its time is
               no part of the ledger's means
    of_means   its time is a part of the change of the ledger's means; the time of single slow steps is not
    calls      operator -> calls per step it explains
    counts     operator -> all its additional calls per step, if the cause is about these
    how        clause on what it does in detail, for a cause that includes this one
    includes   causes that are part of this one, and are not reported themselves
    """

    finding: Finding
    explains: Mapping[Part, float] = field(default_factory=dict)
    rank: int = 5
    same_work: bool = False
    sentence: Sentence | None = None
    of_means: bool = True
    calls: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, float] = field(default_factory=dict)
    how: str = ""
    includes: tuple[Cause, ...] = ()


class Explained:
    """What causes explain of the ledger, in signed microseconds per step by category and entity, and their rules. No
    time is explained twice, but two causes within one category are both kept."""

    def __init__(self, causes: Iterable[Cause] = ()) -> None:
        self.causes: list[Cause] = []
        self._parts: dict[str, dict[str, list[float]]] = {}
        self._calls: dict[str, list[float]] = {}
        for cause in causes:
            self.add(cause)

    def add(self, cause: Cause) -> None:
        """Adds what this cause explains, in place of those that it includes."""
        self.causes = [*(one for one in self.causes if one not in cause.includes), cause]
        for sign, one in ((1, cause), *((-1, included) for included in cause.includes)):
            for operator, more in one.calls.items():
                self._calls.setdefault(operator, []).append(sign * more)
            for (category, entity), us in one.explains.items():
                self._parts.setdefault(category, {}).setdefault(entity, []).append(sign * us)

    @property
    def rules(self) -> set[str]:
        """Names of the rules of the causes."""
        return {cause.finding.rule for cause in self.causes}

    def of_rules(self, names: Collection[str]) -> tuple[Cause, ...]:
        """Causes of the rules of these names."""
        return tuple(cause for cause in self.causes if cause.finding.rule in names)

    def total(self, *, without: Collection[str]) -> float:
        """Time explained by causes of other rules, microseconds per step."""
        others = (cause for cause in self.causes if cause.finding.rule not in without)
        return fsum(us for cause in others for us in cause.explains.values())

    def covers(self, cause: Cause) -> bool:
        """Whether other causes explain the share EXPLAINED of this cause's time, or of the calls it is about."""
        has_calls = cause.counts and all(self.has_most_calls(*one) for one in cause.counts.items())
        return bool(has_calls) or self.covers_time(cause.explains)

    def covers_time(self, explains: Mapping[Part, float]) -> bool:
        """Whether causes explain the share EXPLAINED of this time. Time of an entity can be explained as its own or as
        its category's in general; time of the category in general as that of any of its entities."""
        explained = list[float]()
        # time explained for the category in general is shared by its entities, and used once
        left: dict[tuple[str, bool], list[float]] = {}
        for (category, entity), us in explains.items():
            explained.append(min(abs(us), self._known(category, entity, us)))
            if entity:
                left.setdefault((category, us > 0), []).append(abs(us) - explained[-1])
        for (category, more), rest in left.items():
            pool = fsum(us for us in self._parts.get(category, {}).get("", ()) if (us > 0) == more)
            explained.append(min(abs(pool), fsum(rest)))
        total = fsum(abs(part) for part in explains.values())
        return bool(total) and fsum(explained) >= EXPLAINED * total

    def has_most_calls(self, operator: str, more: float) -> bool:
        """Whether causes explain more than EXPLAINED of an operator's additional calls: of two, not one."""
        explained = fsum(self._calls.get(operator, ()))
        return explained * more > 0 and abs(explained) > EXPLAINED * abs(more)

    def book(self, context: RuleContext, cause: Cause) -> None:
        """Adds what this cause explains, at most what others leave; nothing if they leave nothing in its direction."""
        own = cause.finding.rule, cause.rank  # whose causes are in different places
        of_others = Explained(one for one in self.causes if (one.finding.rule, one.rank) != own)
        rests = self._at_most_gross(context, of_others.of_entities(context, cause.explains))
        us, left = cause.finding.change_us, fsum(rests.values())
        if cause.sentence is None or abs(us - left) <= ROUNDING_US:
            self.add(cause)
        elif left * us > 0:
            finding = replace(
                cause.finding, delta_us=left, share=share_of(left, context.delta_us), sentence=cause.sentence(rests)
            )
            self.add(replace(cause, finding=finding, explains=rests))

    def rests(self, context: RuleContext, parts: Mapping[Part, float]) -> dict[Part, float]:
        """These parts of changes, at most what causes leave of them."""
        return self._at_most_gross(context, self.of_entities(context, parts))

    def of_entities(self, context: RuleContext, parts: Explains) -> dict[Part, float]:
        """These parts of the changes of entities, at most what causes leave of them; of a category that they explain in
        general, together at most what they leave of that."""
        rests = dict(parts)
        for (category, name), us in parts.items():
            explained = fsum(self._parts.get(category, {}).get(name, ()))
            if name and us * explained > 0:
                left = changes_of(context, category).get(name, 0.0) - explained
                rests[category, name] = min(us, left, key=abs) if us * left > 0 else 0.0
        in_general = {category for category, _ in parts if "" in self._parts.get(category, {})}
        for category, left in self.left(context, in_general).items():
            of_it = {part: us for part, us in rests.items() if part[0] == category}
            whole = fsum(of_it.values())
            share = min(max(left / whole, 0.0), 1.0) if whole else 0.0
            rests |= {part: us * share for part, us in of_it.items()}
        return rests

    def _at_most_gross(self, context: RuleContext, parts: Explains) -> dict[Part, float]:
        """These parts, of each category at most what causes leave of its increases (decreases)."""
        rests = dict(parts)
        for category, us in total_by_key((category, us) for (category, _), us in rests.items()).items():
            most = self._unexplained(context, category, us)
            if abs(us) > most + ROUNDING_US:
                rests |= {part: part_us * (most / abs(us)) for part, part_us in rests.items() if part[0] == category}
        return rests

    def _unexplained(self, context: RuleContext, category: str, way: float) -> float:
        """What causes leave of the increases of a category's entities (of the decreases if `way` is negative)."""
        sign = 1 if way > 0 else -1
        of_causes = (
            fsum(us for (of, _), us in cause.explains.items() if of == category)
            for cause in self.causes if cause.of_means
        )  # fmt: skip
        whole = fsum(max(sign * us, 0.0) for us in changes_of(context, category).values())
        return max(whole - fsum(max(sign * us, 0.0) for us in of_causes), 0.0)

    def entities(self, category: str, changes: Mapping[str, float]) -> set[str]:
        """Entities of a category whose change (microseconds per step) is explained by the share EXPLAINED."""
        named = changes.keys() & self._parts.get(category, {}).keys()
        return {name for name in named if self._known(category, name, us := changes[name]) >= EXPLAINED * abs(us)}

    def _known(self, category: str, entity: str, us: float) -> float:
        parts = self._parts.get(category, {})
        explained = [fsum(parts.get(name, ())) for name in ([entity] if entity else parts)]
        return abs(fsum(part for part in explained if part * us > 0))

    def left(self, context: RuleContext, categories: Iterable[str]) -> dict[str, float]:
        """Category -> part of its change that is not explained."""
        explained = self.by_category()
        return {category: context.exposed(category) - explained.get(category, 0.0) for category in categories}

    def by_category(self) -> dict[str, float]:
        """Category -> part of its change that is explained."""
        return {category: fsum(chain.from_iterable(parts.values())) for category, parts in self._parts.items()}


def changes_of(context: RuleContext, category: str) -> dict[str, float]:
    """Entity of a category -> its change, microseconds per step."""
    return context.once(_changes)[category]


def _changes(context: RuleContext) -> dict[str, dict[str, float]]:
    rows_of = {category: context.entities(category) for category in CATEGORY_LABELS}
    return {
        category: {name: us / context.unit for name, us in zip(rows.key, rows.delta.tolist(), strict=True)}
        for category, rows in rows_of.items()
    }  # fmt: skip
