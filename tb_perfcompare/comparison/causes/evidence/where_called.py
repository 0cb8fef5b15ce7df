"""Where calls were added or lost: which ranks, how many steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_perfcompare.comparison.causes.evidence.rule_context import Amount, RuleContext
from tb_perfcompare.comparison.result.wording import many
from tb_perfcompare.model.arrays import Flags
from tb_perfcompare.model.summary.job_workers import job_workers
from tb_perfcompare.model.summary.summary import Summary

SOME_STEPS = 0.6
"""Largest share of the steps with additional calls for these to be said to be in some steps."""

_MAX_NAMED = 3


def where_called(pair: RuleContext, changed: Sequence[tuple[str, Amount]]) -> str:
    """Clause on the few ranks or steps that have the additional calls of all these operators: "all on w1", "all in 4
    of 12 steps of the candidate". "" if most have them, or if operators differ."""
    grown = {amount.more_calls > 0 for _, amount in changed}
    if len(grown) != 1:
        return ""
    word, summary = ("candidate", pair.candidate) if grown == {True} else ("baseline", pair.baseline)
    places = {_where(summary, word, name, min(amount.calls_a, amount.calls_b)) for name, amount in changed}
    return places.pop() if len(places) == 1 else ""


def _where(summary: Summary, word: str, operator: str, usual: float) -> str:
    table = summary.groups["operators"]
    if (operator,) not in table.keys or summary.ranks is not None:
        return ""
    more = table.calls[table.keys.index((operator,))] > usual + 0.5
    of_captures = job_workers(summary)
    workers = [of_captures[capture] for capture in summary.steps.capture.tolist()]
    every, those = (list(dict.fromkeys(names)) for names in (workers, _workers_with(workers, more)))
    if len(those) < len(every):
        return f"all on {', '.join(those) if len(those) <= _MAX_NAMED else f'{len(those)} of {len(every)} ranks'}"
    on_one = np.array(workers) == every[0]
    steps = int((more & on_one).sum())
    if not 0 < steps <= SOME_STEPS * on_one.sum():
        return ""
    return f"all in {steps} of {many(int(on_one.sum()), 'step')} of the {word}"


def _workers_with(workers: Sequence[str], more: Flags) -> list[str]:
    return [worker for worker, called in zip(workers, more.tolist(), strict=True) if called]
