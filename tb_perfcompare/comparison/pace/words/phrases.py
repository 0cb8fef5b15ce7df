"""Changes, speeds and calls in words, as the headline and the lines below it say them."""

from __future__ import annotations

import math

from tb_perfcompare.comparison.result.headline import AmountFacts, Counted, Headline, PaceFacts, Part
from tb_perfcompare.comparison.result.wording import number_text
from tb_perfcompare.number_text import TIMES_FROM, rough, rough_range, times, times_more

NEAR = 0.02
"""How far the machine's part may lie outside the paces that it combines: steps weigh them differently."""


def far_apart(at_least: float) -> str:
    """Clause for captures whose uninterrupted steps are `at_least` this fraction apart."""
    how = f"{rough(abs(at_least))} {'longer' if at_least > 0 else 'less time'}"
    return f"every capture of the candidate takes at least {how} than any of the baseline"


_ONE = {"operator calls": "operator call", "kernel launches": "kernel launch"}


def calls_text(counted: Counted, word: str) -> str:
    """Calls that one side makes beyond the other's: "31 more operator calls", "1 fewer kernel launch"."""
    number = number_text(abs(round(counted.calls or 0.0, 2)))
    return f"{number} {word} {_ONE[counted.noun] if number == '1' else counted.noun}"


def speed_text(machine: Part) -> str:
    """Machine part: "1.3 times slower", "12 % faster"."""
    change = machine.estimate
    return f"{times_more(1 + change)} slower" if change >= 0.2 else slower_text(change)


def slower_text(change: float) -> str:
    """Change of a speed: "18 % slower"."""
    return f"{rough(abs(change))} {'slower' if change > 0 else 'faster'}"


def used_paces(headline: Headline) -> list[PaceFacts]:
    """Paces that show the machine's part."""
    return [pace for pace in headline.paces if not pace.unusable and pace.share > 0]


def is_of_host(headline: Headline) -> bool:
    """Whether only operators show the machine's part: a trace does not say on how many threads each of them ran."""
    return [pace.of for pace in used_paces(headline)] == ["host"]


def is_of_paces(headline: Headline, machine: Part) -> bool:
    """Whether the machine's part lies between the paces that it combines. It does not if the sides differ in which
    steps wait for the host, and the pace of those steps is not that of the others."""
    paces = [pace.estimate for pace in used_paces(headline)]
    return len(paces) < 2 or min(paces) - NEAR <= machine.estimate <= max(paces) + NEAR


def takes_text(part: Part) -> str:
    """Change of a duration with its interval: "18 % longer (15 to 21 %)", "10 times as long (×9.5 to ×13)"."""
    if TIMES_FROM <= part.high < math.inf:
        return f"{times(1 + part.estimate)} as long{ends_text(part)}".removeprefix("1 times ")
    return f"{longer_text(part.estimate)}{ends_text(part)}"


def ends_text(part: Part, *, as_change: bool = False) -> str:
    """Interval in parentheses: " (15 to 21 %)", " (-2 to +3 %)"; "" if both ends are written like the estimate.
    `as_change`: keeps the negative ends of a faster side."""
    low, high = part.low, part.high
    if rough(abs(low)) == rough(abs(high)) == rough(abs(part.estimate)) and low * high > 0:
        return ""
    if part.estimate < 0 and high < 0 and not as_change:
        low, high = -high, -low
    return f" ({rough_range(low, high, signed=low < 0 or high >= TIMES_FROM)})"


def between_text(part: Part) -> str:
    """Interval of a change: "-2 to +3 %"."""
    return rough_range(part.low, part.high, signed=True)


def longer_text(change: float) -> str:
    """Change of a duration: "18 % longer", "2.6 % less time", "46,099 times as long"."""
    if change >= TIMES_FROM:
        return f"{times(1 + change)} as long"
    return f"{rough(abs(change))} {'longer' if change >= 0 else 'less time'}"


def more_work_text(amount: AmountFacts) -> str:
    """Additional work: "more work per step, +31 %"."""
    return f"{'more' if amount.estimate > 0 else 'less'} work per step, {rough(amount.in_time, signed=True)}"
