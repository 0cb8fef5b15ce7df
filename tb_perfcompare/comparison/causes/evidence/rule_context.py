"""The two sides as rules see them: amounts per step of everything that has a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from math import fsum
from typing import Any, TypeVar

import numpy as np

from tb_perfcompare.comparison.causes.evidence.amounts import NOTHING, Amount, AmountColumns, Key, of_side, total
from tb_perfcompare.comparison.causes.evidence.significant_categories import (
    PacedChange,
    SignificantCategories,
    are_separated,
    significant_categories,
)
from tb_perfcompare.comparison.kinds.split import MixSplit
from tb_perfcompare.comparison.ledger.call_tree import JointTree
from tb_perfcompare.comparison.ranks.job import Job
from tb_perfcompare.comparison.result.finding import Interruptions, UninterruptedPart
from tb_perfcompare.comparison.result.headline import Basis, Headline
from tb_perfcompare.comparison.result.ledger import Ledger
from tb_perfcompare.comparison.result.ledger_rows import EntityRows, LedgerRow, columns_of
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.between_captures import between_captures, centers, row_means
from tb_perfcompare.comparison.statistics.rank_test import batched_rank_test, smallest_p
from tb_perfcompare.comparison.statistics.samples import observations
from tb_perfcompare.comparison.tables.counter_join import CounterChange
from tb_perfcompare.model.api_calls import calls
from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.input_shapes import without_lists
from tb_perfcompare.model.summary.categories import CATEGORY_LABELS, RUNTIME
from tb_perfcompare.model.summary.summary import Summary
from tb_perfcompare.model.summary.table_specs import IF_RECORDED
from tb_perfcompare.model.text_numbers import TextNumbers, at_rows, join_rows
from tb_perfcompare.quick_dataclass import dataclass

F = TypeVar("F")


def _api_calls(context: RuleContext) -> dict[str, dict[str, Amount]]:
    """Operator -> API call -> its calls and exposed time. Empty if a side has none by operator."""
    found: dict[str, dict[str, Amount]] = {}
    for side, summary in enumerate(context.sides):
        parts = summary.owned.parts
        if parts is None or "operator" not in parts.recorded_keys:
            return {}
        for (category, entity, caller, _), ns, count in zip(parts.keys, *parts.totals(), strict=True):
            if category == RUNTIME:
                own, steps = found.setdefault(caller, {}), len(summary.steps)
                own[entity] = own.get(entity, NOTHING) + of_side(side, count / steps, ns / steps / 1000)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class RuleContext:
    """Everything that rules may look at.

    Exposed times, which sum to the change of the step: `exposed` of a category, `entities` in it. Summed times and
    calls: `amount` and `amounts` of a table of operators, kernels, ...; `own_times` of the ledger's entities, hidden
    time included. Amounts are computed once per table.

    counters       those that moved
    p_values       p of the categories' times per step
    pace           for each step of each side, the factor by which the machine lengthens it; None if unknown
    uninterrupted  the parts of uninterrupted steps; empty if unknown
    interrupted    what interruptions explain; None if unknown
    paced          the categories' changes at equal machine speed; empty if unknown
    job            the ranks of both sides; None if neither has several
    tree           the call trees of both sides, joined; None unless both have one
    kinds          the steps by kind; None if all are of one
    """

    baseline: Summary
    candidate: Summary
    ledger: Ledger
    headline: Headline
    options: CompareOptions
    counters: tuple[CounterChange, ...] = ()
    p_values: Mapping[str, float | None] = field(default_factory=dict)
    pace: tuple[Floats, Floats] | None = None
    uninterrupted: tuple[UninterruptedPart, ...] = ()
    paced: Mapping[str, PacedChange] = field(default_factory=dict)
    numbers: TextNumbers = field(default_factory=TextNumbers)
    job: Job | None = None
    tree: JointTree | None = None
    interrupted: Interruptions | None = None
    kinds: MixSplit | None = None
    _columns: dict[tuple[str, str], AmountColumns] = field(default_factory=dict)
    _tables: dict[tuple[str, str], dict[Key, Amount]] = field(default_factory=dict)
    _by_first: dict[tuple[str, str], dict[str, dict[Key, Amount]]] = field(default_factory=dict)
    _found: dict[Callable[[RuleContext], Any], Any] = field(default_factory=dict)

    def once(self, find: Callable[[RuleContext], F]) -> F:
        """Result of a function of this context, which is called once however many rules ask."""
        if find not in self._found:
            self._found[find] = find(self)
        found: F = self._found[find]
        return found

    @property
    def sides(self) -> tuple[Summary, Summary]:
        """Baseline and candidate."""
        return self.baseline, self.candidate

    @property
    def unit(self) -> int:
        """Ledger integers per microsecond and step."""
        return self.ledger.denominator * 1000

    @property
    def delta_us(self) -> float:
        """Change of the mean step, microseconds."""
        return self.ledger.delta / self.unit

    @property
    def typical_us(self) -> float:
        """Change of the typical step, else of the mean step, microseconds."""
        return self.delta_us if self.headline.shift is None else self.headline.shift.estimate_us

    @property
    def uninterrupted_us(self) -> float:
        """Change of uninterrupted steps at equal machine speed, microseconds per step, in the direction of the verdict;
        0 if the verdict is not about the program, if steps as recorded agree with it, or if there are none."""
        recorded, way = self.headline.recorded, self.headline.verdict.way
        if self.headline.basis is not Basis.PROGRAM or recorded is None or recorded.verdict.way == way:
            return 0.0
        whole = fsum(part.delta_us for part in self.uninterrupted)
        return whole if whole * way > 0 else 0.0

    @property
    def differs(self) -> bool:
        """Whether any row of the ledger changed; parts change only if their entity does."""
        return any(row.delta for row in self.ledger.heads) or any(
            self.entities(category).delta.any() for category in CATEGORY_LABELS
        )

    @property
    def least_us(self) -> float:
        """The smallest change that matters, microseconds per step; the same if the sides are exchanged."""
        return max(self.options.material_fraction * self.shorter_us, self.options.material_ns / 1000)

    @property
    def shorter_us(self) -> float:
        """The shorter of the two mean steps, microseconds."""
        return min(self.ledger.baseline, self.ledger.candidate) / self.unit

    def exposed(self, category: str) -> float:
        """Change of a category's exposed time, microseconds per step."""
        return sum(row.delta for row in self.ledger.heads if row.path == (category,)) / self.unit

    def exposed_times(self, category: str) -> tuple[float, float]:
        """A category's exposed time on both sides, microseconds per step."""
        rows = [row for row in self.ledger.heads if row.path == (category,)]
        return sum(row.baseline for row in rows) / self.unit, sum(row.candidate for row in rows) / self.unit

    def is_clear(self, *categories: str) -> bool:
        """Whether the times per step of any of the categories differ significantly, or are too few to test. Rules
        based on times alone need this."""
        return any(category in self.clear.names for category in categories)

    @property
    def clear(self) -> SignificantCategories:
        """The categories that differ clearly."""
        return self.once(_clear)

    @property
    def steps(self) -> tuple[int, int]:
        """Steps of the baseline and of the candidate."""
        return len(self.baseline.steps), len(self.candidate.steps)

    def entity_p(self, category: str, entity: str, among: int) -> tuple[float | None, bool]:
        """(p of one entity of the ledger that was chosen from `among` entities, whether the sides are completely
        separated). p is None with too few steps. With several captures, these must differ too, by their logarithms
        because a slower operator varies in proportion."""
        if smallest_p(*self.steps) > self.options.alpha:
            return None, False
        sides = []
        for summary in self.sides:
            seen, owned = observations(summary), summary.owned
            named = self.numbers.of(owned.key) == self.numbers.of((entity,))
            at = np.flatnonzero(named & (owned.category == CATEGORY_LABELS.index(category)))
            time = owned.time_ns[at].sum(axis=0)
            sides.append((seen.means(time)[None, :], seen.capture))
        (x, captures_a), (y, captures_b) = sides
        p = min(float(batched_rank_test(x, y, captures=(captures_a, captures_b)).p[0]) * max(among, 1), 1.0)
        apart = bool(are_separated(x, y)[0])
        one, two = (np.log(np.maximum(centers(side, at, row_means), 1.0)) for side, at in sides)
        between = between_captures(one, two, self.options.alpha, shared=True)
        if between is None:
            return p, apart
        return max(p, float(between.p[0])), apart and float(between.p[0]) <= self.options.alpha

    def entities(self, category: str) -> EntityRows:
        """The category's rows of the ledger, largest change first."""
        return columns_of(category, self.ledger.entities(category))

    def columns(self, table: str, measure: str = "total") -> AmountColumns:
        """Amounts of a group table of both sides, without rows that neither has."""
        columns = self._columns.get((table, measure))
        if columns is None:
            columns = self._columns[table, measure] = self._joined(table, measure)
        return columns

    def counted_us(self, row: LedgerRow) -> float:
        """Part of an entity's change by count: the count effect, at most the change, because added calls may differ
        from the mean of all."""
        counted, delta = row.count_effect / self.unit, row.delta / self.unit
        if counted * delta <= 0:
            return 0.0
        return counted if abs(counted) <= abs(delta) else delta

    def amounts(self, table: str, measure: str = "total") -> Mapping[Key, Amount]:
        """Key -> amounts of a group table of both sides, empty if neither has it."""
        amounts = self._tables.get((table, measure))
        if amounts is None:
            columns = self.columns(table, measure)
            amounts = columns.of_rows(np.arange(len(columns.joined)))
            if table == "operators_by_shape":
                amounts = _with_lists_joined(amounts)
            self._tables[table, measure] = amounts
        return amounts

    def amount(self, table: str, measure: str, name: str) -> Amount:
        """Amount of the table row whose key is `name`."""
        columns = self.columns(table, measure)
        rows = columns.joined.named(name)
        return columns.at(int(rows[0])) if len(rows) else NOTHING

    def amounts_of(self, first: str, table: str, measure: str = "total") -> Mapping[Key, Amount]:
        """Amounts of the rows whose keys begin with `first`."""
        by_first = self._by_first.get((table, measure))
        if by_first is None:
            by_first = self._by_first[table, measure] = {}
            for key, amount in self.amounts(table, measure).items():
                by_first.setdefault(key[0], {})[key] = amount
        return by_first.get(first, {})

    def runtime(self) -> Mapping[str, Amount]:
        """API call -> calls and summed time, including hidden time."""
        return self.own_times(RUNTIME)

    def own_times(self, category: str) -> Mapping[str, Amount]:
        """Entity of the ledger -> calls and summed time, including hidden time."""
        amounts = self._tables.get((category, "plain"))
        if amounts is None:
            amounts = self._tables[category, "plain"] = self._plain(CATEGORY_LABELS.index(category))
        return {key[0]: amount for key, amount in amounts.items()}

    def called(self, role: re.Pattern[str]) -> dict[str, Amount]:
        """API calls whose names have a role of model/api_calls.py."""
        return {name: amount for name, amount in self.runtime().items() if calls(role, name)}

    def callers(self, role: re.Pattern[str]) -> dict[str, Amount]:
        """Operator -> its own API calls of a role, with exposed time. Empty if a side has none by operator."""
        return {
            operator: total(amount for name, amount in own.items() if calls(role, name))
            for operator, own in self.once(_api_calls).items() if any(calls(role, name) for name in own)
        }  # fmt: skip

    def api_calls_of(self, operator: str) -> Mapping[str, Amount]:
        """The operator's own API calls, with exposed time. Empty if a side has none by operator."""
        return self.once(_api_calls).get(operator, {})

    def _joined(self, table: str, measure: str) -> AmountColumns:
        groups = [side.groups.get(table) for side in self.sides]
        if table in IF_RECORDED and any(group is None for group in groups):
            groups = [None, None]
        sides = [group if group is not None and measure in group.measures_ns else None for group in groups]
        width = next((len(group.key_columns) for group in groups if group is not None), 1)
        keys_a, keys_b = (() if group is None else group.keys for group in sides)
        joined = join_rows(self.numbers, keys_a, keys_b, width)
        calls, us = [], []
        for group, at, steps in zip(sides, (joined.at_a, joined.at_b), self.steps, strict=True):
            none = np.zeros(0)
            calls.append(at_rows(none if group is None else group.calls.sum(axis=1) / steps, at))
            us.append(at_rows(none if group is None else group.measures_ns[measure].sum(axis=1) / steps / 1000, at))
        return AmountColumns(joined, calls[0], calls[1], us[0], us[1])

    def _plain(self, category: int) -> dict[Key, Amount]:
        amounts: dict[Key, Amount] = {}
        for side, summary in enumerate(self.sides):
            owned, steps = summary.owned, len(summary.steps)
            rows = np.flatnonzero(owned.category == category)
            calls, us = owned.calls[rows].sum(axis=1) / steps, owned.plain_ns[rows].sum(axis=1) / steps / 1000
            for row, *figures in zip(rows.tolist(), calls.tolist(), us.tolist(), strict=True):
                key = (owned.key[row],)
                amounts[key] = amounts.get(key, NOTHING) + of_side(side, *figures)
        return amounts


def _with_lists_joined(amounts: dict[Key, Amount]) -> dict[Key, Amount]:
    """Joins calls that differ only in lists of tensors without sizes on one side: PyTorch up to 2.1 records none, later
    versions none of long lists."""
    of_unknown: dict[Key, list[Key]] = {}
    for key, amount in amounts.items():
        unknown = (key[0], without_lists(key[1]))
        if unknown != key and unknown in amounts and not (amount.calls_a and amount.calls_b):
            of_unknown.setdefault(unknown, [unknown]).append(key)
    if not of_unknown:
        return amounts
    gone = {key for unknown, keys in of_unknown.items() for key in keys if key != unknown}
    joined = {unknown: total(amounts[key] for key in keys) for unknown, keys in of_unknown.items()}
    return {key: joined.get(key, amount) for key, amount in amounts.items() if key not in gone}


def _clear(context: RuleContext) -> SignificantCategories:
    return significant_categories(*context.sides, context.p_values, context.options.alpha)
