"""The gates: is the step slower than allowed, does a category take more time, has a rule found a cause?"""

from __future__ import annotations

from typing import NamedTuple

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.finding import Finding, is_sure
from tb_perfcompare.comparison.result.headline import Headline, Part, Shift, Verdict
from tb_perfcompare.comparison.result.options import SIDES
from tb_perfcompare.comparison.result.plain_values import Cell
from tb_perfcompare.errors import PerfCompareError, SelectionError, choices
from tb_perfcompare.gate.limits import Limit, is_limit
from tb_perfcompare.gate.outcome import Outcome, Status
from tb_perfcompare.model.summary.summary import STEP_TIME


def step_time(headline: Headline, limit: Limit, *, fail_on_machine: bool = False) -> Outcome:
    """Compares the confidence interval of the shift, and the change of the mean, with the limit.

    Tripped: the verdict is slower or probably slower, and the whole interval and the mean are above the limit. Passed:
    both are at or below it (the typical step does not show a stall in a few steps), or both sides are the same
    recording. Else cannot tell.

    If the shift is split into program and machine, the program's part is compared. If the machine's part is above the
    limit, the result is cannot tell (record again), or tripped with `fail_on_machine`.

    Profiler options of one side widen the interval by what they can cost.
    """

    def outcome(status: Status, sentence: str, measured: str) -> Outcome:
        return Outcome(headline.metric.replace("_", " "), f"+{limit.text}", status, measured, sentence)

    shift = headline.shift
    recorded = "" if shift is None else _measured(shift, limit)
    if headline.verdict is Verdict.WITHHELD or shift is None:
        return outcome(Status.CANNOT_TELL, f"cannot tell: {headline.reason}", recorded)
    if shift.level is None:
        if headline.verdict is Verdict.SAME:
            return outcome(Status.PASSED, headline.reason, recorded)
        doubt = f"cannot tell whether the candidate is more than {limit.text} slower"
        return outcome(Status.CANNOT_TELL, f"{doubt}: {headline.reason}", recorded)
    growth = _growth(headline, shift, limit)
    if growth is None:
        return outcome(Status.CANNOT_TELL, f"cannot tell: {headline.reason}", recorded)
    is_above = _mean_is_above(growth.mean, limit, headline)
    if growth.verdict.way > 0 and growth.low > growth.most and is_above is not False:
        return outcome(Status.TRIPPED, f"{growth.longer}, {growth.interval}", growth.measured)
    if machine := _slower_machine(headline, growth.most):
        slower = f"the same work runs more than {limit.text} slower, {machine}"
        if fail_on_machine:
            return outcome(Status.TRIPPED, slower, machine)
        advice = "record again on an idle machine, with as many threads"
        return outcome(Status.CANNOT_TELL, f"cannot tell: {slower}; {advice}", growth.measured)
    if growth.high <= growth.most and not is_above:
        return outcome(Status.PASSED, f"{growth.not_longer}, {growth.interval}", growth.measured)
    doubt = f"cannot tell whether {growth.longer}{_options_clause(headline)}"
    return outcome(Status.CANNOT_TELL, f"{doubt}, {growth.interval}{_why_open(growth, headline)}", growth.measured)


class _Growth(NamedTuple):
    """What is compared with the limit: `low` to `high`, and the limit in their unit, `most`; the mean as a fraction;
    that the limit is exceeded, or not, in words."""

    verdict: Verdict
    low: float
    high: float
    most: float
    mean: float | None
    longer: str
    not_longer: str
    interval: str
    measured: str


def _growth(headline: Headline, shift: Shift, limit: Limit) -> _Growth | None:
    """The program's growth, as recorded if that is not known; None without the limit as a fraction, which the
    program's needs."""
    program, fraction = headline.program, _fraction(limit, headline)
    if program is None or headline.machine is None:
        ends, most = _us_at_equal_options(shift, headline), limit.allowed_us(0.0)
        if limit.fraction is not None:
            ends, most = _at_equal_options(shift.low, shift.high, headline), limit.fraction
        longer, not_longer = (f"the candidate is {word}more than {limit.text} slower" for word in ("", "not "))
        text = _interval(shift, limit), _measured(shift, limit)
        return _Growth(headline.verdict, *ends, most, shift.mean, longer, not_longer, *text)
    if fraction is None:
        return None
    ends, text = _at_equal_options(program.low, program.high, headline), (f"program {_change(program)}",) * 2
    longer, not_longer = (f"the program {takes} more than {limit.text} longer" for takes in ("takes", "does not take"))
    return _Growth(program.verdict, *ends, fraction, program.mean, longer, not_longer, *text)


def _slower_machine(headline: Headline, most: float) -> str:
    """The machine's part, if it is known and beyond the limit; "" if not."""
    machine = headline.machine
    if headline.program is None or machine is None or machine.verdict is not Verdict.SLOWER:
        return ""
    low, _ = _at_equal_options(machine.low, machine.high, headline)
    return f"machine {_change(machine)}" if low > most else ""


def _mean_is_above(mean: float | None, limit: Limit, headline: Headline) -> bool | None:
    """Whether the change of the mean step exceeds the limit; None if unknown."""
    most = _fraction(limit, headline)
    if mean is None or most is None:
        return None
    return _at_equal_options(mean, mean, headline)[1] > most


def _why_open(growth: _Growth, headline: Headline) -> str:
    """What leaves the decision open, and what to do about it."""
    means = f", but mean step {number_text.percent(growth.mean or 0.0, signed=True)}"
    if growth.high <= growth.most:
        return f"{means}: a few steps make the difference; look at the longest ones"
    if growth.low > growth.most:
        why = means if growth.verdict.way > 0 else ", which is too uncertain for a verdict"
        return f"{why}; {_advice(headline)}"
    return f"; {_advice(headline)}"


def _advice(headline: Headline) -> str:
    """What to record in order to decide."""
    more = (alternative.what for alternative in headline.alternatives if alternative.rule == "record_more")
    return next(more, "record more captures per side, on an idle machine")


def _at_equal_options(low: float, high: float, headline: Headline) -> tuple[float, float]:
    """Interval of a change, as fractions, with what profiler options of one side can cost."""
    more = headline.recorded_more
    if more is None:
        return low, high
    return ((1 + low) / (1 + more.cost) - 1, high) if more.way > 0 else (low, (1 + high) * (1 + more.cost) - 1)


def _us_at_equal_options(shift: Shift, headline: Headline) -> tuple[float, float]:
    more = headline.recorded_more
    if more is None:
        return shift.low_us, shift.high_us
    added = (-more.cost_us, 0.0) if more.way > 0 else (0.0, more.cost_us)
    return shift.low_us + added[0], shift.high_us + added[1]


def _options_clause(headline: Headline) -> str:
    more = headline.recorded_more
    return "" if more is None else f" (only the {more.side} recorded {', '.join(more.options)})"


def _fraction(limit: Limit, headline: Headline) -> float | None:
    """The limit as a fraction of the baseline's step time; None if that is zero or missing."""
    if limit.fraction is not None:
        return limit.fraction
    return limit.allowed_us(0.0) / headline.baseline if headline.baseline else None


def _change(of: Part | Shift) -> str:
    return "{} [{}, {}]".format(*number_text.change_and_ends(of.estimate, of.low, of.high))


def _measured(shift: Shift, limit: Limit) -> str:
    if limit.fraction is not None:
        return _change(shift)
    return f"{number_text.time(shift.estimate_us, signed=True)} {_interval(shift, limit)}"


def _interval(shift: Shift, limit: Limit) -> str:
    if limit.fraction is not None:
        return "[{}, {}]".format(*number_text.change_ends(shift.low, shift.high))
    return f"[{number_text.time(shift.low_us, signed=True)}, {number_text.time(shift.high_us, signed=True)}]"


_TABLE = "categories"


def category_time(
    comparison: Comparison, category: str, limit: Limit, *, fail_on_machine: bool = False
) -> Outcome:
    """Compares the limit with both the confidence interval of the category's shift per step and the change of its mean.

    Tripped if both the whole interval and the change of the mean are above the limit, passed if both are at or below
    it, else cannot tell. Without an interval, passed only if neither side has the category or both recordings are
    equal.

    Where the change at equal machine speed is known, that is compared. If only the change as recorded is above the
    limit and the machine is slower, the result is cannot tell (record again), or tripped with `fail_on_machine`.
    """
    headline = comparison.headline

    def outcome(status: Status, sentence: str, measured: str = "") -> Outcome:
        return Outcome(category, f"+{limit.text}", status, measured, sentence)

    row = _row(comparison, category)
    if isinstance(row, str):
        return outcome(Status.CANNOT_TELL, f"cannot tell about {category}: {row}")
    before, after = _number(row["baseline_us"]), _number(row["candidate_us"])
    longer = f"{category} takes more than {limit.text} longer"
    not_longer = f"{category} does not take more than {limit.text} longer"
    doubt = f"cannot tell whether {longer}"
    per = " per step" if headline.metric == STEP_TIME else ""
    means = f"{number_text.time(before)} → {number_text.time(after)}{per}"
    if before == after == 0:
        return outcome(Status.PASSED, f"neither side has any {category}", means)
    most = limit.allowed_us(before)
    recorded = _interval_of(row, "shift_low_us", "shift_high_us")
    if recorded is None:
        if headline.verdict is Verdict.SAME and before == after:
            return outcome(Status.PASSED, f"{not_longer}: {means}", means)
        few = f"{doubt}: {means}, from too few steps for an interval"
        return outcome(Status.CANNOT_TELL, f"{few}; {_advice(headline)}", means)
    (low, high), change, shift = recorded, after - before, "shift"
    is_longer = low > most and change > most
    paced = _interval_of(row, "paced_low_us", "paced_high_us")
    if paced is not None and not (is_longer and fail_on_machine):
        (low, high), change, shift = paced, _number(row["paced_delta_us"]), "at equal machine speed"
    measured = f"{means}, {shift} [{number_text.time(low, signed=True)}, {number_text.time(high, signed=True)}]"
    if low > most and change > most:
        return outcome(Status.TRIPPED, f"{longer}: {measured}", measured)
    if is_longer and headline.machine is not None and headline.machine.verdict is Verdict.SLOWER:
        return outcome(Status.CANNOT_TELL, f"{doubt}: {measured}; record again on an idle machine", measured)
    if high <= most and change <= most:
        return outcome(Status.PASSED, f"{not_longer}: {measured}", measured)
    rests_on_few = high <= most or low > most
    why = "the mean rests on a few steps; look at the longest ones" if rests_on_few else _advice(headline)
    return outcome(Status.CANNOT_TELL, f"{doubt}: {measured}; {why}", measured)


def _interval_of(row: dict[str, Cell], low: str, high: str) -> tuple[float, float] | None:
    ends = row.get(low), row.get(high)
    return None if ends[0] is None or ends[1] is None else (_number(ends[0]), _number(ends[1]))


def _row(comparison: Comparison, category: str) -> dict[str, Cell] | str:
    """Row of the table of categories, or why it cannot be compared."""
    if comparison.headline.verdict is Verdict.WITHHELD:
        return comparison.headline.reason
    try:
        table = comparison.table(_TABLE)
    except SelectionError as error:
        return error.message
    rows = [dict(zip(table.places, row, strict=True)) for row in table.rows]
    own = next((row for row in rows if row["category"] == category), None)
    if own is None:  # neither side recorded it
        return "both sides recorded the CPU alone"
    silent = [side for side in SIDES if own[f"{side}_us"] is None]
    if silent:
        return f"{'both sides' if len(silent) == 2 else f'the {silent[0]}'} recorded the CPU alone"
    return own


def _number(cell: Cell) -> float:
    return cell if isinstance(cell, float) else float(cell or 0)


def no_cause(comparison: Comparison, rule: str) -> Outcome:
    """Decides whether a rule has found a cause. The comparison must have all its findings.

    Tripped: a finding is certain and makes the step longer, or is not about time. Cannot tell: all such findings are
    uncertain, the verdict is withheld, or the rule does not apply to such runs. Else passed."""
    from tb_perfcompare.comparison.causes.rules import why_silent

    verdict = comparison.headline.verdict
    findings = [
        finding
        for finding in comparison.findings
        if finding.rule == rule and (finding.delta_us is None or finding.delta_us > 0)
    ]

    def outcome(status: Status, sentence: str, finding: Finding | None = None) -> Outcome:
        return Outcome(rule, "none", status, finding.sentence if finding is not None else "none found", sentence)

    if verdict is Verdict.WITHHELD:
        return outcome(Status.CANNOT_TELL, f"cannot tell about {rule}: {comparison.headline.reason}")
    certain = [finding for finding in findings if is_sure(finding)]
    if certain:
        return outcome(Status.TRIPPED, f"{rule}: {certain[0].sentence}", certain[0])
    if findings:
        sentence = f"cannot tell about {rule}: {findings[0].sentence.rstrip('.')}; {findings[0].confidence}"
        return outcome(Status.CANNOT_TELL, sentence, findings[0])
    silent = why_silent(rule, comparison)
    if silent:
        return outcome(Status.CANNOT_TELL, f"cannot tell about {rule}: {silent}")
    return outcome(Status.PASSED, f"{rule} was not found")


def checked_rule(name: str) -> str:
    """Returns the name. Raises PerfCompareError for an unknown rule."""
    from tb_perfcompare.comparison.causes.rules import RULE_NAMES

    if name not in RULE_NAMES:
        limit = "a limit of the step time is --fail-if-slower; " if is_limit(name) else ""
        raise PerfCompareError(f"there is no rule {name!r}", hint=limit + choices(name, RULE_NAMES, len(RULE_NAMES)))
    return name
