"""Common work that is a small part of the step: its pace decides only if the recorded times do not."""

from __future__ import annotations

from tb_perfcompare.comparison.kinds.strata import Strata
from tb_perfcompare.comparison.pace.program import program_part
from tb_perfcompare.comparison.pace.split import CommonWork, common_work
from tb_perfcompare.comparison.result.headline import Headline, Verdict
from tb_perfcompare.comparison.result.options import CompareOptions
from tb_perfcompare.comparison.statistics.between_captures import capture_counts
from tb_perfcompare.comparison.verdict.rules import CAPTURES_THAT_TELL
from tb_perfcompare.model.summary.summary import Summary

LITTLE = 0.01
"""Share of the step from which common work indicates the pace of the rest, provided that three captures a side show
how well the rest follows it."""


def or_little_work(
    work: CommonWork,
    recorded: Headline,
    sides: tuple[Summary, Summary],
    options: CompareOptions,
    strata: Strata | None,
) -> CommonWork:
    """Returns `work`. Only if it has no clocks and the recorded times give no direction, returns the result of
    accepting less common work, provided that the program has a direction at that pace."""
    if work.clocked is not None or recorded.verdict is not Verdict.INCONCLUSIVE:
        return work
    if min(capture_counts(work.captures), default=0) < CAPTURES_THAT_TELL:
        return work
    little = common_work(*sides, options, strata, LITTLE)
    if little.clocked is None:
        return work
    open_still = program_part(little.clocked, options).verdict in (Verdict.SAME, Verdict.INCONCLUSIVE)
    return work if open_still else little
