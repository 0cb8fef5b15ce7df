"""Alternatives that could settle an open verdict: at most three, chosen by rule before any of their verdicts is
known. Rules: docs/method/statistics.md, "What could settle it"."""

from __future__ import annotations

from dataclasses import replace

from tb_perfcompare.comparison.alternatives.captures_apart import Without, captures_alternative
from tb_perfcompare.comparison.alternatives.other_steps import Narrow, step_choices, steps_alternative
from tb_perfcompare.comparison.alternatives.record_more import record_more
from tb_perfcompare.comparison.judged import Judged
from tb_perfcompare.comparison.result.comparison import Comparison
from tb_perfcompare.comparison.result.headline import Alternative, Headline, Verdict
from tb_perfcompare.model.collector import paused_collector

MAX_ALTERNATIVES = 3

_OPEN = frozenset({Verdict.INCONCLUSIVE, Verdict.WITHHELD})


@paused_collector()
def with_alternatives(comparison: Comparison, judged: Judged, narrow: Narrow, without: Without) -> Comparison:
    """Adds what could settle the comparison's verdict. A verdict that is only probable needs more recordings; one that
    options of the profiler left open, the same options."""
    headline = comparison.headline
    if headline.verdict is not judged.measured.verdict:
        return comparison
    if headline.verdict in _OPEN:
        alternatives = _alternatives(headline, judged, narrow, without)
    elif headline.verdict.is_probable:
        alternatives = tuple(filter(None, [record_more(headline, judged.options.look)]))
    else:
        return comparison
    return replace(comparison, headline=replace(headline, alternatives=alternatives)) if alternatives else comparison


def _alternatives(headline: Headline, judged: Judged, narrow: Narrow, without: Without) -> tuple[Alternative, ...]:
    """Finds the alternatives in order: two captures of one side, without outlying steps, without warm-up, the other
    window; recording more comes last."""
    withheld = headline.verdict is Verdict.WITHHELD
    more = None if withheld else record_more(headline, judged.options.look)
    sides = judged.baseline, judged.candidate
    alternatives = [steps_alternative(choice, judged.options, narrow) for choice in step_choices(sides)]
    if withheld:  # if the work still differs with fewer steps, there is nothing to choose
        alternatives = [one for one in alternatives if one is not None and one.verdict is not Verdict.WITHHELD]
    else:
        apart = captures_alternative(judged, without)
        alternatives = alternatives if apart is None else [apart, *alternatives]
        if len(alternatives) < MAX_ALTERNATIVES - (more is not None):
            alternatives.append(_other_window_alternative(judged))
    there_are = [alternative for alternative in alternatives if alternative is not None]
    return (*there_are[: MAX_ALTERNATIVES - (more is not None)], *([] if more is None else [more]))


def _other_window_alternative(judged: Judged) -> Alternative | None:
    """The verdict by the other rule for where a step ends; None if that alters no step's time."""
    sides = judged.baseline, judged.candidate
    if all((side.other_window == side.steps.total_ns).all() for side in sides if len(side.other_window)):
        return None
    headline = judged.in_other_window
    if headline is None:
        return None
    name = "marker" if sides[0].window == "device" else "device"
    what = "each step ends at the next marker" if name == "marker" else "each step ends when its device work ends"
    other = Alternative("other_window", what, f"--step-window {name}", step_window=name)
    return other.with_result(headline)
