"""The gate on the step time: is the candidate slower by more than allowed?"""

from __future__ import annotations

from typing import Protocol

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.headline import Headline, Part, Shift, Verdict
from tb_perfcompare.gate.limits import Limit
from tb_perfcompare.gate.outcome import Outcome, Status


class _MakeOutcome(Protocol):
    def __call__(self, status: Status, sentence: str, measured: str = "") -> Outcome: ...


def step_time(headline: Headline, limit: Limit, *, fail_on_machine: bool = False) -> Outcome:
    """Compares the confidence interval of the shift with the limit.

    Tripped: the verdict is slower or probably slower, and the whole interval is above the limit. Passed: the whole
    interval is at or below the limit, or both sides are the same recording. Else cannot tell.

    If the shift is split into program and machine, the program's part is compared. If the machine's part is above the
    limit, the result is cannot tell (record again), or tripped with `fail_on_machine`.
    """
    name, allowed, shift = headline.metric.replace("_", " "), limit.text, headline.shift
    doubt = f"cannot tell whether the candidate is more than {allowed} slower"

    def outcome(status: Status, sentence: str, measured: str = "") -> Outcome:
        shown = measured or ("" if shift is None else _measured(shift, limit))
        return Outcome(name, f"+{allowed}", status, shown, sentence)

    if headline.verdict is Verdict.WITHHELD or shift is None:
        return outcome(Status.CANNOT_TELL, f"cannot tell: {headline.reason}")
    if headline.program is not None and headline.machine is not None and shift.level is not None:
        return _of_parts(headline, headline.program, headline.machine, limit, outcome, fail_on_machine)
    if shift.level is None:
        if headline.verdict is Verdict.SAME:
            return outcome(Status.PASSED, headline.reason)
        return outcome(Status.CANNOT_TELL, f"{doubt}: {headline.reason}")
    low, high, most = (
        (shift.low, shift.high, limit.fraction)
        if limit.fraction is not None
        else (shift.low_us, shift.high_us, limit.allowed_us(0.0))
    )
    interval = _interval(shift, limit)
    if headline.verdict.way > 0 and low > most:
        return outcome(Status.TRIPPED, f"the candidate is more than {allowed} slower, {interval}")
    if high <= most:
        return outcome(Status.PASSED, f"the candidate is not more than {allowed} slower, {interval}")
    return outcome(Status.CANNOT_TELL, f"{doubt}, {interval}")


def _of_parts(
    headline: Headline, program: Part, machine: Part, limit: Limit, outcome: _MakeOutcome, fail_on_machine: bool
) -> Outcome:
    """Decides by the program's part of the shift; see step_time for the machine's part."""
    most = _fraction(limit, headline)
    if most is None:
        return outcome(Status.CANNOT_TELL, f"cannot tell: {headline.reason}")
    interval = f"program {_part(program)}"
    longer = f"the program takes more than {limit.text} longer"
    if program.verdict.way > 0 and program.low > most:
        return outcome(Status.TRIPPED, f"{longer}, {interval}", interval)
    if machine.verdict is Verdict.SLOWER and machine.low > most:
        slower = f"the same work runs more than {limit.text} slower, machine {_part(machine)}"
        if fail_on_machine:
            return outcome(Status.TRIPPED, slower, f"machine {_part(machine)}")
        return outcome(Status.CANNOT_TELL, f"{slower}: record again on a quiet machine", interval)
    if program.high <= most:
        return outcome(Status.PASSED, f"the program does not take more than {limit.text} longer, {interval}", interval)
    return outcome(Status.CANNOT_TELL, f"cannot tell whether {longer}, {interval}", interval)


def _fraction(limit: Limit, headline: Headline) -> float | None:
    """The limit as a fraction of the baseline's step time; None if that is zero or missing."""
    if limit.fraction is not None:
        return limit.fraction
    return limit.allowed_us(0.0) / headline.baseline if headline.baseline else None


def _part(part: Part) -> str:
    ends = "[{}, {}]".format(*number_text.change_ends(part.low, part.high))
    return f"{number_text.percent(part.estimate, signed=True)} {ends}"


def _measured(shift: Shift, limit: Limit) -> str:
    if limit.fraction is not None:
        return f"{number_text.percent(shift.estimate, signed=True)} {_interval(shift, limit)}"
    return f"{number_text.time(shift.estimate_us, signed=True)} {_interval(shift, limit)}"


def _interval(shift: Shift, limit: Limit) -> str:
    if limit.fraction is not None:
        return "[{}, {}]".format(*number_text.change_ends(shift.low, shift.high))
    return f"[{number_text.time(shift.low_us, signed=True)}, {number_text.time(shift.high_us, signed=True)}]"
