"""Brief comparisons of several candidates with one baseline, made from the cached full comparisons of each pair; as
values for JSON and as a table, for `tb-perfcompare verdicts` and api/verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.candidates import Adjusted, CandidateResult, adjusted, candidate_result
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.controls import for_page
from tb_perfcompare.comparison.result.headline import Basis
from tb_perfcompare.comparison.result.plain_values import Cell, as_plain
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.result.wording import VERDICT_WORDS
from tb_perfcompare.errors import Cancelled, PerfCompareError
from tb_perfcompare.model.progress import Reporter
from tb_perfcompare.number_text import percent, setting
from tb_perfcompare.quick_dataclass import dataclass
from tb_perfcompare.workspace.sharing.single_flight import Flight, Kind, wait_for, wait_for_all

if TYPE_CHECKING:
    from tb_perfcompare.workspace.inputs.sides import ComparisonRequest
    from tb_perfcompare.workspace.workspace import Workspace

MAX_CANDIDATES = 20
_RESULTS: Kind[CandidateResult] = Kind("comparisons in brief", 8 * 2**20)
"""Cached for longer than full comparisons, which are far larger."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A candidate as it was requested."""

    run: Annotated[str, "run name, as in api/runs"]
    worker: Annotated[str | None, "one worker of the run; null: all"] = None
    span: Annotated[str | None, "one span of the worker; null: all"] = None
    steps: Annotated[str | None, "numbers of the steps to compare, such as `3-10`; null: all"] = None

    @property
    def text(self) -> str:
        """The candidate as one line of text."""
        parts = (("worker", self.worker), ("span", self.span), ("steps", self.steps))
        return " ".join([self.run, *(f"{name} {value}" for name, value in parts if value is not None)])


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A candidate and its comparison in brief, or why there is none."""

    candidate: Selected
    result: CandidateResult | None
    error: PerfCompareError | None


@dataclass(frozen=True, slots=True)
class CandidateRows:
    """All rows in the requested order, and the adjusted p of each (None: not tested)."""

    rows: tuple[CandidateRow, ...]
    adjusted: tuple[Adjusted | None, ...]
    alpha: float

    @property
    def compared(self) -> int:
        """Number of tests, for which p is adjusted."""
        return sum(adjusted is not None for adjusted in self.adjusted)


def brief(workspace: Workspace, request: ComparisonRequest) -> AbstractContextManager[Flight[CandidateResult]]:
    """Joins the computation of one brief comparison for the `with` body; see Workspace.ask."""

    def make(flight: Flight[CandidateResult]) -> CandidateResult:
        compared = wait_for(workspace.ask(request), flight.report)
        flight.provisional = compared.provisional
        return candidate_result(compared.result())

    return workspace.flights(_RESULTS).joined(request, make)


def candidate_row(
    workspace: Workspace, candidate: Selected, request: ComparisonRequest, report: Reporter
) -> CandidateRow:  # fmt: skip
    """Makes the comparison with `brief` and waits for its row. Stops waiting when `report` raises."""
    with brief(workspace, request) as flight:
        wait_for_all([flight], report)
        return row_of(candidate, flight)


def row_of(candidate: Selected, flight: Flight[CandidateResult]) -> CandidateRow:
    """Returns the row of a finished flight; its errors become part of the row, but Cancelled is raised."""
    try:
        return CandidateRow(candidate, flight.result(), None)
    except Cancelled:
        raise
    except PerfCompareError as error:
        return CandidateRow(candidate, None, error)


def with_adjusted_p(rows: tuple[CandidateRow, ...], alpha: float) -> CandidateRows:
    return CandidateRows(rows, adjusted([row.result.headline if row.result else None for row in rows], alpha), alpha)


VERDICTS_SCHEMA = "tb_perfcompare.verdicts/1"


class ServerErrorDict(TypedDict):
    """Why there is no result."""

    code: Annotated[str, "type of failure, such as `selection` or `corrupt`"]
    message: Annotated[str, "what is wrong, and where"]
    hint: Annotated[str, "remedy, or the values that exist; may be empty"]


class CandidateRowDict(TypedDict):
    """One candidate's comparison in brief, or why there is none."""

    candidate: Annotated[Selected, "run and part of it to compare with the baseline"]
    error: Annotated[ServerErrorDict | None, "why the candidate was not compared; null if it was"]
    result: Annotated[CandidateResult | None, "comparison in brief; null if there is an error"]


class VerdictRowDict(CandidateRowDict):
    """One candidate with its adjusted p."""

    adjusted: Annotated[
        Adjusted | None, "verdict after adjusting p for all candidates; null: no p, or verdict withheld"
    ]


class VerdictsAnswerDict(TypedDict):
    """Answer of api/verdicts."""

    schema: Annotated[str, "name and number of this schema", (VERDICTS_SCHEMA,)]
    version: Annotated[str, "tb_perfcompare version"]
    alpha: Annotated[float, "significance level, for each comparison and for all together"]
    compared: Annotated[int, "number of comparisons that have a p"]
    rows: Annotated[Sequence[VerdictRowDict], "candidates, in the order of the request"]


_INTERVAL = "the change's confidence interval, not adjusted; with too few steps for one, of the range of all pairs"
_CHANGE_OF = {
    Basis.PROGRAM: "program", Basis.MACHINE: "machine", Basis.AMOUNT: "amount of work", Basis.RECORDED: "step"
}  # fmt: skip

CANDIDATE_COLUMNS = (
    columns.key("candidate", "Candidate", "run compared with the baseline"),
    columns.text("verdict", "Verdict", "verdict, or that the two were not compared"),
    columns.text("adjusted", "Adjusted", "whether the difference holds after adjusting p for all comparisons"),
    columns.time("mean_us", "Mean", "mean step time of the candidate", role="candidate"),
    columns.time("delta_us", "Δ", "mean step time, candidate minus baseline", role="delta"),
    columns.text("change_of", "Change of", "the verdict is about the program at equal machine speed, or the step"),
    columns.fraction("shift", "Change", "change that the verdict is about", role="percent"),
    columns.fraction("low", "From", f"lower end of {_INTERVAL}", role="percent"),
    columns.fraction("high", "To", f"upper end of {_INTERVAL}", role="percent"),
    columns.fraction("margin", "Threshold", "smallest change that matters", shown=False),
    columns.number("p", "p", "", "p of that change"),
    columns.number("p_holm", "p, Holm", "", "p adjusted for the number of comparisons by Holm's procedure"),
    columns.text("steps", "Steps", "compared steps of the recorded ones"),
    columns.text("caveats", "Caveats", "checks that warn or failed"),
    columns.text("cause", "Largest cause", "first finding, or the reason why the two were not compared"),
)

_WITH_OPTIONS = "headline", "checks", "cause"
"""Members of a result whose sentences mention command-line options."""


def row_dict(row: CandidateRow) -> CandidateRowDict:
    """One candidate without its adjusted p, which is known only after all candidates are compared."""
    result = as_plain(row.result)
    if result is not None:
        result |= for_page({name: result[name] for name in _WITH_OPTIONS})
    return {
        "candidate": as_plain(row.candidate),
        "error": None if row.error is None else _error(row),
        "result": result,
    }


def candidates_dict(comparisons: CandidateRows) -> VerdictsAnswerDict:
    """All rows, each with its adjusted p."""
    return {
        "schema": VERDICTS_SCHEMA,
        "version": __version__,
        "alpha": comparisons.alpha,
        "compared": comparisons.compared,
        "rows": [
            {**row_dict(row), "adjusted": as_plain(adjusted)}
            for row, adjusted in zip(comparisons.rows, comparisons.adjusted, strict=True)
        ],
    }


def candidates_table(comparisons: CandidateRows, baseline: str) -> Table:
    rows = tuple(_cells(row, adjusted) for row, adjusted in zip(comparisons.rows, comparisons.adjusted, strict=True))
    notes = (*notes_on(comparisons), *left_out_of(comparisons))
    return Table("verdicts", f"Candidates against {baseline}", CANDIDATE_COLUMNS, rows, notes)


def left_out_of(comparisons: CandidateRows) -> tuple[str, ...]:
    """Sentences about data missing from the comparisons, each once, with the candidate's name."""
    messages: dict[str, None] = {}
    for row in comparisons.rows:
        for note in row.result.notes if row.result is not None else ():
            messages[note.sentence.replace("candidate: ", f"{row.candidate.text}: ")] = None
    return tuple(messages)


def notes_on(comparisons: CandidateRows) -> tuple[str, ...]:
    """Notes on making several comparisons with one baseline; empty for one comparison."""
    if comparisons.compared < 2:
        return ()
    any_false = 1 - (1 - comparisons.alpha) ** comparisons.compared
    return (
        f"{comparisons.compared} comparisons with one baseline: if no candidate really differed, up to "
        f"{percent(any_false)} of such tables would still show a difference, at most {setting(comparisons.alpha)} "
        "after Holm's adjustment",
        "an unusual baseline shows in every row: record it again to find out",
    )


def _error(row: CandidateRow) -> ServerErrorDict:
    assert row.error is not None
    return {"code": row.error.code, "message": for_page(row.error.message), "hint": for_page(row.error.hint)}


def _cells(row: CandidateRow, adjusted: Adjusted | None) -> tuple[Cell, ...]:
    name = row.candidate.text
    if row.result is None:
        return (name, "not compared", *[None] * 12, str(row.error))
    headline, steps, change = row.result.headline, row.result.candidate.steps, row.result.headline.deciding
    estimates = (None, None, None) if change is None else (change.estimate, change.low, change.high)
    return (
        name, VERDICT_WORDS[headline.verdict], _reading(adjusted), headline.candidate, headline.delta,
        _CHANGE_OF[headline.basis], *estimates, headline.margin, headline.deciding_p,
        None if adjusted is None else adjusted.p,
        f"{steps.admitted} of {steps.count}",
        ", ".join(check.check.replace("_", " ") for check in row.result.checks) or None,
        None if row.result.cause is None else row.result.cause.sentence,
    )  # fmt: skip


def _reading(adjusted: Adjusted | None) -> str | None:
    if adjusted is None or adjusted.stands is None:
        return None
    return "holds" if adjusted.stands else "cannot tell"
