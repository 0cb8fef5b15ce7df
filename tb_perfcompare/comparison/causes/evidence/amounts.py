"""Calls and microseconds per step on both sides, of one thing or of the rows of a table."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tb_perfcompare.model.arrays import Floats
from tb_perfcompare.model.text_numbers import JoinedRows
from tb_perfcompare.quick_dataclass import dataclass

Key = tuple[str, ...]

K = TypeVar("K")


@dataclass(slots=True)
class Amount:
    """Calls and microseconds per step on both sides; 0 if a side has none. Treated as immutable, but not frozen:
    there are thousands, and frozen ones take four times as long to create."""

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

    @property
    def rate_us(self) -> float:
        """Part of the change that is the time per call (docs/method/ledger.md); 0 if a side has no calls."""
        if not (self.calls_a and self.calls_b):
            return 0.0
        return (self.us_b / self.calls_b - self.us_a / self.calls_a) * (self.calls_a + self.calls_b) / 2

    @property
    def counted_us(self) -> float:
        """Part of the change by count, at most the change; all of it if a side has no calls."""
        if not (self.calls_a and self.calls_b):
            return self.delta_us
        counted = self.more_calls * (self.us_a / self.calls_a + self.us_b / self.calls_b) / 2
        return min(counted, self.delta_us, key=abs) if counted * self.delta_us > 0 else 0.0

    def paced_us(self, ratio: float) -> float:
        """Change of work that takes `ratio` times as long; 0 if a side has none."""
        return (ratio - 1) / (ratio + 1) * (self.us_a + self.us_b) if self.us_a and self.us_b else 0.0

    def __add__(self, other: Amount) -> Amount:
        return Amount(
            self.calls_a + other.calls_a, self.calls_b + other.calls_b, self.us_a + other.us_a, self.us_b + other.us_b
        )


NOTHING = Amount()


def total(amounts: Iterable[Amount]) -> Amount:
    """Sum, rounded once: the same in any order, so that exchanging the sides negates it."""
    every = tuple(amounts)
    if len(every) == 1:
        return every[0]
    parts = [(amount.calls_a, amount.calls_b, amount.us_a, amount.us_b) for amount in every]
    return Amount(*map(fsum, zip(*parts, strict=True)))


def total_by_key(parts: Iterable[tuple[K, float]]) -> dict[K, float]:
    """Key -> sum of its values, rounded once: the same in any order."""
    every: dict[K, list[float]] = {}
    for key, value in parts:
        every.setdefault(key, []).append(value)
    return {key: fsum(values) for key, values in every.items()}


@dataclass(frozen=True, slots=True, eq=False)
class AmountColumns:
    """Amounts of a group table, (r,) each, zero if a side lacks the row."""

    joined: JoinedRows
    calls_a: Floats
    calls_b: Floats
    us_a: Floats
    us_b: Floats

    def keys(self) -> list[Key]:
        """Keys of all rows."""
        return list(zip(*map(self.joined.numbers.column, self.joined.parts), strict=True))

    def at(self, row: int) -> Amount:
        """Amount of one row."""
        return Amount(*(float(column[row]) for column in (self.calls_a, self.calls_b, self.us_a, self.us_b)))

    def of_rows(self, rows: NDArray[np.int64]) -> dict[Key, Amount]:
        """Amounts of some rows by key."""
        keys = zip(*(self.joined.numbers.column(part[rows]) for part in self.joined.parts), strict=True)
        figures = (column[rows].tolist() for column in (self.calls_a, self.calls_b, self.us_a, self.us_b))
        return dict(zip(keys, map(Amount, *figures), strict=True))


def of_side(side: int, calls: float, us: float) -> Amount:
    """Amount that one side has and the other has not."""
    return Amount(calls, 0.0, us, 0.0) if side == 0 else Amount(0.0, calls, 0.0, us)
