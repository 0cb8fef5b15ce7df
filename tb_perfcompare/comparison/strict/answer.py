"""One strict comparison with everything that is said about it, before any face draws it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.strict.processes import ProcessPair
from tb_perfcompare.comparison.strict.report import StrictReport
from tb_perfcompare.comparison.strict.weaknesses import Weakness

SCHEMA = "tb_perfcompare.strict/1"


@dataclass(frozen=True, slots=True, eq=False)
class StrictAnswer:
    """
    case        what is compared, in titles
    processes   the pairs there are; `chosen` is the index of the one that was compared
    report      None when there is nothing to compare; `absent` then says why
    weaknesses  of the method, as far as this pair shows them
    units       what the counters count in, a text each
    tables      summary, cycles and triplets
    """

    case: str
    processes: tuple[ProcessPair, ...]
    chosen: int
    report: StrictReport | None
    weaknesses: tuple[Weakness, ...] = ()
    units: tuple[str, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    absent: str = ""
