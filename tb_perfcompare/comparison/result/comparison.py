"""The comparison: one finished object that every face (page, command line, report) only draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.result.caveats import Caveat
from tb_perfcompare.comparison.result.finding import Check, Finding
from tb_perfcompare.comparison.result.headline import Headline
from tb_perfcompare.comparison.result.ledger_rows import LEDGER, Ledger, LedgerDict
from tb_perfcompare.comparison.result.plain_values import as_plain
from tb_perfcompare.comparison.result.side_facts import SideFacts, SideFactsDict
from tb_perfcompare.comparison.result.table import Table, TableDict
from tb_perfcompare.errors import SelectionError, choices
from tb_perfcompare.model.device_peaks import DevicePeaks
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.quick_dataclass import dataclass

if TYPE_CHECKING:
    from pandas import DataFrame

SCHEMA = "tb_perfcompare.comparison/1"
VIEW_SCHEMA = "tb_perfcompare.view/1"


class DevicePeaksDict(TypedDict):
    """What a device can do at most, dense."""

    device: Annotated[str, "name in the table of peaks"]
    tflops: Annotated[Mapping[str, float], "data type -> TFLOP/s"]
    memory_gbs: Annotated[float, "memory bandwidth, GB/s; 0: not known"]
    source: Annotated[str, "link of the data sheet"]


class PeaksDict(TypedDict):
    """Peaks of the devices of both sides; null where the device is not known."""

    baseline: DevicePeaksDict | None
    candidate: DevicePeaksDict | None


class _ComparisonDict(TypedDict):
    schema: Annotated[str, (SCHEMA,)]
    version: Annotated[str, "of the tool"]
    baseline: SideFactsDict
    candidate: SideFactsDict
    window: Annotated[str, "where a step ends", ("device", "marker")]
    headline: Headline
    ledger: LedgerDict
    findings: Sequence[Finding]
    comparability: Sequence[Check]
    tables: Mapping[str, TableDict]
    notes: Sequence[Note]
    peaks: PeaksDict


class ComparisonDict(_ComparisonDict, total=False):
    """Answer of `tb-perfcompare diff --format json` and, cut to its first rows, of api/comparison. Times are
    microseconds unless the key says otherwise; null is "not measured". Keys may be added; none changes its meaning
    within this schema number."""

    tag: Annotated[str, "names the files as they were compared"]
    notes_left_out: Annotated[int, "of a first answer: those beyond `notes`"]
    caveats: Annotated[Sequence[Caveat], "of a first answer: failed and doubtful checks, and notes, in words"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything about one pair; see docs/method/comparison.md for the definition of every figure."""

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
        """Files that could not be read, each with a note; the others were compared."""
        return sum(note.code == NoteCode.FILE_FAILED for note in self.notes)

    def to_dict(self) -> ComparisonDict:
        """The document of `diff --format json` (docs/guide/comparison.schema.json), as plain values."""
        return {
            "schema": self.schema,
            "version": __version__,
            "baseline": self.baseline.to_dict(),
            "candidate": self.candidate.to_dict(),
            "window": self.window,
            "headline": as_plain(self.headline),
            "ledger": self.ledger.to_dict(),
            "findings": as_plain(self.findings),
            "comparability": as_plain(self.comparability),
            "tables": {name: table.to_dict() for name, table in self.tables.items()},
            "notes": as_plain(self.notes),
            "peaks": self.peaks_dict(),
        }

    def peaks_dict(self) -> PeaksDict:
        """Of both sides, as plain values."""
        one, two = map(as_plain, self.peaks)
        return {"baseline": one, "candidate": two}

    def to_frame(self, table: str) -> DataFrame:
        """One of `tables`, or "ledger" with its exact integers, as Table.to_frame gives it.

        Raises SelectionError for a table there is not, saying why, PerfCompareError without pandas."""
        return self.ledger.to_frame() if table == LEDGER else self.table(table).to_frame()

    def table(self, name: str) -> Table:
        """Raises SelectionError saying which tables there are and why this one is missing."""
        found = self.tables.get(name)
        if found is None:
            reasons = [note.message for note in self.notes if name in note.where.split(", ")]
            why = f": {reasons[0]}" if reasons else ""
            known = (LEDGER, *self.tables)
            raise SelectionError(f"this comparison has no table {name!r}{why}", hint=choices(name, known, len(known)))
        return found


@dataclass(frozen=True, slots=True)
class View:
    """One table of one run, and what is said with it. `reading` says how the run was read
    (docs/method/corrected_reading.md); `sums` are over all rows, by column, of the columns that add up; `notes`
    are the run's weaknesses."""

    reading: str
    side: SideFacts
    table: Table
    sums: Mapping[str, float | None]
    notes: tuple[Note, ...]

    def to_dict(self) -> dict[str, Any]:
        """The document of `view --json`, as plain values."""
        return {
            "schema": VIEW_SCHEMA,
            "view": self.table.name,
            "reading": self.reading,
            "side": self.side.to_dict(),
            "table": {**self.table.to_dict(), "sums": dict(self.sums)},
            "notes": as_plain(self.notes),
        }

    def to_frame(self) -> DataFrame:
        """As Table.to_frame."""
        return self.table.to_frame()
