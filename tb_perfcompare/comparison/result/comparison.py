"""The finished comparison, which page, command line and report render without computing anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.result.caveats import Caveat
from tb_perfcompare.comparison.result.finding import Check, Finding
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.ledger import Ledger, LedgerDict
from tb_perfcompare.comparison.result.plain_values import as_plain
from tb_perfcompare.comparison.result.side_facts import SideFacts, SideFactsDict
from tb_perfcompare.comparison.result.table import Table, TableDict
from tb_perfcompare.comparison.result.table_catalogue import LEDGER
from tb_perfcompare.errors import SelectionError, choices
from tb_perfcompare.model.device_peaks import DevicePeaks
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.quick_dataclass import dataclass

if TYPE_CHECKING:
    from pandas import DataFrame

SCHEMA = "tb_perfcompare.comparison/1"
VIEW_SCHEMA = "tb_perfcompare.view/1"

LEAST_REST = 0.1
"""Least share of the change that is reported as explained by no finding."""


class PeaksDict(TypedDict):
    """Peak rates of both sides' devices; null if the device is unknown."""

    baseline: Annotated[DevicePeaks | None, "peaks of the baseline's device; null if unknown"]
    candidate: Annotated[DevicePeaks | None, "peaks of the candidate's device; null if unknown"]


class _ComparisonDict(TypedDict):
    schema: Annotated[str, "name and number of this schema", (SCHEMA,)]
    version: Annotated[str, "tb_perfcompare version"]
    baseline: Annotated[SideFactsDict, "the baseline run"]
    candidate: Annotated[SideFactsDict, "the candidate run"]
    window: Annotated[str, "end of a step: its last device work, or its marker", ("device", "marker")]
    headline: Annotated[Headline, "verdict on the step time, with its figures"]
    ledger: Annotated[LedgerDict, "exact split of the step time by category and entity"]
    findings: Annotated[Sequence[Finding], "causes of the change, most important first"]
    unexplained_us: Annotated[
        float | None,
        "change that no finding explains, with the opposite sign of the change if findings explain more; null if less "
        "than a tenth of the change, or if times of findings are not parts of it",
    ]
    no_finding: Annotated[
        str | None, "sentence if there are no findings; null with findings, or if the sides are not comparable"
    ]
    comparability: Annotated[Sequence[Check], "checks that both sides measured the same"]
    tables: Annotated[Mapping[str, TableDict], "table name -> table"]
    notes: Annotated[Sequence[Note], "limitations: repaired files, dropped events, few steps, ..."]
    peaks: Annotated[PeaksDict, "peak rates of both devices, for rooflines"]


class ComparisonDict(_ComparisonDict, total=False):
    """Document of `tb-perfcompare diff --format json`, and of api/comparison, where tables are cut to their first
    rows. Times are in microseconds unless the key names another unit; null means "not measured". Keys may be added,
    but no key changes its meaning under this schema number."""

    tag: Annotated[str, "identifier of the compared files' state; pass it to api/table"]
    notes_left_out: Annotated[int, "number of notes missing from `notes` in a truncated response"]
    caveats: Annotated[Sequence[Caveat], "only from api/comparison: failed checks, warnings and notes, grouped"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Result of comparing two runs; docs/method/comparison.md defines every figure."""

    baseline: SideFacts
    candidate: SideFacts
    window: str
    headline: Headline
    ledger: Ledger
    findings: tuple[Finding, ...]
    comparability: tuple[Check, ...]
    tables: Mapping[str, Table]
    notes: tuple[Note, ...]
    schema: str = SCHEMA
    peaks: tuple[DevicePeaks | None, DevicePeaks | None] = (None, None)

    @property
    def files_left_out(self) -> int:
        """Number of files that could not be read, each with a note; the other files were compared."""
        return sum(note.code == NoteCode.FILE_FAILED for note in self.notes)

    @property
    def delta_us(self) -> float:
        """Change of the mean step, microseconds."""
        return self.ledger.delta / self.ledger.denominator / 1000

    @property
    def no_finding(self) -> str | None:
        """Sentence in place of findings: whether anything changed, and what shows that the sides do the same work. None
        with findings, or if a difference would mean nothing."""
        if self.findings or self.headline.verdict is Verdict.WITHHELD:
            return None
        unchanged = "Nothing changed beyond the spread of steps and captures"
        lead = "No cause found" if self.headline.verdict.way else unchanged
        same = [check.detail for check in self.comparability if check.check == "same_work" and check.status == "ok"]
        return f"{'; '.join((lead, *same))}."

    @property
    def unexplained_us(self) -> float | None:
        """Microseconds per step that no finding explains, with the opposite sign of the change if findings explain more
        than it; None if less than LEAST_REST of the change, or if times of findings are not parts of it."""
        shares = [finding.share for finding in self.findings if finding.delta_us is not None]
        known = [share for share in shares if share is not None]
        rest = 1 - fsum(known)
        if not known or len(known) < len(shares) or abs(rest) < LEAST_REST:
            return None
        return rest * self.delta_us

    def to_dict(self) -> ComparisonDict:
        """Returns the document of `diff --format json` (docs/guide/comparison.schema.json) as plain values."""
        return {
            "schema": self.schema,
            "version": __version__,
            "baseline": self.baseline.to_dict(),
            "candidate": self.candidate.to_dict(),
            "window": self.window,
            "headline": as_plain(self.headline),
            "ledger": self.ledger.to_dict(),
            "findings": as_plain(self.findings),
            "unexplained_us": self.unexplained_us,
            "no_finding": self.no_finding,
            "comparability": as_plain(self.comparability),
            "tables": {name: table.to_dict() for name, table in self.tables.items()},
            "notes": as_plain(self.notes),
            "peaks": self.peaks_dict(),
        }

    def peaks_dict(self) -> PeaksDict:
        """Returns the device peaks of both sides as plain values."""
        one, two = map(as_plain, self.peaks)
        return {"baseline": one, "candidate": two}

    def to_frame(self, table: str) -> DataFrame:
        """Returns one of `tables` (see Table.to_frame), or "ledger" with its exact integers, as a pandas DataFrame.
        Raises SelectionError, with the reason, if the comparison has no such table; PerfCompareError without pandas."""
        return self.ledger.to_frame() if table == LEDGER else self.table(table).to_frame()

    def table(self, name: str) -> Table:
        """Returns the table. Raises SelectionError listing the tables of this comparison and why this one is
        missing."""
        table = self.tables.get(name)
        if table is None:
            reasons = [note.message for note in self.notes if name in note.where.split(", ")]
            why = f": {reasons[0]}" if reasons else ""
            names = (LEDGER, *self.tables)
            raise SelectionError(f"this comparison has no table {name!r}{why}", hint=choices(name, names, len(names)))
        return table


@dataclass(frozen=True, slots=True)
class View:
    """One table of one run with its notes. `reading` says how the run was read (docs/method/corrected_reading.md);
    `sums` holds, by column, the sums over all rows of the columns that add up; `notes` are the run's weaknesses."""

    reading: str
    side: SideFacts
    table: Table
    sums: Mapping[str, float | None]
    notes: tuple[Note, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the document of `view --json` as plain values."""
        return {
            "schema": VIEW_SCHEMA,
            "view": self.table.name,
            "reading": self.reading,
            "side": self.side.to_dict(),
            "table": {**self.table.to_dict(), "sums": dict(self.sums)},
            "notes": as_plain(self.notes),
        }

    def to_frame(self) -> DataFrame:
        """Returns the table as a DataFrame; see Table.to_frame."""
        return self.table.to_frame()
