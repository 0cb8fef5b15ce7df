"""Brief comparisons of several candidates with one baseline, made from the cached full comparisons of each pair."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated

from tb_perfcompare.comparison.candidates import Adjusted, CandidateResult, adjusted, candidate_result
from tb_perfcompare.errors import Cancelled, PerfCompareError
from tb_perfcompare.model.progress import Reporter
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
    """The rows with their adjusted p values."""
    return CandidateRows(rows, adjusted([row.result.headline if row.result else None for row in rows], alpha), alpha)
