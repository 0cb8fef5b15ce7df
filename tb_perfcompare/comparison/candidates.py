"""Several candidates against one baseline: each comparison in brief, and verdicts adjusted for the number of tests.
Documented in docs/method/statistics.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated

import numpy as np

from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Check, Finding
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.ledger_rows import LedgerRow
from tb_perfcompare.comparison.result.plain_values import DeviceDict, device_dict
from tb_perfcompare.comparison.result.side_facts import SideFacts
from tb_perfcompare.comparison.result.table import Table, cells_of
from tb_perfcompare.comparison.statistics.multiple_testing import holm
from tb_perfcompare.model.names.short_names import short_forms
from tb_perfcompare.model.note import ALWAYS_SHOWN, Note
from tb_perfcompare.quick_dataclass import dataclass

_ROW_TABLES = ("kernels", "functions", "operators")
"""Tables in order of preference: the first one with rows is shown with the parts."""
_MAX_BY_TIME, _MAX_BY_CHANGE = 40, 20
KEY_JOINT = " › "
"""Separator of the keys of a row, as in links of the page."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Number of steps left out for one reason."""

    reason: Annotated[str, "why they are not compared"]
    steps: Annotated[int, "number of steps"]


@dataclass(frozen=True, slots=True)
class BriefSteps:
    """Step counts of a side: recorded, compared, and left out by reason."""

    count: Annotated[int, "number of steps recorded"]
    admitted: Annotated[int, "number of steps compared"]
    dropped: Annotated[tuple[Skipped, ...], "steps not compared, the most frequent reason first"]


@dataclass(frozen=True, slots=True)
class SideBrief:
    """One side in brief."""

    run: Annotated[str, "run name"]
    format: Annotated[str, "format of the files, such as `torch_profiler_trace`"]
    device: Annotated[DeviceDict, "device the side ran on"]
    steps: Annotated[BriefSteps, "steps recorded, compared and dropped"]
    captures: Annotated[int, "number of captures: recordings of this side at different times"]


@dataclass(frozen=True, slots=True)
class RowTimes:
    """Time per step of a category or of a table row."""

    name: Annotated[str, "category of the step, or key of a table row"]
    baseline_us: Annotated[float | None, "microseconds per step; null if the baseline lacks or did not record it"]
    candidate_us: Annotated[float | None, "microseconds per step; null if the candidate lacks or did not record it"]


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """A comparison in brief. The notes are about parts of the two runs that are in no figure."""

    baseline: Annotated[SideBrief, "what was compared of the baseline"]
    candidate: Annotated[SideBrief, "what was compared of the candidate"]
    headline: Annotated[Headline, "verdict on the step time, with its figures"]
    checks: Annotated[tuple[Check, ...], "checks that warn or failed"]
    cause: Annotated[Finding | None, "first finding; null without findings"]
    causes: Annotated[int, "number of findings"]
    parts: Annotated[tuple[RowTimes, ...], "step time by category"] = ()
    table: Annotated[str, "name of the table that `rows` is from; empty if there is none"] = ""
    rows: Annotated[tuple[RowTimes, ...], "rows of `table` with the largest baseline time or the largest change"] = ()
    notes: Annotated[tuple[Note, ...], "notes about the recordings of either side"] = ()
    short_names: Annotated[Mapping[str, str], "name -> short form, for names of `rows` that have one"] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A verdict after adjusting for the number of candidates."""

    p: Annotated[float, "p adjusted over all candidates by Holm's method"]
    stands: Annotated[bool | None, "whether a claimed difference holds at `alpha` after adjusting; null: none claimed"]


def candidate_result(comparison: Comparison) -> CandidateResult:
    """Returns a comparison in brief."""
    findings = comparison.findings
    table = next((name for name in _ROW_TABLES if name in comparison.tables and comparison.tables[name].rows), "")
    rows = _largest(comparison.tables[table]) if table else ()
    return CandidateResult(
        _brief(comparison.baseline), _brief(comparison.candidate), comparison.headline,
        tuple(check for check in comparison.comparability if check.status != "ok"),
        findings[0] if findings else None, len(findings), _parts(comparison),
        table, rows, tuple(note for note in comparison.notes if note.code in ALWAYS_SHOWN),
        short_forms(row.name for row in rows),
    )  # fmt: skip


def _parts(comparison: Comparison) -> tuple[RowTimes, ...]:
    ledger = comparison.ledger

    def times(row: LedgerRow) -> RowTimes:
        both = zip((row.baseline, row.candidate), ledger.recorded(row.path[0]), strict=True)
        return RowTimes(row.path[0], *(own / (1000 * ledger.denominator) if there else None for own, there in both))

    return tuple(map(times, ledger.heads))


def _largest(table: Table) -> tuple[RowTimes, ...]:
    """The rows with the most time in the baseline, which do not depend on the candidate, and those with the largest
    change."""
    keys = [at for at, column in enumerate(table.columns) if column.role == "key"]
    sides = [cells_of(table.rows, table.places[name]) for name in ("baseline_us", "candidate_us")]
    a, b = (np.array([cell or 0.0 for cell in cells], dtype=np.float64) for cells in sides)
    most = np.argsort(-a, kind="stable")[:_MAX_BY_TIME].tolist()
    changed = np.argsort(-np.abs(b - a), kind="stable")[:_MAX_BY_CHANGE].tolist()
    return tuple(
        RowTimes(KEY_JOINT.join(str(table.rows[row][key]) for key in keys), sides[0][row], sides[1][row])
        for row in dict.fromkeys([*most, *changed])
        if sides[0][row] or sides[1][row]
    )


def adjusted(headlines: Sequence[Headline | None], alpha: float) -> tuple[Adjusted | None, ...]:
    """Adjusts the verdicts, in their order; None for a candidate without a p value or with a withheld verdict: those
    are not tested.

    Holm's procedure is valid however the tests depend on each other, here through the baseline: if no candidate
    differs from it, at most a share `alpha` of tables has a verdict that holds.
    """
    tested = [
        (index, headline.deciding_p, headline.verdict.way != 0)
        for index, headline in enumerate(headlines)
        if headline is not None and headline.deciding_p is not None and headline.verdict is not Verdict.WITHHELD
    ]
    verdicts: list[Adjusted | None] = [None] * len(headlines)
    p_values = holm(np.array([p for _, p, _ in tested], dtype=np.float64))
    for (index, _, claims_change), p in zip(tested, p_values, strict=True):
        verdicts[index] = Adjusted(float(p), bool(p <= alpha) if claims_change else None)
    return tuple(verdicts)


def _brief(side: SideFacts) -> SideBrief:
    dropped = Counter(step.reason for step in side.dropped).most_common()
    steps = BriefSteps(side.steps_total, side.steps_admitted, tuple(Skipped(*reason) for reason in dropped))
    return SideBrief(side.run, side.format, device_dict(side.device), steps, side.captures)
