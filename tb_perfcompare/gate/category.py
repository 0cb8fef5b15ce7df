"""The gate on one category of the step, such as Communication: has its exposed time grown by more than allowed?"""

from __future__ import annotations

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Verdict
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.errors import SelectionError
from tb_perfcompare.gate.limits import Limit
from tb_perfcompare.gate.outcome import Outcome, Status
from tb_perfcompare.model.summary.summary import STEP_TIME

_TABLE = "categories"


def category_time(comparison: Comparison, category: str, limit: Limit) -> Outcome:
    """Compares the limit with both the confidence interval of the category's shift per step and the change of its mean.

    Tripped if both the whole interval and the change of the mean are above the limit, passed if both are at or below
    it, else cannot tell. Without an interval, passed only if neither side has the category or both recordings are
    equal."""
    headline = comparison.headline

    def outcome(status: Status, sentence: str, measured: str = "") -> Outcome:
        return Outcome(category, f"+{limit.text}", status, measured, sentence)

    if headline.verdict is Verdict.WITHHELD:
        return outcome(Status.CANNOT_TELL, f"cannot tell about {category}: {headline.reason}")
    try:
        row = _row(comparison, category)
    except SelectionError as error:
        return outcome(Status.CANNOT_TELL, f"cannot tell about {category}: {error.message}")
    silent = [side for side in ("baseline", "candidate") if row[f"{side}_us"] is None]
    if silent:
        who = "both sides" if len(silent) == 2 else f"the {silent[0]}"
        return outcome(Status.CANNOT_TELL, f"cannot tell about {category}: {who} recorded the CPU alone")
    before, after = _number(row["baseline_us"]), _number(row["candidate_us"])
    low, high = row["shift_low_us"], row["shift_high_us"]
    longer = f"{category} takes more than {limit.text} longer"
    not_longer = f"{category} does not take more than {limit.text} longer"
    doubt = f"cannot tell whether {longer}"
    per = " per step" if headline.metric == STEP_TIME else ""
    means = f"{number_text.time(before)} → {number_text.time(after)}{per}"
    if before == after == 0:
        return outcome(Status.PASSED, f"neither side has any {category}", means)
    if low is None or high is None:
        if headline.verdict is Verdict.SAME and before == after:
            return outcome(Status.PASSED, f"{not_longer}: {means}", means)
        return outcome(Status.CANNOT_TELL, f"{doubt}: {means}, from too few steps for an interval", means)
    low, high = _number(low), _number(high)
    most = limit.allowed_us(before)
    measured = f"{means}, shift [{number_text.time(low, signed=True)}, {number_text.time(high, signed=True)}]"
    mean_is_longer = after - before > most
    if low > most and mean_is_longer:
        return outcome(Status.TRIPPED, f"{longer}: {measured}", measured)
    if high <= most and not mean_is_longer:
        return outcome(Status.PASSED, f"{not_longer}: {measured}", measured)
    few = "; the mean rests on a few steps" if high <= most or (low > most and not mean_is_longer) else ""
    return outcome(Status.CANNOT_TELL, f"{doubt}: {measured}{few}", measured)


def _row(comparison: Comparison, category: str) -> dict[str, Cell]:
    table = comparison.table(_TABLE)
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    row_dict = next((row for row in rows if row["category"] == category), None)
    return row_dict or dict.fromkeys(names)  # neither side recorded it


def _number(cell: Cell) -> float:
    return cell if isinstance(cell, float) else float(cell or 0)
