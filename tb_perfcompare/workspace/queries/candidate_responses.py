"""Several candidates against one baseline, as values for JSON and as a table, for `tb-perfcompare verdicts` and
api/verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from tb_perfcompare._version import __version__
from tb_perfcompare.comparison.candidates import Adjusted, CandidateResult, RowTimes, SideBrief
from tb_perfcompare.comparison.result import columns
from tb_perfcompare.comparison.result.controls import for_page
from tb_perfcompare.comparison.result.finding import Check, Finding
from tb_perfcompare.comparison.result.headline import Headline
from tb_perfcompare.comparison.result.plain_values import Cell, DeviceDict, as_plain, device_dict
from tb_perfcompare.comparison.result.table import Table
from tb_perfcompare.comparison.result.wording import VERDICT_WORDS
from tb_perfcompare.model.note import Note
from tb_perfcompare.number_text import percent, setting
from tb_perfcompare.workspace.queries.candidates import CandidateRow, CandidateRows

VERDICTS_SCHEMA = "tb_perfcompare.verdicts/1"


class SelectedDict(TypedDict):
    """A candidate as it was requested."""

    run: Annotated[str, "run name, as in api/runs"]
    worker: Annotated[str | None, "one worker of the run; null: all"]
    span: Annotated[str | None, "one span of the worker; null: all"]
    steps: Annotated[str | None, "numbers of the steps to compare, such as `3-10`; null: all"]


class ServerErrorDict(TypedDict):
    """Why there is no result."""

    code: Annotated[str, "type of failure, such as `selection` or `corrupt`"]
    message: Annotated[str, "what is wrong, and where"]
    hint: Annotated[str, "remedy, or the values that exist; may be empty"]


class SkippedDict(TypedDict):
    """Number of steps left out for one reason."""

    reason: Annotated[str, "why they are not compared"]
    steps: Annotated[int, "number of steps"]


class BriefStepsDict(TypedDict):
    """Step counts of a side: recorded, compared, and left out by reason."""

    count: Annotated[int, "number of steps recorded"]
    admitted: Annotated[int, "number of steps compared"]
    dropped: Annotated[Sequence[SkippedDict], "steps not compared, the most frequent reason first"]


class SideBriefDict(TypedDict):
    """One side in brief."""

    run: Annotated[str, "run name"]
    format: Annotated[str, "format of the files, such as `torch_profiler_trace`"]
    device: Annotated[DeviceDict, "device the side ran on"]
    steps: Annotated[BriefStepsDict, "steps recorded, compared and dropped"]
    captures: Annotated[int, "number of captures: recordings of this side at different times"]


class CandidateResultDict(TypedDict):
    """A comparison in brief."""

    baseline: Annotated[SideBriefDict, "what was compared of the baseline"]
    candidate: Annotated[SideBriefDict, "what was compared of the candidate"]
    headline: Annotated[Headline, "verdict on the step time, with its figures"]
    checks: Annotated[Sequence[Check], "checks that warn or failed"]
    cause: Annotated[Finding | None, "first finding; null without findings"]
    causes: Annotated[int, "number of findings"]
    parts: Annotated[Sequence[RowTimes], "step time by category"]
    table: Annotated[str, "name of the table that `rows` is from; empty if there is none"]
    rows: Annotated[Sequence[RowTimes], "rows of `table` with the largest baseline time or the largest change"]
    notes: Annotated[Sequence[Note], "notes about the recordings of either side"]


class CandidateRowDict(TypedDict):
    """One candidate's comparison in brief, or why there is none."""

    candidate: Annotated[SelectedDict, "run and part of it to compare with the baseline"]
    error: Annotated[ServerErrorDict | None, "why the candidate was not compared; null if it was"]
    result: Annotated[CandidateResultDict | None, "comparison in brief; null if there is an error"]


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


_INTERVAL = "the shift's confidence interval, not adjusted; with too few steps for one, of the range of all pairs"

CANDIDATE_COLUMNS = (
    columns.key("candidate", "Candidate", "run compared with the baseline"),
    columns.text("verdict", "Verdict", "verdict, or that the two were not compared"),
    columns.text("adjusted", "Adjusted", "whether the difference holds after adjusting p for all comparisons"),
    columns.time("mean_us", "Mean", "mean step time of the candidate", role="candidate"),
    columns.time("delta_us", "Δ", "mean step time, candidate minus baseline", role="delta"),
    columns.fraction("shift", "Shift", "Hodges-Lehmann shift of the typical step", role="percent"),
    columns.fraction("low", "From", f"lower end of {_INTERVAL}", role="percent"),
    columns.fraction("high", "To", f"upper end of {_INTERVAL}", role="percent"),
    columns.fraction("margin", "Threshold", "smallest change that matters", shown=False),
    columns.number("p", "p", "", "p of the headline"),
    columns.number("p_holm", "p, Holm", "", "p adjusted for the number of comparisons by Holm's procedure"),
    columns.text("steps", "Steps", "compared steps of the recorded ones"),
    columns.text("caveats", "Caveats", "checks that warn or failed"),
    columns.text("cause", "Largest cause", "first finding, or the reason why the two were not compared"),
)


def row_dict(row: CandidateRow) -> CandidateRowDict:
    """One candidate without its adjusted p, which is known only after all candidates are compared."""
    return {
        "candidate": as_plain(row.candidate),
        "error": None if row.error is None else _error(row),
        "result": None if row.result is None else _result_dict(row.result),
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
    """One row per candidate."""
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


def _result_dict(result: CandidateResult) -> CandidateResultDict:
    return {
        "baseline": _side(result.baseline),
        "candidate": _side(result.candidate),
        "headline": for_page(as_plain(result.headline)),
        "checks": for_page(as_plain(result.checks)),
        "cause": for_page(as_plain(result.cause)),
        "causes": result.causes,
        "parts": as_plain(result.parts),
        "table": result.table,
        "rows": as_plain(result.rows),
        "notes": as_plain(result.notes),
    }


def _side(side: SideBrief) -> SideBriefDict:
    return {
        "run": side.run,
        "format": side.format,
        "device": device_dict(side.device),
        "steps": {
            "count": side.steps_total,
            "admitted": side.steps_admitted,
            "dropped": [{"reason": reason, "steps": count} for reason, count in side.dropped],
        },
        "captures": side.captures,
    }


def _cells(row: CandidateRow, adjusted: Adjusted | None) -> tuple[Cell, ...]:
    name = row.candidate.text
    if row.result is None:
        return (name, "not compared", *[None] * 11, str(row.error))
    headline, side, shift = row.result.headline, row.result.candidate, row.result.headline.shift
    estimates = (None, None, None) if shift is None else (shift.estimate, shift.low, shift.high)
    return (
        name, VERDICT_WORDS[headline.verdict], _reading(adjusted), headline.candidate, headline.delta, *estimates,
        headline.margin, headline.p, None if adjusted is None else adjusted.p,
        f"{side.steps_admitted} of {side.steps_total}",
        ", ".join(check.check.replace("_", " ") for check in row.result.checks) or None,
        None if row.result.cause is None else row.result.cause.sentence,
    )  # fmt: skip


def _reading(adjusted: Adjusted | None) -> str | None:
    if adjusted is None or adjusted.stands is None:
        return None
    return "holds" if adjusted.stands else "cannot tell"
