"""Ledger: the exact split of the step time into categories, entities and parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

from tb_perfcompare.comparison.result.ledger_rows import LedgerGroup, LedgerRow, LedgerRows, grouped
from tb_perfcompare.comparison.result.plain_values import as_plain
from tb_perfcompare.comparison.result.table_catalogue import LEDGER
from tb_perfcompare.quick_dataclass import dataclass

if TYPE_CHECKING:
    from pandas import DataFrame

_NANOSECONDS = "ns x denominator"

_LEDGER_COLUMNS = (
    ("category", ""), ("entity", ""), ("part", ""), ("name", ""), ("baseline", _NANOSECONDS),
    ("candidate", _NANOSECONDS), ("delta", _NANOSECONDS), ("baseline_calls", "count"), ("candidate_calls", "count"),
    ("count_effect", _NANOSECONDS), ("rate_effect", _NANOSECONDS), ("mix_effect", _NANOSECONDS),
    ("same_shape_effect", _NANOSECONDS), ("status", ""),
)  # fmt: skip


class _LedgerDict(TypedDict):
    unit: Annotated[str, "unit of all times, before division by `denominator`", ("ns",)]
    denominator: Annotated[int, "divide times by it for nanoseconds per step"]
    baseline: Annotated[int, "step time of the baseline"]
    candidate: Annotated[int, "step time of the candidate"]
    delta: Annotated[int, "candidate - baseline"]
    backlog: Annotated[tuple[int, int], "per side, exposed time of device work that an earlier step launched"]
    not_recorded: Annotated[
        tuple[tuple[str, ...], tuple[str, ...]], "per side, categories that it could not record: absent, not zero"
    ]
    rows: Annotated[Sequence[LedgerRow], "categories (depth 1), their entities (depth 2) and parts of those (depth 3)"]


class LedgerDict(_LedgerDict, total=False):
    """Every integer is nanoseconds per step times `denominator`."""

    rows_left_out: Annotated[int, "number of rows pooled into other rows in a truncated response"]
    entries: Annotated[int, "number of entries of the full ledger, in a truncated response"]
    short_names: Annotated[Mapping[str, str], "only in HTTP responses: name -> short form, for names that have one"]


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
    def groups(self) -> Sequence[LedgerGroup]:
        """The rows by category."""
        return self.rows.groups if isinstance(self.rows, LedgerRows) else grouped(self.rows)

    @property
    def heads(self) -> Sequence[LedgerRow]:
        """Rows of the categories (depth 1)."""
        return [group.head for group in self.groups]

    def recorded(self, category: str) -> tuple[bool, bool]:
        """Whether each side (baseline, candidate) could record the category."""
        a, b = (category not in side for side in self.not_recorded)
        return a, b

    def entities(self, category: str) -> Sequence[LedgerRow]:
        """Rows of a category's entities, without their parts."""
        return next((group.entities for group in self.groups if group.head.path == (category,)), ())

    def paths(self) -> Iterator[tuple[str, ...]]:
        """Yields the paths of all rows without making row objects."""
        for group in self.groups:
            yield group.head.path
            yield from ((group.entities.category, key) for key in group.entities.key)
            yield from (row.path for below in group.parts.values() for row in below)

    def with_parts(self) -> list[tuple[LedgerRow, Sequence[LedgerRow]]]:
        """Pairs of an entity that has parts and its parts."""
        return [(group.entities[at], parts) for group in self.groups for at, parts in group.parts.items() if parts]

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
