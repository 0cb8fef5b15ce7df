"""Ledger: the exact split of the step time into categories, entities and parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, TypedDict

from tb_perfcompare.comparison.result.plain_values import Unbounded, as_plain
from tb_perfcompare.quick_dataclass import dataclass

if TYPE_CHECKING:
    from pandas import DataFrame

LEDGER = "ledger"
"""Name by which the ledger is requested as a table."""

_NANOSECONDS = "ns x denominator"
_LEDGER_COLUMNS = (
    ("category", ""), ("entity", ""), ("part", ""), ("name", ""), ("baseline", _NANOSECONDS),
    ("candidate", _NANOSECONDS), ("delta", _NANOSECONDS), ("baseline_calls", "count"), ("candidate_calls", "count"),
    ("count_effect", _NANOSECONDS), ("rate_effect", _NANOSECONDS), ("mix_effect", _NANOSECONDS),
    ("same_shape_effect", _NANOSECONDS), ("status", ""),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """Time per step of a category, an entity or a part, in integer nanoseconds x denominator.

    path is (category,), (category, entity) or (category, entity, part), where a part is a caller of the entity with
    an input shape. delta = candidate - baseline = count_effect + rate_effect; rate_effect = mix_effect (calls in
    other proportions of the parts) + same_shape_effect. calls are per step. status: both, added, removed. `name` is
    a raw name behind the entity's key.
    """

    path: tuple[str, ...]
    name: Annotated[str, "one of the raw names with this key"]
    baseline: int
    candidate: int
    delta: int
    calls: tuple[Unbounded, Unbounded]
    count_effect: int
    rate_effect: Annotated[int, "mix_effect + same_shape_effect"]
    status: Annotated[str, ("both", "added", "removed")]
    mix_effect: int = 0
    DERIVED: ClassVar = ("same_shape_effect",)

    @property
    def same_shape_effect(self) -> int:
        """Part of the delta from the same parts taking a different time per call."""
        return self.rate_effect - self.mix_effect


class _LedgerDict(TypedDict):
    unit: Annotated[str, ("ns",)]
    denominator: int
    baseline: int
    candidate: int
    delta: int
    backlog: Annotated[tuple[int, int], "per side, exposed time of device work that an earlier step launched"]
    not_recorded: Annotated[
        tuple[tuple[str, ...], tuple[str, ...]], "per side, categories that it could not record: absent, not zero"
    ]
    rows: Sequence[LedgerRow]


class LedgerDict(_LedgerDict, total=False):
    """Every integer is nanoseconds per step times `denominator`."""

    rows_left_out: Annotated[int, "number of rows pooled into other rows in a truncated response"]
    entries: Annotated[int, "number of entries of the full ledger, in a truncated response"]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Exact split of the step time of both sides.

    Rows of depth 1 sum to `delta`, rows of depth 2 to their row of depth 1, and rows of depth 3 to their row of
    depth 2 where it has any, all exactly. A row comes before the rows below it. Divide by `denominator`, the least
    common multiple of the two step counts, for nanoseconds per step. `backlog` is the part of the two sides' windows
    taken by device work of an earlier step. `not_recorded` lists the categories that each side could not record:
    absent, not zero.
    """

    denominator: int
    baseline: int
    candidate: int
    delta: int
    rows: Sequence[LedgerRow]
    backlog: tuple[int, int] = (0, 0)
    not_recorded: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def heads(self) -> Sequence[LedgerRow]:
        """Rows of the categories (depth 1)."""
        groups = getattr(self.rows, "groups", None)
        if groups is not None:
            return [group.head for group in groups]
        return [row for row in self.rows if len(row.path) == 1]

    def recorded(self, category: str) -> tuple[bool, bool]:
        """Whether each side (baseline, candidate) could record the category."""
        a, b = (category not in side for side in self.not_recorded)
        return a, b

    def entities(self, category: str) -> Sequence[LedgerRow]:
        """Rows of a category's entities, without their parts."""
        groups = getattr(self.rows, "groups", None)
        if groups is not None:
            return next((group.entities for group in groups if group.head.path == (category,)), ())
        return [row for row in self.rows if len(row.path) == 2 and row.path[0] == category]

    def paths(self) -> Iterator[tuple[str, ...]]:
        """Yields the paths of all rows without making row objects."""
        for group in getattr(self.rows, "groups", ()):
            yield group.head.path
            yield from ((group.entities.category, key) for key in group.entities.key)
            yield from (row.path for below in group.parts.values() for row in below)
        if not hasattr(self.rows, "groups"):
            yield from (row.path for row in self.rows)

    def with_parts(self) -> list[tuple[LedgerRow, Sequence[LedgerRow]]]:
        """Pairs of an entity that has parts and its parts."""
        groups = getattr(self.rows, "groups", None)
        if groups is not None:
            return [(group.entities[at], parts) for group in groups for at, parts in group.parts.items() if parts]
        parts: dict[tuple[str, ...], list[LedgerRow]] = {}
        for row in self.rows:
            if len(row.path) == 3:
                parts.setdefault(row.path[:2], []).append(row)
        return [(row, parts[row.path]) for row in self.rows if row.path in parts]

    def to_dict(self) -> LedgerDict:
        """Returns the ledger as plain values; integers still have to be divided by the denominator."""
        return {
            "unit": "ns",
            "denominator": self.denominator,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "delta": self.delta,
            "backlog": as_plain(self.backlog),
            "not_recorded": as_plain(self.not_recorded),
            "rows": [as_plain(row) for row in self.rows],
        }

    def to_frame(self) -> DataFrame:
        """Returns the rows with their exact integers as a pandas DataFrame: nanoseconds per step times
        `attrs["denominator"]`. `entity` and `part` are missing in rows that sum over them. Raises PerfCompareError
        without pandas."""
        from tb_perfcompare.comparison.result.frames import frame_of

        rows = [
            (
                *row.path, *[None] * (3 - len(row.path)), row.name, row.baseline, row.candidate, row.delta, *row.calls,
                row.count_effect, row.rate_effect, row.mix_effect, row.same_shape_effect, row.status,
            )
            for row in self.rows
        ]  # fmt: skip
        columns = {
            name: ([row[at] for row in rows], "integer" if unit == _NANOSECONDS else "text")
            for at, (name, unit) in enumerate(_LEDGER_COLUMNS)
        }
        return frame_of(columns, table=LEDGER, denominator=self.denominator, units=dict(_LEDGER_COLUMNS))
