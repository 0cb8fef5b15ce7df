"""The two sides as rules see them: amounts per step of everything that has a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import comb

from tb_perfcompare.comparison.comparison import Headline, Ledger, LedgerRow
from tb_perfcompare.comparison.options import CompareOptions
from tb_perfcompare.comparison.tables.counter_join import CounterChange
from tb_perfcompare.model.summary import Summary

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Amount:
    """Calls and microseconds per step on both sides; 0 where a side has none."""

    calls_a: float = 0.0
    calls_b: float = 0.0
    us_a: float = 0.0
    us_b: float = 0.0

    @property
    def delta_us(self) -> float:
        return self.us_b - self.us_a

    @property
    def more_calls(self) -> float:
        return self.calls_b - self.calls_a

    def __add__(self, other: Amount) -> Amount:
        return Amount(
            self.calls_a + other.calls_a, self.calls_b + other.calls_b, self.us_a + other.us_a, self.us_b + other.us_b
        )


NOTHING = Amount()


def total(amounts: Iterable[Amount]) -> Amount:
    """The sum."""
    found = NOTHING
    for amount in amounts:
        found = found + amount
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Everything rules may look at. `counters` are those that moved; `p_values` are those of the categories' times per
    step. Amounts are computed once per table."""

    baseline: Summary
    candidate: Summary
    ledger: Ledger
    headline: Headline
    options: CompareOptions
    counters: tuple[CounterChange, ...] = ()
    p_values: Mapping[str, float | None] = field(default_factory=dict)
    _tables: dict[tuple[str, str], dict[Key, Amount]] = field(default_factory=dict)

    @property
    def unit(self) -> int:
        """Ledger integers per microsecond and step."""
        return self.ledger.denominator * 1000

    @property
    def delta_us(self) -> float:
        """Change of the mean step."""
        return self.ledger.delta / self.unit

    @property
    def least_us(self) -> float:
        """The smallest change that matters, the same whichever side is which."""
        smaller = min(self.ledger.baseline, self.ledger.candidate) / self.unit
        return max(self.options.material_fraction * smaller, self.options.material_ns / 1000)

    def exposed(self, category: str) -> float:
        """Change of a category's exposed time, microseconds per step."""
        return sum(row.delta for row in self.ledger.rows if row.path == (category,)) / self.unit

    def exposed_times(self, category: str) -> tuple[float, float]:
        """A category's exposed time on both sides, microseconds per step."""
        rows = [row for row in self.ledger.rows if row.path == (category,)]
        return sum(row.baseline for row in rows) / self.unit, sum(row.candidate for row in rows) / self.unit

    def is_clear(self, *categories: str) -> bool:
        """Whether the steps' times of any of the categories differ beyond their spread, or are too few to tell. What is
        known by times alone, not by counts, needs this."""
        n, m = len(self.baseline.steps), len(self.candidate.steps)
        if 2 / comb(n + m, n) > self.options.alpha:
            return True
        p_values = [self.p_values.get(category) for category in categories]
        return any(p is None or p <= self.options.alpha for p in p_values)

    def entities(self, category: str) -> list[LedgerRow]:
        """The category's rows of the ledger, largest change first."""
        return [row for row in self.ledger.rows if len(row.path) == 2 and row.path[0] == category]

    def amounts(self, table: str, measure: str = "total") -> Mapping[Key, Amount]:
        """Key -> amounts of a group table of both sides, empty where neither has it."""
        known = self._tables.get((table, measure))
        if known is None:
            known = self._tables[table, measure] = self._joined(table, measure)
        return known

    def runtime(self) -> Mapping[str, Amount]:
        """API call -> calls and summed time, hidden time included."""
        known = self._tables.get(("runtime", "plain"))
        if known is None:
            known = self._tables["runtime", "plain"] = self._plain(4)
        return {key[0]: amount for key, amount in known.items()}

    def _joined(self, table: str, measure: str) -> dict[Key, Amount]:
        found: dict[Key, Amount] = {}
        for side, summary in enumerate((self.baseline, self.candidate)):
            group = summary.groups.get(table)
            if group is None or measure not in group.measures_ns:
                continue
            steps = len(summary.steps)
            calls = (group.calls.sum(axis=1) / steps).tolist()
            times = (group.measures_ns[measure].sum(axis=1) / steps / 1000).tolist()
            for key, count, us in zip(group.keys, calls, times, strict=True):
                found[key] = found.get(key, NOTHING) + _one(side, count, us)
        return found

    def _plain(self, category: int) -> dict[Key, Amount]:
        found: dict[Key, Amount] = {}
        for side, summary in enumerate((self.baseline, self.candidate)):
            owned, steps = summary.owned, len(summary.steps)
            rows = (owned.category == category).nonzero()[0]
            for row in rows.tolist():
                key = (owned.key[row],)
                amount = _one(side, owned.calls[row].sum() / steps, owned.plain_ns[row].sum() / steps / 1000)
                found[key] = found.get(key, NOTHING) + amount
        return found


def _one(side: int, calls: float, us: float) -> Amount:
    return Amount(calls, 0.0, us, 0.0) if side == 0 else Amount(0.0, calls, 0.0, us)
