"""The gate on the step time: is the candidate slower than allowed?"""

from __future__ import annotations

from tb_perfcompare import number_text
from tb_perfcompare.comparison.result.headline import Headline, Shift, Verdict
from tb_perfcompare.gate.limits import Limit
from tb_perfcompare.gate.outcome import Outcome, Status

_SLOWER = frozenset({Verdict.SLOWER, Verdict.PROBABLY_SLOWER})


def step_time(headline: Headline, limit: Limit) -> Outcome:
    """Tripped: the verdict is slower or probably slower and the whole interval of the shift lies above the limit.
    Passed: the whole interval lies at or below the limit, or both sides are the same recording. Else: cannot tell."""
    name, allowed, shift = headline.metric.replace("_", " "), limit.text, headline.shift
    doubt = f"cannot tell whether the candidate is more than {allowed} slower"

    def outcome(status: Status, sentence: str) -> Outcome:
        return Outcome(name, f"+{allowed}", status, "" if shift is None else _measured(shift, limit), sentence)

    if headline.verdict is Verdict.WITHHELD or shift is None:
        return outcome(Status.CANNOT_TELL, f"cannot tell: {headline.reason}")
    if shift.level is None:
        if headline.verdict is Verdict.SAME:
            return outcome(Status.PASSED, headline.reason)
        return outcome(Status.CANNOT_TELL, f"{doubt}: {headline.reason}")
    low, high, most = (
        (shift.low, shift.high, limit.fraction)
        if limit.fraction is not None
        else (shift.low_us, shift.high_us, limit.of(0.0))
    )
    interval = _interval(shift, limit)
    if headline.verdict in _SLOWER and low > most:
        return outcome(Status.TRIPPED, f"the candidate is more than {allowed} slower, {interval}")
    if high <= most:
        return outcome(Status.PASSED, f"the candidate is not more than {allowed} slower, {interval}")
    return outcome(Status.CANNOT_TELL, f"{doubt}, {interval}")


def _measured(shift: Shift, limit: Limit) -> str:
    if limit.fraction is not None:
        return f"{number_text.percent(shift.estimate, signed=True)} {_interval(shift, limit)}"
    return f"{number_text.time(shift.estimate_us, signed=True)} {_interval(shift, limit)}"


def _interval(shift: Shift, limit: Limit) -> str:
    if limit.fraction is not None:
        return f"[{number_text.percent(shift.low, signed=True)}, {number_text.percent(shift.high, signed=True)}]"
    return f"[{number_text.time(shift.low_us, signed=True)}, {number_text.time(shift.high_us, signed=True)}]"
