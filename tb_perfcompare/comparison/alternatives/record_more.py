"""Alternative of more recordings: how many captures or steps would settle the verdict."""

from __future__ import annotations

from tb_perfcompare.comparison.result.headline import Alternative, Headline
from tb_perfcompare.comparison.result.options import ExperimentLook
from tb_perfcompare.comparison.result.wording import many
from tb_perfcompare.comparison.verdict.rules import MIN_CONCLUSIVE_CAPTURES
from tb_perfcompare.model.summary.summary import CYCLE_TIME

MAX_TIMES = 20
"""Most steps or captures that are advised, as a multiple of those recorded: more is not practical."""


def record_more(headline: Headline, look: ExperimentLook | None) -> Alternative | None:
    """How many more captures, or steps, would settle the verdict; the only place that reports this. None if not
    known or impractically many. An experiment cannot have more rounds than planned."""
    certainty = headline.certainty
    if certainty is None:
        return None
    needed, have, unit = certainty.captures_needed, certainty.captures, "captures"
    if headline.program is not None:
        needed = headline.program.captures_needed or MIN_CONCLUSIVE_CAPTURES
    elif needed is None and headline.shift is not None and headline.shift.low * headline.shift.high > 0:
        needed = MIN_CONCLUSIVE_CAPTURES  # steps show a change of these captures; more of them show no more
    elif needed is None:
        needed, have, unit = certainty.steps_needed, headline.n, "steps"
    if needed is None or not min(have) < needed <= MAX_TIMES * min(have):
        return None
    more = max(0, needed - have[0]), max(0, needed - have[1])
    what = more_in_words(more, "cycles" if unit == "steps" and headline.metric == CYCLE_TIME else unit)
    if look is not None and unit == "captures":
        rounds = look.rounds + max(more)
        what = f"record another experiment of at least {many(rounds, 'round')}: ab --most-rounds"
        if rounds <= look.most_rounds:
            what = f"continue the experiment for {many(max(more), 'round')}: ab --resume"
    return Alternative("record_more", what, more=more, unit=unit)


def more_in_words(more: tuple[int, int], unit: str) -> str:
    """What to record in words, without a side that has enough: "record 2 more captures of the candidate"."""
    sides = (more[0], "of the baseline"), (more[1], "of the candidate")
    wanted = [(number, where) for number, where in sides if number]
    if more[0] == more[1]:
        wanted = [(more[0], "per side")]
    (number, where), *others = wanted
    first = f"record {number:,} more {unit}" if number > 1 else f"record one more {unit[:-1]}"
    return " and ".join([f"{first} {where}", *(f"{other:,} {of}" for other, of in others)])
