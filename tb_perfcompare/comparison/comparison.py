"""The comparison: one finished object that every face (page, command line, report) only draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from tb_perfcompare.errors import SelectionError
from tb_perfcompare.model.files import FileFacts
from tb_perfcompare.model.note import Note, NoteCode
from tb_perfcompare.model.summary import DeviceFacts, DroppedStep
from tb_perfcompare.units import Better

if TYPE_CHECKING:
    from pandas import DataFrame

SCHEMA = "tb_perfcompare.comparison/1"

Cell = str | int | float | bool | None
"""A table cell; None is "absent" or "not measured", never zero."""

Row = tuple[Cell, ...]


class Verdict(str, Enum):
    """The words of the headline. `same` needs the interval inside the margin (or identical runs); `inconclusive`
    means the data cannot tell; `withheld` means the sides are not comparable."""

    SLOWER = "slower"
    FASTER = "faster"
    SAME = "same"
    PROBABLY_SLOWER = "probably_slower"
    PROBABLY_FASTER = "probably_faster"
    INCONCLUSIVE = "inconclusive"
    WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class SideFacts:
    """What one side is. `run`, `worker`, `span` are single names or comma-separated lists."""

    source: str
    run: str
    worker: str
    span: str
    format: str
    device: DeviceFacts
    steps_total: int
    steps_admitted: int
    dropped: tuple[DroppedStep, ...]
    files: tuple[FileFacts, ...]
    captures: int


@dataclass(frozen=True, slots=True)
class Shift:
    """Hodges-Lehmann shift in percent of the baseline and in microseconds, with its interval.

    estimate, low, high are fractions (0.05 = 5 % slower); *_us the same on raw times. `level` is the confidence level
    actually reached, None when the samples are too few for any interval: low and high are then the whole range.
    """

    estimate: float
    low: float
    high: float
    estimate_us: float
    low_us: float
    high_us: float
    level: float | None


@dataclass(frozen=True, slots=True)
class Certainty:
    """What else the samples say about the headline; fractions are 0.05 for 5 %, None is "not known".

    effect_size, effect   Cliff's delta, P(candidate step longer) - P(shorter), and its word: negligible to large
    mean_low, mean_high   interval of the change of the mean, ratio - 1; tail_driven: it is made by the steps that lie
                          far above the others
    autocorrelation       of neighbouring steps
    detectable            smallest change that so many steps and captures show in about 80 of 100 cases
    steps_needed          per side, to show a change of the margin
    captures              of baseline and candidate
    noise_floor           largest change between two captures of one side
    captures_needed       per side, to tell the estimated change, or one of the margin, from none
    """

    effect_size: float
    effect: str
    mean_low: float | None
    mean_high: float | None
    tail_driven: bool
    autocorrelation: float
    detectable: float | None
    steps_needed: int | None
    captures: tuple[int, int]
    noise_floor: float | None
    captures_needed: int | None


@dataclass(frozen=True, slots=True)
class Headline:
    """baseline, candidate: mean per step in microseconds. p: two-sided Mann-Whitney. margin: smallest fraction that
    matters. inflation: factor by which autocorrelation of the steps widens the interval. method: tests used, in words.
    sensitivity: which single steps, captures or ranks the verdict hangs on, "" where none can be left out. certainty:
    None where nothing was estimated."""

    metric: str
    unit: str
    baseline: float | None
    candidate: float | None
    delta: float | None
    ratio: float | None
    shift: Shift | None
    p: float | None
    n: tuple[int, int]
    verdict: Verdict
    reason: str
    margin: float
    inflation: float
    scope: str
    method: str
    sensitivity: str = ""
    certainty: Certainty | None = None


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """Integers in nanoseconds x denominator per step. path is (category,), (category, entity) or (category, entity,
    part): the part says who called the entity with which input shape.

    delta = candidate - baseline = count_effect + rate_effect; rate_effect = mix_effect (calls in other proportions of
    the parts) + same_shape_effect. calls are per step. status: both, added, removed. `name` is a raw name behind the
    entity's key.
    """

    path: tuple[str, ...]
    name: str
    baseline: int
    candidate: int
    delta: int
    calls: tuple[float, float]
    count_effect: int
    rate_effect: int
    status: str
    mix_effect: int = 0

    @property
    def same_shape_effect(self) -> int:
        """The same parts taking another time per call."""
        return self.rate_effect - self.mix_effect


@dataclass(frozen=True, slots=True)
class Ledger:
    """Rows of depth 1 sum to `delta`, rows of depth 2 to their row of depth 1, rows of depth 3 to their row of depth 2
    where it has any, all exactly. A row comes before the rows below it.

    Divide by `denominator` for nanoseconds per step; it is the least common multiple of the two step counts.
    """

    denominator: int
    baseline: int
    candidate: int
    delta: int
    rows: tuple[LedgerRow, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a finding's figure stands: a table and its row key, or a plain value."""

    table: str
    row: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause in a sentence. delta_us is None for what is no time, such as a clock; share is delta over the headline's
    delta, None when the headline has none to share or the time overlaps with other time; look_at: what to look at next,
    "" where nothing in particular."""

    rule: str
    subject: str
    category: str
    delta_us: float | None
    share: float | None
    sentence: str
    evidence: tuple[Evidence, ...]
    confidence: str
    look_at: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A comparability check. status: ok, warn, fail; invalidates: conclusions it weakens."""

    check: str
    status: str
    detail: str
    invalidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """role: key, text, baseline, candidate, delta, percent, status, plain. kind: text, time_us, count, fraction,
    number, bool. shown: visible before the user chooses."""

    name: str
    label: str
    unit: str
    better: Better
    description: str
    role: str = "plain"
    kind: str = "number"
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """Rows are in the default order; where there are many of them they are made when they are asked for
    (column_rows.py). `notes` are sentences about the whole table, which reading it shows among them."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The table as it stands in the JSON form: `title`, `columns`, `rows`, `notes`."""
        from tb_perfcompare.comparison.as_json import table_dict

        return table_dict(self)

    def to_frame(self) -> DataFrame:
        """The table as a pandas DataFrame with nullable types: an absent cell is missing, integers stay integers. Units
        and definitions of the columns are in its `attrs` (docs/python.md). Raises PerfCompareError without pandas."""
        from tb_perfcompare.comparison.frames import table_frame

        return table_frame(self)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything about one pair; see docs/comparison.md for the definition of every figure."""

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

    @property
    def files_left_out(self) -> int:
        """Files that could not be read, each with a note; the others were compared."""
        return sum(note.code == NoteCode.FILE_FAILED for note in self.notes)

    def to_dict(self) -> dict[str, Any]:
        """The document of `diff --format json` (docs/comparison.schema.json), as plain values."""
        from tb_perfcompare.comparison.as_json import comparison_dict

        return comparison_dict(self)

    def to_frame(self, table: str) -> DataFrame:
        """One of `tables`, or "ledger" with its exact integers, as Table.to_frame gives it.

        Raises SelectionError for a table there is not, saying why, PerfCompareError without pandas."""
        from tb_perfcompare.comparison.frames import LEDGER, ledger_frame, table_frame

        return ledger_frame(self.ledger) if table == LEDGER else table_frame(self.table(table))

    def table(self, name: str) -> Table:
        """Raises SelectionError saying which tables there are and why this one is missing."""
        found = self.tables.get(name)
        if found is None:
            reasons = [note.message for note in self.notes if name in note.where.split(", ")]
            why = f": {reasons[0]}" if reasons else ""
            known = ", ".join(("ledger", *self.tables))
            raise SelectionError(f"this comparison has no table {name!r}{why}", hint=f"there are: {known}")
        return found


@dataclass(frozen=True, slots=True)
class View:
    """One table of one run, and what is said with it. `reading` says how the run was read (docs/readings.md); `notes`
    are the run's weaknesses."""

    reading: str
    side: SideFacts
    table: Table
    notes: tuple[Note, ...]

    def to_dict(self) -> dict[str, Any]:
        """The document of `view --json`, as plain values."""
        from tb_perfcompare.comparison.as_json import view_dict

        return view_dict(self)

    def to_frame(self) -> DataFrame:
        """As Table.to_frame."""
        return self.table.to_frame()
