"""`--fail-if-slower 3%`: turns a headline into an exit status. docs/cli.md states the rule."""

from __future__ import annotations

from tb_perfcompare.comparison.comparison import Headline, Verdict
from tb_perfcompare.render.numbers import percent

PASSED = 0
TRIPPED = 1
CANNOT_TELL = 3

_SLOWER = frozenset({Verdict.SLOWER, Verdict.PROBABLY_SLOWER})


def decide(headline: Headline, limit: float) -> tuple[int, str]:
    """The status and the sentence for it.

    Tripped: the verdict is slower or probably slower and the whole interval of the shift lies above the limit.
    Passed: the whole interval lies at or below the limit, or both sides are the same recording. Else: cannot tell.
    """
    allowed = f"{limit * 100:g} %"
    shift = headline.shift
    if headline.verdict is Verdict.WITHHELD or shift is None:
        return CANNOT_TELL, f"gate: cannot tell: {headline.reason}"
    if shift.level is None:
        if headline.verdict is Verdict.SAME:
            return PASSED, f"gate: passed: {headline.reason}"
        return CANNOT_TELL, f"gate: cannot tell whether the candidate is more than {allowed} slower: {headline.reason}"
    interval = f"[{percent(shift.low, signed=True)}, {percent(shift.high, signed=True)}]"
    if headline.verdict in _SLOWER and shift.low > limit:
        return TRIPPED, f"gate: tripped: the candidate is more than {allowed} slower, {interval}"
    if shift.high <= limit:
        return PASSED, f"gate: passed: the candidate is not more than {allowed} slower, {interval}"
    return CANNOT_TELL, f"gate: cannot tell whether the candidate is more than {allowed} slower, {interval}"
